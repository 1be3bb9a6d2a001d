import { describe, expect, test } from "vitest";
import type { WireEvent } from "../../src/ports/model.ts";
import { chatDecoder } from "../../src/provider/chat/decoder.ts";

type Raw = Record<string, unknown>;
const event = (data: unknown): WireEvent => ({ type: "event", data });
const chunk = (delta: Raw, finish_reason: string | null = null, rest: Raw = {}) =>
  event({ id: "c1", model: "m", choices: [{ index: 0, delta, finish_reason }], ...rest });
const done = (reason = "stop") => chunk({}, reason);
const calls = (...tool_calls: Raw[]) => chunk({ tool_calls });
const call = (index: number | undefined, id: string | undefined, name: string | undefined, args?: unknown) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id, type: "function" }),
  function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
});

function run(events: readonly WireEvent[], isTaken?: (id: string) => boolean) {
  let tokens = 0;
  const decoder = chatDecoder(() => `t${tokens++}`, isTaken);
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
const madeCalls = (events: readonly WireEvent[]) =>
  received([...events, done("tool_calls")]).blocks.flatMap((b) =>
    b.type === "tool-call" ? [[b.callId, b.tool, b.input]] : [],
  );

describe("text and reasoning", () => {
  test("DeepSeek's reasoning_content goes back under its name, before the text", () => {
    const got = received([
      chunk({ role: "assistant", content: "", reasoning_content: "" }),
      chunk({ reasoning_content: "h" }),
      chunk({ reasoning_content: 'm"' }),
      chunk({ content: "a" }),
      chunk({ content: "b", reasoning_content: null }),
      done(),
    ]);
    expect(got.blocks).toEqual([
      { type: "reasoning", text: 'hm"', wire: '{"reasoning_content":"hm\\""}' },
      { type: "text", text: "ab", wire: '"ab"' },
    ]);
    expect(got).toMatchObject({ messageId: "c1", model: "m", stop: "end-turn" });
  });

  test("content in parts is read, thinking parts as reasoning", () => {
    const { deltas } = run([
      chunk({
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "t" }] },
          { type: "text", text: "x" },
        ],
      }),
    ]);
    expect(deltas).toEqual([
      { type: "reasoning", text: "t" },
      { type: "text", text: "x" },
    ]);
  });

  test("only the first choice counts", () => {
    const other = event({
      choices: [
        { index: 1, delta: { content: "no" }, finish_reason: "length" },
        { index: 0, delta: { content: "yes" }, finish_reason: "stop" },
      ],
    });
    expect(received([other]).blocks).toMatchObject([{ text: "yes" }]);
  });

  test("a refusal is shown and ends as one", () => {
    expect(received([chunk({ refusal: "I can't" }), done()])).toMatchObject({
      stop: "refusal",
      blocks: [{ text: "I can't" }],
    });
  });
});

describe("tool calls", () => {
  test.each([
    [
      "arguments split anywhere",
      [
        calls(call(0, "a", "Read", "")),
        calls(call(0, undefined, undefined, '{"p"')),
        calls(call(0, undefined, undefined, ':"😀'), call(1, "b", "Grep", "{")),
        calls(call(1, undefined, undefined, "}"), call(0, undefined, undefined, '"}')),
      ],
      [
        ["a", "Read", '{"p":"😀"}'],
        ["b", "Grep", "{}"],
      ],
    ],
    [
      "id and name repeated in every piece",
      [calls(call(0, "a", "Read", '{"p"')), calls(call(0, "a", "Read", ":1}"))],
      [["a", "Read", '{"p":1}']],
    ],
    [
      "all calls with index 0",
      [calls(call(0, "a", "Read", "{}")), calls(call(0, "b", "Grep", "{}"))],
      [
        ["a", "Read", "{}"],
        ["b", "Grep", "{}"],
      ],
    ],
    [
      "no index, whole calls",
      [calls(call(undefined, "a", "Read", "{}"), call(undefined, "b", "Grep", "{}"))],
      [
        ["a", "Read", "{}"],
        ["b", "Grep", "{}"],
      ],
    ],
    [
      "no index, pieces",
      [calls(call(undefined, "a", "Read", "{")), calls(call(undefined, undefined, undefined, "}"))],
      [["a", "Read", "{}"]],
    ],
    ["arguments as an object", [calls(call(0, "a", "Read", { p: 1 }))], [["a", "Read", '{"p":1}']]],
    ["no arguments", [calls(call(0, "a", "Read"))], [["a", "Read", "{}"]]],
    [
      "the old function_call",
      [chunk({ function_call: { name: "Read", arguments: "{" } }), chunk({ function_call: { arguments: "}" } })],
      [["t0", "Read", "{}"]],
    ],
    ["a name in two pieces", [calls(call(0, "a", "Re")), calls(call(0, undefined, "ad", "{}"))], [["a", "Read", "{}"]]],
  ] as const)("%s", (_name, events, want) => {
    expect(madeCalls(events)).toEqual(want);
  });

  test("C-023 · empty, missing, repeated and taken ids are replaced in the call's bytes too", () => {
    const got = received(
      [
        calls(
          call(0, "", "A", "{}"),
          call(1, undefined, "B", "{}"),
          call(2, "x", "C", "{}"),
          call(3, "x", "D", "{}"),
          call(4, "call_0", "E", "{}"),
        ),
        done("tool_calls"),
      ],
      (id) => id === "call_0",
    );
    const ids = got.blocks.map((b) => (b.type === "tool-call" ? b.callId : ""));
    expect(new Set(ids).size).toBe(5);
    expect(ids).not.toContain("");
    expect(ids).not.toContain("call_0");
    expect(got.blocks.map((b) => JSON.parse(String(b.wire)).id)).toEqual(ids);
  });

  test("an input that is no JSON object is kept as text, and what goes back carries {}", () => {
    const got = received([calls(call(0, "a", "Read", '{"p": "cut')), done("length")]);
    expect(got.blocks).toEqual([
      {
        type: "tool-call",
        callId: "a",
        tool: "Read",
        input: '{"p": "cut',
        wire: '{"id":"a","type":"function","function":{"name":"Read","arguments":"{}"}}',
      },
    ]);
    expect(got.stop).toBe("output-limit");
  });

  test("members we do not know go back with the call", () => {
    const got = received([
      calls({ ...call(0, "a", "Read", "{}"), extra_content: { google: { thought_signature: "s" } } }),
      done("tool_calls"),
    ]);
    expect(JSON.parse(String(got.blocks[0]?.wire))).toMatchObject({
      id: "a",
      extra_content: { google: { thought_signature: "s" } },
    });
  });
});

