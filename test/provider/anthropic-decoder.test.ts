import { describe, expect, test } from "vitest";
import type { WireEvent } from "../../src/ports/model.ts";
import { anthropicDecoder } from "../../src/provider/anthropic/decoder.ts";

type Raw = Record<string, unknown>;
const event = (data: Raw): WireEvent => ({ type: "event", data });
const start = (message: Raw = {}) =>
  event({
    type: "message_start",
    message: { id: "msg_1", model: "claude-x", usage: { input_tokens: 5, output_tokens: 1 }, ...message },
  });
const open = (index: number, content_block: Raw) => event({ type: "content_block_start", index, content_block });
const delta = (index: number, d: Raw) => event({ type: "content_block_delta", index, delta: d });
const close = (index: number) => event({ type: "content_block_stop", index });
const finish = (stop_reason: string, usage: Raw = {}) =>
  event({ type: "message_delta", delta: { stop_reason }, usage });
const stop = event({ type: "message_stop" });
const block = (index: number, content_block: Raw, ...deltas: Raw[]) => [
  open(index, content_block),
  ...deltas.map((d) => delta(index, d)),
  close(index),
];

function run(events: readonly WireEvent[], isTaken?: (id: string) => boolean) {
  let tokens = 0;
  const decoder = anthropicDecoder(() => `t${tokens++}`, isTaken);
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

const call =
  (id: string, ...json: string[]) =>
  (index: number) =>
    block(
      index,
      { type: "tool_use", id, name: "Read", input: {} },
      ...json.map((partial_json) => ({ type: "input_json_delta", partial_json })),
    );

describe("blocks come back as they were sent", () => {
  test("C-025 · thinking with its signature, redacted thinking, empty text and call keep order and bytes", () => {
    const got = received([
      start(),
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "hm" },
        { type: "thinking_delta", thinking: "m" },
        { type: "signature_delta", signature: "S1" },
      ),
      ...block(1, { type: "redacted_thinking", data: "D1" }),
      ...block(2, { type: "text", text: "" }),
      ...block(3, { type: "text", text: "" }, { type: "text_delta", text: "go" }),
      ...call("toolu_1", '{"b": 1.0,', '"1":"\\u00e9"}')(4),
      finish("tool_use"),
      stop,
    ]);
    expect(got.blocks.map((b) => b.wire)).toEqual([
      '{"type":"thinking","thinking":"hmm","signature":"S1"}',
      '{"type":"redacted_thinking","data":"D1"}',
      '{"type":"text","text":""}',
      '{"type":"text","text":"go"}',
      '{"type":"tool_use","id":"toolu_1","name":"Read","input":{"b": 1.0,"1":"\\u00e9"}}',
    ]);
    expect(got.blocks.map((b) => b.type)).toEqual(["reasoning", "reasoning", "text", "text", "tool-call"]);
    expect(got.stop).toBe("tool-use");
  });

  test("blocks of unknown type, and a server's tool use with its streamed input, are opaque and whole", () => {
    const got = received([
      start(),
      ...block(0, { type: "fallback", from: { m: [1] } }),
      ...block(
        1,
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
        { type: "input_json_delta", partial_json: '{"q":"x"}' },
      ),
      ...block(
        2,
        { type: "server_tool_use", id: "srvtoolu_2", name: "w", input: {} },
        { type: "input_json_delta", partial_json: '{"q":' },
      ),
      ...block(3, { type: "compaction" }, { type: "compaction_delta", content: "sum" }),
      ...block(
        4,
        { type: "text", text: "" },
        { type: "text_delta", text: "c" },
        { type: "citations_delta", citation: { a: 1 } },
      ),
      finish("end_turn"),
      stop,
    ]);
    expect(got.blocks.map((b) => b.wire)).toEqual([
      '{"type":"fallback","from":{"m":[1]}}',
      '{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"q":"x"}}',
      '{"type":"server_tool_use","id":"srvtoolu_2","name":"w","input":{}}',
      '{"type":"compaction","content":"sum"}',
      '{"type":"text","text":"c","citations":[{"a":1}]}',
    ]);
  });

  test("an input without any delta is {}, or what the start brought", () => {
    const got = received([
      start(),
      ...call("a")(0),
      ...call("b", "")(1),
      ...block(2, { type: "tool_use", id: "c", name: "Read", input: { path: "x" } }),
      ...block(3, { type: "tool_use", id: "d", name: "Read" }),
      finish("tool_use"),
      stop,
    ]);
    expect(got.blocks.map((b) => (b.type === "tool-call" ? b.input : null))).toEqual([
      "{}",
      "{}",
      '{"path":"x"}',
      "{}",
    ]);
    expect(got.blocks.map((b) => b.wire).at(-1)).toBe('{"type":"tool_use","id":"d","name":"Read","input":{}}');
  });

  test("an input that is no JSON object is kept as text, and what goes back carries {}", () => {
    for (const input of ['{"path": "a', "[1]", '"x"', "nonsense"]) {
      const [only] = received([start(), ...call("a", input)(0), finish("tool_use"), stop]).blocks;
      expect(only).toEqual({
        type: "tool-call",
        callId: "a",
        tool: "Read",
        input,
        wire: '{"type":"tool_use","id":"a","name":"Read","input":{}}',
      });
    }
  });

  test("a half surrogate pair that a cut stream left is not sent back, a pair split over two deltas is whole", () => {
    const got = received([
      start(),
      ...block(
        0,
        { type: "text", text: "" },
        { type: "text_delta", text: "a\ud83d" },
        { type: "text_delta", text: "\ude00 \ud83d" },
      ),
      ...call("a", '{"p":"\\ud83d", "n":1.0}')(1),
      ...call("b", '{"p":"\\ud83d\\ude00", "n":1.0}')(2),
      finish("tool_use"),
      stop,
    ]);
    expect(got.blocks.map((b) => b.wire)).toEqual([
      '{"type":"text","text":"a😀 \ufffd"}',
      '{"type":"tool_use","id":"a","name":"Read","input":{"p":"\ufffd","n":1}}',
      '{"type":"tool_use","id":"b","name":"Read","input":{"p":"\\ud83d\\ude00", "n":1.0}}',
    ]);
  });

  test("C-023 · empty, missing, repeated, taken and illegal ids are replaced, in the block's bytes too", () => {
    const got = received(
      [
        start(),
        ...call("")(0),
        ...block(1, { type: "tool_use", name: "Read", input: {} }),
        ...call("same")(2),
        ...call("same")(3),
        ...call("old")(4),
        ...call("functions.Read:0")(5),
        finish("tool_use"),
        stop,
      ],
      (id) => id === "old",
    );
    const ids = got.blocks.map((b) => (b.type === "tool-call" ? b.callId : ""));
    expect(new Set(ids).size).toBe(6);
    for (const [index, b] of got.blocks.entries()) {
      expect(ids[index]).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(JSON.parse(String(b.wire)).id).toBe(ids[index]);
    }
    expect(ids[2]).toBe("same");
  });
});

