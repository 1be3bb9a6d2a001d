import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import type { WireEvent } from "../../src/ports/model.ts";
import { geminiDecoder } from "../../src/provider/gemini/decoder.ts";

type Raw = Record<string, unknown>;
const event = (data: unknown): WireEvent => ({ type: "event", data });
const chunk = (parts: readonly Raw[], finishReason: string | null = null, rest: Raw = {}) =>
  event({
    candidates: [{ index: 0, content: { role: "model", parts }, ...(finishReason === null ? {} : { finishReason }) }],
    modelVersion: "gemini-4-argon",
    responseId: "r1",
    ...rest,
  });
const done = (reason = "STOP", rest: Raw = {}) => chunk([], reason, rest);

function run(events: readonly WireEvent[], isTaken?: (id: string) => boolean) {
  let tokens = 0;
  const decoder = geminiDecoder(() => `t${tokens++}`, isTaken);
  const deltas = events.flatMap((e) => decoder.push(e));
  return { deltas, end: decoder.end() };
}
function received(events: readonly WireEvent[], isTaken?: (id: string) => boolean) {
  const { end } = run(events, isTaken);
  if (end.type !== "received") throw new Error(JSON.stringify(end));
  return end;
}
function failed(events: readonly WireEvent[]) {
  const { end } = run(events);
  if (end.type !== "failed") throw new Error(JSON.stringify(end));
  return end;
}

describe("parts", () => {
  test("texts that the stream cut are joined; thoughts and text stay apart", () => {
    const events = [
      chunk([{ text: "h", thought: true }]),
      chunk([{ text: 'm"', thought: true }]),
      chunk([{ text: "a" }]),
      chunk([{ text: "b日" }, { text: "😀" }]),
      done(),
    ];
    const { deltas, end } = run(events);
    expect(end).toMatchObject({ type: "received", messageId: "r1", model: "gemini-4-argon", stop: "end-turn" });
    expect(received(events).blocks).toEqual([
      { type: "reasoning", text: 'hm"', wire: '{"text":"hm\\"","thought":true}' },
      { type: "text", text: "ab日😀", wire: '{"text":"ab日😀"}' },
    ]);
    expect(deltas).toEqual([
      { type: "reasoning", text: "h" },
      { type: "reasoning", text: 'm"' },
      { type: "text", text: "a" },
      { type: "text", text: "b日" },
      { type: "text", text: "😀" },
    ]);
  });

  test("C-025 · a part with a signature stands alone as it came, empty or not, and nothing is merged into it", () => {
    const blocks = received([
      chunk([{ text: "a" }]),
      chunk([{ text: "b", thoughtSignature: "S1" }]),
      chunk([{ text: "c" }]),
      chunk([{ text: "d" }]),
      chunk([{ text: "", thoughtSignature: "S2" }], "STOP"),
    ]).blocks;
    expect(blocks.map((block) => ("wire" in block ? block.wire : ""))).toEqual([
      '{"text":"a"}',
      '{"text":"b","thoughtSignature":"S1"}',
      '{"text":"cd"}',
      '{"text":"","thoughtSignature":"S2"}',
    ]);
  });

  test("an empty piece of text without a signature is no part", () => {
    expect(received([chunk([{ text: "" }]), chunk([{ text: "", thought: true }]), done()]).blocks).toEqual([]);
    expect(received([chunk([{ text: "a" }]), chunk([{ text: "" }], "STOP")]).blocks.length).toBe(1);
  });

  test("parts of other kinds, and texts with more members, go back as they came", () => {
    const parts = [
      { executableCode: { language: "PYTHON", code: "1" } },
      { text: "x", partMetadata: { a: 1 } },
      { inlineData: { mimeType: "image/png", data: "AA" } },
    ];
    const blocks = received([chunk([{ text: "a" }, ...parts, { text: "b" }]), done()]).blocks;
    expect(blocks.map(({ type }) => type)).toEqual(["text", "opaque", "text", "opaque", "text"]);
    expect(blocks.slice(1, 4).map((block) => ("wire" in block ? block.wire : ""))).toEqual(
      parts.map((one) => JSON.stringify(one)),
    );
  });

  test("half surrogate pairs become U+FFFD in what goes back", () => {
    expect(received([chunk([{ text: "a\ud83d" }]), done()]).blocks[0]).toMatchObject({ wire: '{"text":"a\ufffd"}' });
  });

  test("only the first candidate counts", () => {
    const two = event({
      candidates: [
        { index: 1, content: { parts: [{ text: "no" }] }, finishReason: "SAFETY" },
        { index: 0, content: { parts: [{ text: "yes" }] }, finishReason: "STOP" },
      ],
    });
    expect(received([two])).toMatchObject({ blocks: [{ text: "yes" }], stop: "end-turn" });
  });

  test("law 10 · too many parts in one response are a failure", () => {
    const parts = Array.from({ length: bounds.blocksPerResponseMax + 1 }, () => ({ executableCode: {} }));
    expect(failed([chunk(parts), done()]).failure.class).toBe("broken-stream");
  });
});

