import { describe, expect, test } from "vitest";
import { opencodeReader } from "../../src/import/opencode-reader.ts";
import type { Item } from "../../src/import/transcript.ts";
import { itemsOfDocument, itemsOfLines, ofType, outline, usageIn } from "./items.ts";

const created = 1_780_000_000_000;
const tokens = { input: 10, output: 5, reasoning: 2, cache: { read: 80, write: 3 } };

function user(id: string, parts: readonly object[]) {
  return { info: { id, role: "user", sessionID: "s", time: { created } }, parts };
}

function assistant(id: string, parts: readonly object[], more: object = {}) {
  const info = {
    id,
    role: "assistant",
    sessionID: "s",
    modelID: "m-1",
    providerID: "p",
    time: { created },
    tokens,
    ...more,
  };
  return { info, parts };
}

const text = (said: string, more: object = {}) => ({ type: "text", text: said, ...more });
const done = {
  status: "completed",
  input: { path: "a.txt" },
  output: "hello",
  time: { start: created + 1, end: created + 9 },
};
const tool = (callID: string, state: object = done) => ({ type: "tool", tool: "read", callID, state });

async function exported(...messages: readonly object[]): Promise<readonly Item[]> {
  return await itemsOfDocument({ info: { id: "s", directory: "/w", version: "1.3.0", time: { created } }, messages });
}