describe("events", () => {
  test("pings, unknown events and unknown deltas change nothing", () => {
    const noise = [
      event({ type: "ping" }),
      event({ type: "from_the_future", x: 1 }),
      event({}),
      event({ type: "toString" }),
      { type: "event", data: 7 } as const,
    ];
    const got = received([
      ...noise,
      start(),
      ...noise,
      open(0, { type: "text", text: "" }),
      delta(0, { type: "what_delta", text: "no" }),
      delta(0, { type: "text_delta", text: "yes" }),
      ...noise,
      close(0),
      finish("end_turn"),
      stop,
      ...noise,
    ]);
    expect(got.blocks).toMatchObject([{ type: "text", text: "yes" }]);
  });

  test("blocks may be interleaved by index", () => {
    const got = received([
      start(),
      open(0, { type: "text", text: "" }),
      open(1, { type: "text", text: "" }),
      delta(1, { type: "text_delta", text: "b" }),
      delta(0, { type: "text_delta", text: "a" }),
      close(1),
      close(0),
      finish("end_turn"),
      stop,
    ]);
    expect(got.blocks).toMatchObject([{ text: "a" }, { text: "b" }]);
  });

  test("text, reasoning and the start of calls are told as they come", () => {
    const { deltas } = run([
      start(),
      ...block(0, { type: "thinking", thinking: "" }, { type: "thinking_delta", thinking: "t" }),
      ...block(1, { type: "text", text: "" }, { type: "text_delta", text: "x" }),
      ...call("a", "{}")(2),
    ]);
    expect(deltas).toEqual([
      { type: "reasoning", text: "t" },
      { type: "text", text: "x" },
      { type: "call-start", tool: "Read" },
    ]);
  });

  test("usage is cumulative over several message_delta, and writes are split by lifetime", () => {
    const got = received([
      start({
        usage: {
          input_tokens: 3,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 60,
          cache_creation: { ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 15 },
          output_tokens: 1,
        },
      }),
      event({ type: "message_delta", delta: {}, usage: { output_tokens: 7, input_tokens: null } }),
      finish("max_tokens", { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } }),
      stop,
    ]);
    expect(got.usage).toEqual({
      uncached: 3,
      cacheRead: 100,
      cacheWrite5m: 40,
      cacheWrite1h: 15,
      cacheWriteOther: 5,
      output: 9,
      reasoning: 4,
    });
    expect(got.stop).toBe("output-limit");
  });

  test("no usage at all is null, not zero", () => {
    expect(received([start({ usage: {} }), finish("end_turn"), stop]).usage).toBeNull();
  });

  test("diagnostics, dropped blocks and applied edits are kept in the report", () => {
    const got = received([
      start({
        diagnostics: { cache_miss_reason: { type: "tools_changed" } },
        input_transformations: [{ type: "thinking_dropped" }],
      }),
      event({
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: {},
        context_management: { applied_edits: [] },
      }),
      stop,
    ]);
    expect(JSON.parse(got.report ?? "")).toEqual({
      diagnostics: { cache_miss_reason: { type: "tools_changed" } },
      input_transformations: [{ type: "thinking_dropped" }],
      context_management: { applied_edits: [] },
    });
    expect(received([start(), finish("end_turn"), stop]).report).toBeNull();
  });

  test.each([
    ["nothing applied", [], undefined],
    [
      "one edit",
      [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 3, cleared_input_tokens: 9_000 }],
      { results: 3, tokens: 9_000 },
    ],
    [
      "two, one of thinking",
      [
        { type: "clear_thinking_20251015", cleared_thinking_turns: 2, cleared_input_tokens: 500 },
        { type: "clear_tool_uses_20250919", cleared_tool_uses: 1, cleared_input_tokens: 1_000 },
      ],
      { results: 1, tokens: 1_500 },
    ],
    ["what is no count", [{ cleared_tool_uses: "3", cleared_input_tokens: -1 }, "odd"], undefined],
    ["another type", "odd", undefined],
  ])("what the service cleared by itself is told by its report (PROTOCOLS A.4): %s", (_name, applied_edits, want) => {
    const last = { type: "message_delta", delta: { stop_reason: "end_turn" }, context_management: { applied_edits } };
    expect(received([start(), event(last), stop]).cleared).toEqual(want);
    expect(received([start({ context_management: { applied_edits } }), finish("end_turn"), stop]).cleared).toEqual(
      want,
    );
  });

  test.each([
    ["end_turn", "end-turn"],
    ["tool_use", "tool-use"],
    ["max_tokens", "output-limit"],
    ["model_context_window_exceeded", "window-exceeded"],
    ["refusal", "refusal"],
    ["pause_turn", "pause"],
    ["stop_sequence", "stop-sequence"],
    ["constructor", "unknown"],
  ])("stop reason %s is %s", (raw, ours) => {
    expect(received([start(), finish(raw), stop]).stop).toBe(ours);
  });
});