describe("C-023 · calls", () => {
  const callsIn = (events: readonly WireEvent[], isTaken?: (id: string) => boolean) =>
    received(events, isTaken).blocks.flatMap((b) => (b.type === "tool-call" ? [[b.callId, b.input, b.wire]] : []));

  test("a given id is kept; one of ours is not put into what a model gave without", () => {
    const events = [
      chunk([{ functionCall: { id: "c1", name: "Read", args: { b: 1, a: [1.5] } }, thoughtSignature: "S" }]),
      chunk([{ functionCall: { name: "Read", args: {} } }, { functionCall: { name: "Read" } }]),
      done(),
    ];
    expect(callsIn(events)).toEqual([
      [
        "c1",
        '{"b":1,"a":[1.5]}',
        '{"functionCall":{"id":"c1","name":"Read","args":{"b":1,"a":[1.5]}},"thoughtSignature":"S"}',
      ],
      ["t0", "{}", '{"functionCall":{"name":"Read","args":{}}}'],
      ["t1", "{}", '{"functionCall":{"name":"Read"}}'],
    ]);
    expect(received(events).stop).toBe("tool-use");
    expect(run(events).deltas).toEqual(Array(3).fill({ type: "call-start", tool: "Read" }));
  });

  test("an empty id is none; one that is used or known gives way to a new one in the log, while the part stays as it came", () => {
    const named = (id: string) => ({ functionCall: { id, name: "Read", args: {} }, thoughtSignature: `S${id}` });
    const parts = [named("a"), named("a"), named("old"), named("")];
    const calls = callsIn([chunk(parts), done()], (id) => id === "old");
    expect(calls.map(([id]) => id)).toEqual(["a", "t0", "t1", "t2"]);
    expect(calls.map(([, , wire]) => wire)).toEqual(parts.map((one) => JSON.stringify(one)));
  });

  test("arguments that are no object stay for the agent to see and go back as {}; an empty name becomes one", () => {
    const odd = (name: unknown, args: unknown) => ({ functionCall: { name, args } });
    const blocks = received([chunk([odd("a b", [1]), odd("", "x"), odd("9", null)]), done()]).blocks;
    expect(blocks.map((b) => (b.type === "tool-call" ? [b.tool, b.input, JSON.parse(String(b.wire))] : null))).toEqual([
      ["a b", "[1]", { functionCall: { name: "a b", args: {} } }],
      ["unnamed", '"x"', { functionCall: { name: "unnamed", args: {} } }],
      ["9", "{}", { functionCall: { name: "9", args: {} } }],
    ]);
  });
});

describe("how it ends", () => {
  test.each([
    ["STOP", "end-turn"],
    ["MAX_TOKENS", "output-limit"],
    ["SAFETY", "refusal"],
    ["RECITATION", "refusal"],
    ["PROHIBITED_CONTENT", "refusal"],
    ["BLOCKLIST", "refusal"],
    ["SPII", "refusal"],
    ["OTHER", "unknown"],
    ["constructor", "unknown"],
  ])("%s is %s", (reason, stop) => {
    expect(received([chunk([{ text: "a" }]), done(reason)]).stop).toBe(stop);
  });

  test.each(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"])("%s is a failure that is tried again", (reason) => {
    const end = failed([
      event({ candidates: [{ finishReason: reason, finishMessage: "Malformed function call: print(1)" }] }),
    ]);
    expect(end.failure).toMatchObject({ class: "server", message: `${reason}: Malformed function call: print(1)` });
  });

  test("a blocked prompt is a refusal, and says why", () => {
    const end = received([
      event({
        promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
        usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
      }),
    ]);
    expect(end).toMatchObject({ stop: "refusal", blocks: [], usage: { uncached: 7, output: 0 } });
    expect(end.report).toBe('{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}');
  });

  test("a stream without a finish reason is broken, and what was shown is kept", () => {
    expect(failed([chunk([{ text: "t", thought: true }, { text: "par" }]), chunk([{ text: "tial" }])])).toMatchObject({
      failure: { class: "broken-stream" },
      partial: "partial",
    });
    expect(failed([])).toMatchObject({ failure: { class: "broken-stream" }, partial: "" });
  });

  test("an error inside the stream is classified by its own words", () => {
    const error = { code: 503, status: "UNAVAILABLE", message: "The model is overloaded." };
    expect(failed([chunk([{ text: "a" }]), event({ error })])).toMatchObject({
      failure: { class: "overloaded", status: 503 },
      partial: "a",
    });
  });

  test("usage: the prompt holds what was read, thoughts are counted beside the answer; the newest report stands", () => {
    const usageMetadata = {
      promptTokenCount: 1000,
      cachedContentTokenCount: 900,
      toolUsePromptTokenCount: 5,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 30,
      totalTokenCount: 1055,
    };
    const events = [
      chunk([{ text: "a" }], null, { usageMetadata: { promptTokenCount: 1000 } }),
      done("STOP", { usageMetadata }),
    ];
    expect(received(events).usage).toEqual({
      uncached: 105,
      cacheRead: 900,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      cacheWriteOther: 0,
      output: 50,
      reasoning: 30,
    });
    expect(
      received([done("STOP", { usageMetadata: { promptTokenCount: 5, cachedContentTokenCount: 9 } })]).usage,
    ).toMatchObject({
      uncached: 0,
      cacheRead: 9,
    });
    expect(received([done()]).usage).toBeNull();
  });

  test("odd chunks are passed over", () => {
    const odd = [
      null,
      7,
      "x",
      [],
      {},
      { candidates: {} },
      { candidates: [null, 7] },
      { candidates: [{ content: { parts: "x" } }] },
    ];
    expect(received([...odd.map(event), chunk([{ text: "a" }], "STOP")]).blocks.length).toBe(1);
  });
});
