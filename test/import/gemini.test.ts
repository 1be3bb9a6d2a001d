import { describe, expect, test } from "vitest";
import { readTranscript } from "../../src/import/read.ts";
import { itemsOfDocument, itemsOfLines, itemsOfText, ofType, outline, usageIn } from "./items.ts";

const header = { sessionId: "s-1", projectHash: "abc", startTime: "2026-03-01T10:00:00.000Z", lastUpdated: "x" };
const time = "2026-03-01T10:00:05.000Z";

function asked(id: string, content: unknown) {
  return { id, timestamp: time, type: "user", content };
}

function answered(id: string, more: Readonly<Record<string, unknown>>) {
  return { id, timestamp: time, type: "gemini", content: "", model: "gemini-3-pro", ...more };
}

const tokens = { input: 100, output: 10, cached: 60, thoughts: 5, tool: 0, total: 115 };
const readCall = { id: "read-1", name: "read_file", args: { path: "a.txt", lines: [1, 2] }, status: "executing" };
const readDone = {
  ...readCall,
  status: "success",
  result: [{ functionResponse: { id: "read-1", name: "read_file", response: { output: "hello" } } }],
};

describe("a document of Gemini CLI", () => {
  const document = {
    ...header,
    messages: [
      asked("u1", "read a.txt"),
      answered("g1", {
        thoughts: [{ subject: "Reading", description: "The file first." }],
        toolCalls: [readDone],
        tokens,
      }),
      { id: "i1", timestamp: time, type: "info", content: "update available" },
      answered("g2", { content: "It says hello.", tokens: { ...tokens, input: 120, cached: 0, thoughts: 0 } }),
    ],
  };

  test("calls, their results and thoughts stand in the order in which the model saw them", async () => {
    expect(outline(await itemsOfDocument(document))).toEqual([
      "session",
      "typed: read a.txt",
      "request",
      "reasoning",
      "call read-1",
      "usage",
      "result read-1",
      "unknown",
      "request",
      "text: It says hello.",
      "usage",
    ]);
  });

  test("what was cached is a part of the input, thoughts stand beside the output", async () => {
    const items = await itemsOfDocument(document);
    expect(ofType(items, "usage")[0]?.usage).toMatchObject({ uncached: 40, cacheRead: 60, output: 15, reasoning: 5 });
    expect(usageIn(items)).toMatchObject({ uncached: 160, cacheRead: 60, output: 25 });
  });

  test("the call's input is spaced JSON and the result is its output", async () => {
    const items = await itemsOfDocument(document);
    expect(ofType(items, "call")[0]).toMatchObject({ tool: "read_file", input: '{"path": "a.txt", "lines": [1, 2]}' });
    expect(ofType(items, "result")[0]).toMatchObject({ text: "hello", failed: false, images: 0 });
    expect(ofType(items, "session")[0]).toMatchObject({ session: "s-1", at: Date.parse(header.startTime) });
  });

  test("a document in one line says the same", async () => {
    expect(await itemsOfText(JSON.stringify(document))).toEqual(await itemsOfDocument(document));
  });

  test("a call that failed is failed, and images of a message are counted", async () => {
    const error = {
      ...readDone,
      status: "error",
      result: [{ functionResponse: { response: { error: "no such file" } } }],
    };
    const image = { inlineData: { mimeType: "image/png", data: "aGk=" } };
    const messages = [asked("u1", [{ text: "look" }, image]), answered("g1", { toolCalls: [error], tokens: null })];
    const items = await itemsOfDocument({ ...header, messages });
    expect(ofType(items, "message")[0]).toMatchObject({ text: "look", images: 1 });
    expect(ofType(items, "result")[0]).toMatchObject({ text: "no such file", failed: true });
    expect(ofType(items, "usage")).toEqual([]);
    expect(ofType(items, "request")).toHaveLength(1);
  });

  test("a log of inputs is no session", async () => {
    const log = [{ sessionId: "s-1", messageId: 0, type: "user", message: "hi", timestamp: time }];
    const found = await readTranscript([new TextEncoder().encode(JSON.stringify(log, null, 2))]);
    expect(found.type).toBe("foreign");
  });
});