describe("a session of opencode", () => {
  test("results stand behind the step that asked for them; what the program added is no typed text", async () => {
    const items = await exported(
      user("m1", [text("read"), text("<file>", { synthetic: true }), text("not sent", { ignored: true })]),
      assistant("m2", [
        { type: "step-start" },
        { type: "reasoning", text: "hm", metadata: { p: { signature: "abcd" } } },
        tool("c1"),
        tool("c2", { status: "error", input: {}, error: "no" }),
        { type: "step-finish", tokens },
      ]),
      assistant("m3", [text("Done."), tool("c3", { status: "running", input: {} })]),
    );
    expect(outline(items)).toEqual([
      "session",
      "typed: read",
      "injected: <file>",
      "request",
      "reasoning",
      "call c1",
      "call c2",
      "usage",
      "result c1",
      "result c2",
      "request",
      "text: Done.",
      "call c3",
      "usage",
    ]);
    expect(ofType(items, "session")[0]).toMatchObject({ session: "s", cwd: "/w", version: "1.3.0" });
    expect(ofType(items, "reasoning")[0]).toMatchObject({ text: "hm", opaqueChars: 4 });
    expect(ofType(items, "result").map((item) => [item.text, item.failed, item.at])).toEqual([
      ["hello", false, created + 9],
      ["no", true, created],
    ]);
  });

  test("reasoning stands beside the output, unless the total says that it is a part of it", async () => {
    const total = async (sum: number) =>
      usageIn(await exported(assistant("m", [text("x")], { tokens: { ...tokens, total: sum } })));
    expect(usageIn(await exported(assistant("m", [text("x")])))).toMatchObject({
      uncached: 10,
      cacheRead: 80,
      cacheWriteOther: 3,
      output: 7,
      reasoning: 2,
    });
    expect(await total(100)).toMatchObject({ output: 7, reasoning: 2 });
    expect(await total(98)).toMatchObject({ output: 5, reasoning: 2 });
  });

  test("each step of a message is a request, and what the message says of the last counts once", async () => {
    const finish = { type: "step-finish", tokens };
    const items = await exported(assistant("m", [tool("c1"), finish, text("Done."), finish]));
    expect(ofType(items, "request").map((item) => item.request)).toEqual(["m", "m/2"]);
    expect(usageIn(items).uncached).toBe(20);
  });

  test("a step that broke off behind a finished one has no report, though the message repeats that one's", async () => {
    const items = await exported(assistant("m", [tool("c1"), { type: "step-finish", tokens }, text("half")]));
    expect(ofType(items, "request").map((item) => item.request)).toEqual(["m", "m/2"]);
    expect(ofType(items, "usage").map((item) => item.request)).toEqual(["m"]);
  });

  test("an answer that failed before it began is no request", async () => {
    const none = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
    const items = await exported(assistant("m", [], { tokens: none, error: { name: "AbortedError" } }));
    expect(outline(items)).toEqual(["session", "unknown"]);
  });

  test("a compaction restarts from its summary and keeps the tail it names", async () => {
    const items = await exported(
      user("m1", [text("one")]),
      assistant("m2", [text("first")]),
      user("m3", [text("two")]),
      assistant("m4", [text("second")]),
      user("m5", [{ type: "compaction", auto: true, tail_start_id: "m3" }]),
      assistant("m6", [text("so far")], { summary: true }),
      user("m7", [text("three")]),
    );
    expect(outline(items).slice(-6)).toEqual([
      "request",
      "text: so far",
      "usage",
      "restarted compacted",
      "summary: so far",
      "typed: three",
    ]);
    const [restart] = ofType(items, "restarted");
    expect(restart?.by).toBe("auto");
    const kept = restart?.keeps.flatMap(([from, to]) => outline(items.slice(from, to + 1)));
    expect(kept).toEqual(["typed: two", "request", "text: second", "usage"]);
  });

  test("a summary without a request for one keeps nothing, and one that failed is none", async () => {
    const failed = assistant("m2", [text("half")], { summary: true, error: { name: "x" } });
    const items = await exported(user("m1", [text("one")]), failed, assistant("m3", [text("all")], { summary: true }));
    expect(ofType(items, "restarted")).toMatchObject([{ why: "compacted", by: null, keeps: [] }]);
  });

  test("images are counted, what nobody knows is kept", async () => {
    const items = await exported(
      user("m1", [
        { type: "file", mime: "image/png", url: "data:" },
        { type: "file", mime: "text/plain", url: "data:" },
        { type: "novelty" },
      ]),
    );
    expect(ofType(items, "message")).toMatchObject([{ images: 1 }]);
    expect(ofType(items, "unknown")).toMatchObject([{ kind: "user/novelty" }]);
  });

  test("a fork's copies have the keys of what they are copies of", async () => {
    const keys = async (id: string) =>
      ofType(await exported(assistant(id, [text("x")])), "usage").map((item) => item.key);
    expect(await keys("m1")).toEqual(await keys("m2"));
  });

  test("a single message of the older storage tells what it cost", async () => {
    const items = await itemsOfDocument(assistant("m", []).info);
    expect(outline(items)).toEqual(["session", "request", "usage"]);
    expect(ofType(items, "session")[0]?.session).toBe("s");
  });

  test("messages and parts of the older storage, one per line, are a session", async () => {
    const part = (messageID: string, id: string, more: object) => ({ id, messageID, sessionID: "s", ...more });
    const items = await itemsOfLines([
      user("m1", []).info,
      part("m1", "p1", text("one")),
      assistant("m2", []).info,
      part("m2", "p2", text("first")),
      part("gone", "p3", text("lost")),
    ]);
    expect(outline(items)).toEqual(["session", "typed: one", "request", "text: first", "usage", "unknown"]);
  });

  test("sub-agents are lanes of one list, and a restart speaks of its own lane", () => {
    const reader = opencodeReader();
    const at = { directory: null, version: null, at: created };
    const message = (id: string, info: object, parts: readonly Record<string, unknown>[]) =>
      reader.message({ id, at: created, info: { ...info }, parts });
    const items = [
      ...reader.session({ id: "s", ...at }, "main"),
      ...message("m1", { role: "user" }, [text("one")]),
      ...reader.session({ id: "child", ...at }, "child"),
      ...message("m2", { role: "user" }, [text("look")]),
      ...message("m3", { role: "assistant", summary: true, modelID: "m" }, [text("so far")]),
      ...reader.unreadable("row x"),
    ];
    expect(items.map((item) => item.lane)).toEqual(["main", "main", ...items.slice(2).map(() => "child")]);
    expect(ofType(items, "restarted")[0]?.keeps).toEqual([]);
    expect(items.at(-1)).toMatchObject({ type: "unreadable", why: "row x" });
  });
});