describe("the end", () => {
  test.each([
    ["stop", "end-turn"],
    ["tool_calls", "tool-use"],
    ["length", "output-limit"],
    ["content_filter", "refusal"],
    ["new_reason", "unknown"],
  ])("finish reason %s is %s", (raw, ours) => {
    expect(received([chunk({ content: "x" }), done(raw)]).stop).toBe(ours);
  });

  test("stop with tool calls is a tool use", () => {
    expect(received([calls(call(0, "a", "Read", "{}")), done("stop")]).stop).toBe("tool-use");
  });

  test.each([
    [
      "a chunk with empty choices",
      [
        done(),
        event({
          choices: [],
          usage: {
            prompt_tokens: 100,
            completion_tokens: 9,
            prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
            completion_tokens_details: { reasoning_tokens: 4 },
          },
        }),
      ],
      { uncached: 30, cacheRead: 60, cacheWriteOther: 10, output: 9, reasoning: 4 },
    ],
    [
      "the last choice chunk",
      [chunk({}, "stop", { usage: { prompt_tokens: 10, completion_tokens: 2 } })],
      { uncached: 10, cacheRead: 0, output: 2 },
    ],
    [
      "DeepSeek's hits and misses",
      [
        done(),
        event({
          choices: [],
          usage: {
            prompt_tokens: 100,
            prompt_cache_hit_tokens: 64,
            prompt_cache_miss_tokens: 36,
            completion_tokens: 1,
          },
        }),
      ],
      { uncached: 36, cacheRead: 64 },
    ],
    [
      "running counts, null in between",
      [
        chunk({ content: "a" }, null, { usage: { prompt_tokens: 5, completion_tokens: 1 } }),
        chunk({}, "stop", { usage: null }),
        event({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 3 } }),
      ],
      { uncached: 5, output: 3 },
    ],
  ] as const)("usage in %s", (_name, events, want) => {
    expect(received(events).usage).toMatchObject(want);
  });

  test("no usage is null", () => {
    expect(received([chunk({ content: "x" }), done()]).usage).toBeNull();
  });

  test("a stream without a finish reason is broken; what was shown is kept apart", () => {
    expect(failed([chunk({ content: "half" })])).toMatchObject({
      failure: { class: "broken-stream" },
      partial: "half",
    });
  });

  test("an error object in the stream is classified, by its code or its words", () => {
    expect(
      failed([chunk({ content: "x" }), event({ error: { code: "context_length_exceeded", message: "too long" } })])
        .failure.class,
    ).toBe("overflow");
    expect(failed([event({ error: { code: 502, message: "Bad gateway" } })]).failure).toMatchObject({
      class: "server",
      status: 502,
    });
    expect(failed([event({ error: "boom" })]).failure).toMatchObject({ class: "server", message: "boom" });
  });

  test("odd events change nothing", () => {
    expect(
      received([
        event(null),
        event([]),
        event({ choices: {} }),
        event({ choices: [null] }),
        chunk({ content: 7, tool_calls: "x" }),
        chunk({ content: "x" }),
        done(),
      ]).blocks,
    ).toMatchObject([{ text: "x" }]);
  });
});