describe("lines of Gemini CLI", () => {
  test("a record that comes again is given out once, with what was added", async () => {
    const items = await itemsOfLines([
      header,
      asked("u1", "read a.txt"),
      answered("g1", { content: "I look." }),
      answered("g1", { content: "I look.", toolCalls: [readCall] }),
      { id: "i1", type: "info", timestamp: time, content: "…" },
      answered("g1", { content: "I look.", toolCalls: [readDone], tokens }),
      { $set: { lastUpdated: "later" } },
      answered("g2", { content: "Done.", tokens }),
    ]);
    expect(outline(items)).toEqual([
      "session",
      "typed: read a.txt",
      "request",
      "text: I look.",
      "call read-1",
      "unknown",
      "usage",
      "result read-1",
      "request",
      "text: Done.",
      "usage",
    ]);
  });

  test("going back takes away the message that is named and all after it", async () => {
    const items = await itemsOfLines([
      header,
      asked("u1", "one"),
      answered("g1", { content: "first", tokens }),
      asked("u2", "two"),
      answered("g2", { content: "second", tokens }),
      { $rewindTo: "u2" },
      asked("u3", "three"),
    ]);
    const [restart] = ofType(items, "restarted");
    const kept = restart?.keeps.flatMap(([from, to]) => outline(items.slice(from, to + 1)));
    expect(restart?.why).toBe("rewound");
    expect(kept).toEqual(["typed: one", "request", "text: first", "usage"]);
    expect(outline(items).at(-1)).toBe("typed: three");
  });

  test("going back to an unknown message clears all", async () => {
    const items = await itemsOfLines([header, asked("u1", "one"), { $rewindTo: "x" }, asked("u2", "two")]);
    expect(ofType(items, "restarted")[0]).toMatchObject({ why: "rewound", keeps: [] });
  });

  test("a context that is set anew is a compaction: its first new message is the summary, its copies are no calls", async () => {
    const kept = answered("g2", { content: "second", tokens });
    const items = await itemsOfLines([
      header,
      asked("u1", "one"),
      answered("g1", { content: "first", tokens }),
      asked("u2", "two"),
      kept,
      {
        $set: {
          messages: [
            asked("n1", "<state_snapshot>so far</state_snapshot>"),
            answered("n2", { content: "Got it." }),
            kept,
          ],
        },
      },
      asked("u3", "three"),
    ]);
    const [restart] = ofType(items, "restarted");
    expect(restart?.why).toBe("compacted");
    expect(restart?.keeps.flatMap(([from, to]) => outline(items.slice(from, to + 1)))).toEqual([
      "request",
      "text: second",
      "usage",
    ]);
    expect(outline(items).slice(-3)).toEqual([
      "summary: <state_snapshot>so far</state_snapshot>",
      "text: Got it.",
      "typed: three",
    ]);
    expect(ofType(items, "request")).toHaveLength(2);
  });

  test("a resumed session's copies have the keys of the calls they are copies of", async () => {
    const first = [asked("u1", "one"), answered("g1", { content: "first", tokens })];
    const original = await itemsOfLines([header, ...first]);
    const resumed = await itemsOfLines([
      { ...header, sessionId: "s-2" },
      { $set: { messages: first } },
      asked("u2", "two"),
    ]);
    expect(ofType(resumed, "restarted")).toEqual([]);
    expect(ofType(resumed, "usage").map((item) => item.key)).toEqual(ofType(original, "usage").map((item) => item.key));
  });

  test("a sub-agent's file is a lane of its own", async () => {
    const items = await itemsOfLines([{ ...header, kind: "subagent" }, asked("u1", "search")]);
    expect(new Set(items.map((item) => item.lane))).toEqual(new Set(["s-1"]));
  });
});

describe("records without an id", () => {
  const bare = ["one", "two"].map((content) => ({ timestamp: time, type: "gemini", content, tokens }));

  test("are each one of its own, in a document and in lines", async () => {
    const items = [await itemsOfDocument({ ...header, messages: bare }), await itemsOfLines([header, ...bare])];
    expect(items.map((some) => [ofType(some, "request").length, usageIn(some).output])).toEqual([
      [2, 30],
      [2, 30],
    ]);
  });
  test("are no copies of another session's", async () => {
    const other = { ...header, sessionId: "s-2" };
    const items = await Promise.all([header, other].map((head) => itemsOfLines([head, ...bare])));
    expect(new Set(items.flatMap((some) => ofType(some, "usage").map(({ key }) => key))).size).toBe(4);
  });
});
