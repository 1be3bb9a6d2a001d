import { describe, expect, test } from "vitest";
import type { Item, ItemBody } from "../../src/import/transcript.ts";
import { noUsage } from "../../src/kernel/usage.ts";
import { chars4 } from "../../src/replay/count.ts";
import { record } from "../../src/replay/record.ts";
import type { Recording } from "../../src/replay/recording.ts";

const item = (body: ItemBody, at: number | null = null, lane = "main"): Item => ({ line: 1, at, lane, ...body });
const typed = (text: string, at: number | null = null) => item({ type: "message", from: "typed", text, images: 0 }, at);
const request = (name: string, at: number | null = null) => item({ type: "request", request: name, model: "m" }, at);
const said = (name: string | null, text: string) => item({ type: "text", request: name, text });
const call = (name: string, callId: string) =>
  item({ type: "call", request: name, callId, tool: "Read", input: '{"path": "a"}' });
const result = (callId: string, text = `result of ${callId}`, at: number | null = null) =>
  item({ type: "result", callId, tool: null, text, failed: false, images: 0 }, at);
const usage = (name: string, uncached: number, known: "all" | "output" = "all") =>
  item({ type: "usage", request: name, usage: { ...noUsage, uncached }, known, key: name });
const restarted = (...keeps: readonly (readonly [number, number])[]) =>
  item({ type: "restarted", why: "compacted", by: "auto", keeps });

const of = (...items: readonly Item[]): Recording => {
  const made = record({ session: "s", items, tokensOf: chars4 });
  if (made.type !== "recorded") throw new Error(made.why);
  return made.recording;
};
const texts = (recording: Recording) =>
  recording.calls.map(({ before, answer }) => [before.map(({ text }) => text), answer.map(({ text }) => text)]);

describe("a recording is the calls as the model had them", () => {
  test("an answer's blocks stand together, even where results stand between them in the file", () => {
    const recording = of(
      typed("go"),
      request("r1"),
      said("r1", "both"),
      call("r1", "c1"),
      result("c1"),
      call("r1", "c2"),
      result("c2"),
      usage("r1", 10),
      request("r2"),
      said("r2", "done"),
      usage("r2", 20),
    );
    expect(texts(recording)).toEqual([
      [["go"], ["both", '{"path": "a"}', '{"path": "a"}']],
      [["result of c1", "result of c2"], ["done"]],
    ]);
    expect(recording.calls[1]?.before[0]).toMatchObject({ kind: "tool-result", callId: "c1", tool: "Read" });
    expect(recording.calls.flatMap(({ before, answer }) => [...before, ...answer]).map(({ id }) => id)).toEqual([
      0, 1, 2, 3, 4, 5, 6,
    ]);
  });

  test("a request without a report is no call, and its answer stands in front of the next", () => {
    const recording = of(
      typed("go"),
      request("r1"),
      said("r1", "cut off"),
      usage("r1", 0),
      typed("again"),
      said(null, "a notice"),
      request("r2"),
      said("r2", "done"),
      usage("r2", 20),
      usage("r2", 30),
    );
    expect(texts(recording)).toEqual([[["go", "cut off", "again", "a notice"], ["done"]]]);
    expect(recording.calls[0]?.usage.uncached).toBe(30);
  });

  test("a session without reports of the prompt is none, and says so", () => {
    const items = [typed("go"), request("r1"), said("r1", "x"), usage("r1", 0, "output")];
    expect(record({ session: "s", items, tokensOf: chars4 })).toMatchObject({ type: "no-usage" });
  });

  test("lines of sub-agents and blocks without text are left out", () => {
    const recording = of(
      typed(""),
      typed("go"),
      item({ type: "message", from: "typed", text: "theirs", images: 0 }, null, "agent-1"),
      request("r1"),
      item({ type: "reasoning", request: "r1", text: "", opaqueChars: 900 }),
      said("r1", "x"),
      usage("r1", 10),
    );
    expect(texts(recording)).toEqual([[["go"], ["x"]]]);
  });

  test("a call begins at the newest time before its answer", () => {
    const recording = of(typed("go", 1_000), request("r1", 9_000), said("r1", "x"), usage("r1", 10));
    expect(recording.calls[0]?.at).toBe(1_000);
  });

  test("the head is what the first report holds more than the messages, within 3,000 and 60,000", () => {
    const first = (tokens: number) => of(typed("x".repeat(400)), request("r"), said("r", "y"), usage("r", tokens));
    expect([200, 20_100, 900_000].map((tokens) => first(tokens).headTokens)).toEqual([3_000, 20_000, 60_000]);
  });
});

describe("where the context began anew", () => {
  test("kept blocks are the same blocks, the others and what no call had seen are gone", () => {
    const recording = of(
      typed("go"), // 0
      request("r1"),
      said("r1", "kept answer"), // 2
      usage("r1", 10),
      typed("never sent"),
      restarted([2, 2]),
      item({ type: "message", from: "summary", text: "the summary", images: 0 }),
      request("r2"),
      said("r2", "y"),
      usage("r2", 10),
    );
    const [first, second] = recording.calls;
    expect(second?.restart?.kept[0]).toBe(first?.answer[0]);
    expect(second?.restart?.kept).toHaveLength(1);
    expect(second?.before).toMatchObject([{ kind: "summary", role: "user", text: "the summary" }]);
  });

  test("a replay begins again from the summary; what else a compaction writes down is read where it is asked for", () => {
    const items = [
      typed("go"),
      request("r1"),
      said("r1", "x"),
      usage("r1", 10),
      item({ type: "restarted", why: "compacted", by: null, keeps: [], retells: 3 }),
      typed("go"),
      said(null, "x"),
      item({ type: "message", from: "summary", text: "the summary", images: 0 }),
      typed("next"),
      request("r2"),
      said("r2", "y"),
      usage("r2", 10),
    ];
    const secondPrompt = (retold: "read" | "left-out") => {
      const made = record({ session: "s", items, tokensOf: chars4, retold });
      return made.type === "recorded" ? made.recording.calls[1]?.before.map(({ text }) => text) : [];
    };
    expect(secondPrompt("left-out")).toEqual(["the summary", "next"]);
    expect(secondPrompt("read")).toEqual(["go", "x", "the summary", "next"]);
  });

  test("a restart before a request without a report belongs to the next call", () => {
    const recording = of(
      typed("go"),
      request("r1"),
      said("r1", "x"),
      usage("r1", 10),
      restarted(),
      request("r2"),
      said("r2", "cut off"),
      typed("again"),
      request("r3"),
      said("r3", "y"),
      usage("r3", 10),
    );
    expect(recording.calls[1]?.restart?.kept).toEqual([]);
    expect(texts(recording)[1]).toEqual([["cut off", "again"], ["y"]]);
  });
});
