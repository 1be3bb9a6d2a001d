import { describe, expect, test } from "vitest";
import { itemsOfDocument, ofType, outline, usageIn } from "./items.ts";

const ts = 1_780_000_000_000;

function answered(id: string, content: readonly object[], metrics: object, more: object = {}) {
  return { id, role: "assistant", content, ts, modelInfo: { id: "some/model", provider: "cline" }, metrics, ...more };
}

const use = { type: "tool_use", id: "c1", name: "read_files", input: { files: [{ path: "a.txt" }] } };

describe("a session file", () => {
  const session = {
    version: 1,
    agent: "lead",
    sessionId: "s-1",
    system_prompt: "You are Cline.",
    messages: [
      {
        id: "m1",
        role: "user",
        ts,
        content: [
          { type: "text", text: "look at @a.txt" },
          { type: "file", path: "/w/a.txt", content: "hello" },
          { type: "image", source: { type: "base64", data: "aGk=" } },
        ],
      },
      answered(
        "m2",
        [{ type: "thinking", thinking: "hm", signature: "abcd" }, { type: "text", text: "I look." }, use],
        {
          inputTokens: 100,
          outputTokens: 10,
          cacheReadTokens: 60,
          cacheWriteTokens: 30,
          cost: 1,
        },
      ),
      {
        id: "m3",
        role: "user",
        ts,
        content: [
          {
            type: "tool_result",
            tool_use_id: "c1",
            name: "read_files",
            content: [{ query: "a.txt", result: "hello", success: true }, { type: "image" }],
          },
        ],
      },
      answered("m4", [{ type: "text", text: "It says hello." }], {
        inputTokens: 50,
        outputTokens: 5,
        cacheReadTokens: 200,
      }),
    ],
  };

  test("messages, files that were shown, calls and results", async () => {
    const items = await itemsOfDocument(session);
    expect(outline(items)).toEqual([
      "session",
      "head",
      "typed: look at @a.txt",
      "injected: /w/a.txt\nhello",
      "typed: ",
      "request",
      "reasoning",
      "text: I look.",
      "call c1",
      "usage",
      "result c1",
      "request",
      "text: It says hello.",
      "usage",
    ]);
    expect(ofType(items, "result")[0]).toMatchObject({
      text: '{"query": "a.txt", "result": "hello", "success": true}',
      images: 1,
      failed: false,
    });
    expect(ofType(items, "request")[0]?.model).toBe("some/model");
  });

  test("the input holds reads and writes; where it cannot, it stands beside them", async () => {
    const usages = ofType(await itemsOfDocument(session), "usage").map((item) => item.usage);
    expect(usages[0]).toMatchObject({ uncached: 10, cacheRead: 60, cacheWriteOther: 30, output: 10 });
    expect(usages[1]).toMatchObject({ uncached: 50, cacheRead: 200, output: 5 });
  });

  test("a block nobody knows is kept, and a result all of whose parts failed is failed", async () => {
    const messages = [
      answered("m1", [{ type: "novelty", x: 1 }, use], {}),
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: [{ query: "a", success: false }] },
          { type: "odd" },
        ],
      },
    ];
    const items = await itemsOfDocument({ ...session, messages });
    expect(ofType(items, "unknown").map((item) => item.kind)).toEqual(["assistant/novelty", "user/odd"]);
    expect(ofType(items, "result")[0]?.failed).toBe(true);
    expect(ofType(items, "usage")).toEqual([]);
  });
});

describe("a task of the older extension", () => {
  test("a conversation without reports has no usage, and the editor's state is no typed text", async () => {
    const items = await itemsOfDocument([
      {
        role: "user",
        content: [
          { type: "text", text: "<task>\nmend it\n</task>" },
          { type: "text", text: "<environment_details>\nx" },
        ],
      },
      { role: "assistant", content: "I look." },
      { role: "user", content: [{ type: "text", text: "[read_file for 'a.txt'] Result:" }] },
    ]);
    expect(ofType(items, "message").map((item) => item.from)).toEqual(["typed", "injected", "injected"]);
    expect(ofType(items, "usage")).toEqual([]);
    expect(ofType(items, "request")).toHaveLength(1);
  });

  test("reports of its last versions count reads and writes in one number beside the prompt", async () => {
    const metrics = { tokens: { prompt: 10, completion: 5, cached: 90 }, cost: 1 };
    const items = await itemsOfDocument([
      { role: "user", content: "mend it" },
      { role: "assistant", content: "I look.", metrics, modelInfo: { modelId: "some/model" }, ts },
    ]);
    expect(usageIn(items)).toMatchObject({ uncached: 10, cacheRead: 90, output: 5 });
    expect(ofType(items, "request")[0]?.model).toBe("some/model");
  });

  test("what the screen showed tells what each request cost", async () => {
    const started = (report: object) => ({ ts, type: "say", say: "api_req_started", text: JSON.stringify(report) });
    const items = await itemsOfDocument([
      { ts, type: "say", say: "task", text: "mend it" },
      started({ request: "…", tokensIn: 10, tokensOut: 5, cacheReads: 80, cacheWrites: 20, cost: 1 }),
      { ts, type: "ask", ask: "tool", text: "{}" },
      started({ request: "…" }),
      { ts, type: "say", say: "api_req_started", text: "{not JSON" },
    ]);
    expect(usageIn(items)).toMatchObject({ uncached: 10, cacheRead: 80, cacheWriteOther: 20, output: 5 });
    expect(ofType(items, "request")).toHaveLength(3);
    expect(ofType(items, "message")).toEqual([]);
  });
});

test("answers of two sessions that have neither an id nor a time are no copies of each other", async () => {
  const session = (sessionId: string) => ({
    version: 1,
    sessionId,
    messages: [{ role: "assistant", content: "hello", metrics: { inputTokens: 100, outputTokens: 5 } }],
  });
  const keys = await Promise.all(
    ["s-1", "s-2"].map(async (id) => ofType(await itemsOfDocument(session(id)), "usage").map(({ key }) => key)),
  );
  expect(new Set(keys.flat()).size).toBe(2);
});