describe("failures", () => {
  test("a stream that ends before message_stop is broken, and what was shown is kept apart", () => {
    const end = failed([
      start(),
      open(0, { type: "text", text: "" }),
      delta(0, { type: "text_delta", text: "half" }),
      finish("end_turn"),
    ]);
    expect(end).toMatchObject({ failure: { class: "broken-stream" }, partial: "half" });
    expect(failed([])).toMatchObject({ failure: { class: "broken-stream" }, partial: "" });
  });

  test("an error inside the stream is classified by its type", () => {
    const end = failed([
      start(),
      event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
      stop,
    ]);
    expect(end.failure).toMatchObject({ class: "overloaded", status: null, message: "Overloaded" });
  });

  test("an HTTP error and a network error end the attempt", () => {
    const http = {
      type: "http-error",
      status: 429,
      headers: { "retry-after": "7" },
      body: { error: { type: "rate_limit_error", message: "m" } },
    } as const;
    expect(failed([http]).failure).toMatchObject({ class: "rate-limited", retryAfterMs: 7000 });
    expect(failed([start(), { type: "network-error", message: "reset", timedOut: false }]).failure.class).toBe(
      "network",
    );
    expect(failed([start(), { type: "network-error", message: "idle", timedOut: true }]).failure.class).toBe("timeout");
  });

  test("more blocks than a response may have ends the attempt", () => {
    const many = Array.from({ length: 1001 }, (_, index) => open(index, { type: "text", text: "" }));
    expect(failed([start(), ...many, finish("end_turn"), stop]).failure).toMatchObject({ class: "broken-stream" });
  });
});
