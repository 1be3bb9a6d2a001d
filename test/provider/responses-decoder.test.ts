import { describe, expect, test } from "vitest";
import type { WireEvent } from "../../src/ports/model.ts";
import { responsesDecoder } from "../../src/provider/responses/decoder.ts";

type Raw = Record<string, unknown>;
const event = (type: string, rest: Raw = {}): WireEvent => ({ type: "event", data: { type, ...rest } });
const added = (output_index: number, item: Raw) => event("response.output_item.added", { output_index, item });
const finished = (output_index: number, item: Raw) => event("response.output_item.done", { output_index, item });
const whole = (response: Raw = {}, type = "response.completed") =>
  event(type, { response: { id: "resp_1", model: "gpt-6.2-sol", ...response } });
const text = (delta: string) => event("response.output_text.delta", { delta, output_index: 0 });

const reasoning = {
  id: "rs_1",
  type: "reasoning",
  summary: [
    { type: "summary_text", text: "First" },
    { type: "summary_text", text: "then" },
  ],
  encrypted_content: "gAAA",
};
const said = (...content: Raw[]) => ({ id: "msg_1", type: "message", status: "completed", content, role: "assistant" });
const output = (text: string) => ({ type: "output_text", annotations: [], logprobs: [], text });
const call = (call_id: string | undefined, args = "{}", name = "Read") => ({
  id: "fc_1",
  type: "function_call",
  status: "completed",
  arguments: args,
  ...(call_id === undefined ? {} : { call_id }),
  name,
});

function run(events: readonly WireEvent[], isTaken?: (id: string) => boolean) {
  let tokens = 0;
  const decoder = responsesDecoder(() => `t${tokens++}`, isTaken);
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

describe("items", () => {
  test("reasoning, text and calls go back as they came, in the order of their indexes", () => {
    const message = { ...said(output("hi")), phase: "commentary" };
    const one = call("call_a", '{"p": 1.0}');
    const got = received([finished(2, one), finished(0, reasoning), finished(1, message), whole()]);
    expect(got.blocks).toEqual([
      { type: "reasoning", text: "First\n\nthen", wire: JSON.stringify(reasoning) },
      { type: "text", text: "hi", wire: JSON.stringify(message) },
      { type: "tool-call", callId: "call_a", tool: "Read", input: '{"p": 1.0}', wire: JSON.stringify(one) },
    ]);
    expect(got).toMatchObject({ messageId: "resp_1", model: "gpt-6.2-sol", stop: "tool-use" });
  });

  test("several parts are one block; a refusal is shown as text and ends as one", () => {
    const got = received([finished(0, said(output("a"), { type: "refusal", refusal: "no" })), whole()]);
    expect(got).toMatchObject({ stop: "refusal", blocks: [{ type: "text", text: "a\nno" }] });
  });

  test("items of types we do not know are opaque", () => {
    const item = { id: "ws_1", type: "web_search_call", status: "completed", action: { b: 1, a: [2] } };
    expect(received([finished(0, item), whole()]).blocks).toEqual([{ type: "opaque", wire: JSON.stringify(item) }]);
  });

  test("only what is done counts: encrypted reasoning that was not complete when announced is never kept", () => {
    const events = [added(0, { ...reasoning, encrypted_content: "half" }), finished(0, reasoning), whole()];
    expect(String(received(events).blocks.map((block) => block.wire))).not.toContain("half");
  });

  test("B.3 · reasoning without its content is shown and kept, but does not go back: nothing is stored that its id could name", () => {
    const bare = { ...reasoning, encrypted_content: null };
    expect(received([finished(0, bare), whole()]).blocks).toEqual([{ type: "reasoning", text: "First\n\nthen" }]);
    const plain = { ...bare, content: [{ type: "reasoning_text", text: "t" }] };
    expect(received([finished(0, plain), whole()]).blocks[0]?.wire).toBe(JSON.stringify(plain));
  });

  test("a server that says items only in its last event is understood", () => {
    const got = received([whole({ output: [said(output("x")), call("a")] })]);
    expect(got.blocks.map(({ type }) => type)).toEqual(["text", "tool-call"]);
  });

  test("C-023 · empty, missing, repeated, taken and illegal ids are replaced in the call's bytes too", () => {
    const ids = ["", undefined, "x", "x", "call_0", `long${"g".repeat(80)}`, "a:b"];
    const got = received([...ids.map((id, at) => finished(at, call(id))), whole()], (id) => id === "call_0");
    const made = got.blocks.map((b) => (b.type === "tool-call" ? b.callId : ""));
    expect(new Set(made).size).toBe(ids.length);
    expect(made).not.toContain("call_0");
    for (const id of made) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(got.blocks.map((b) => JSON.parse(String(b.wire)).call_id)).toEqual(made);
  });

  test("an input that is no JSON object is kept as text, and what goes back carries {}", () => {
    const cut = { ...call("a", '{"p": "cut'), status: "incomplete" };
    const got = received([
      finished(0, cut),
      whole({ incomplete_details: { reason: "max_output_tokens" } }, "response.incomplete"),
    ]);
    expect(got.blocks).toMatchObject([{ input: '{"p": "cut', wire: JSON.stringify({ ...cut, arguments: "{}" }) }]);
    expect(got.stop).toBe("output-limit");
  });

  test("names that no service takes back become legal, and the call keeps the name it came with", () => {
    const [block] = received([finished(0, call("a", "{}", "no such tool")), whole()]).blocks;
    expect(block).toMatchObject({ tool: "no such tool" });
    expect(JSON.parse(String(block?.wire)).name).toBe("no_such_tool");
  });

  test("half a surrogate pair goes back as U+FFFD", () => {
    const [block] = received([finished(0, said(output("a\ud83d"))), whole()]).blocks;
    expect(String(block?.wire).isWellFormed()).toBe(true);
    expect(String(block?.wire)).toContain("a\ufffd");
  });
});

describe("what is shown while it arrives", () => {
  test("text, refusals, thoughts with their breaks, and the start of a call", () => {
    const { deltas } = run([
      event("response.reasoning_summary_part.added", { summary_index: 0 }),
      event("response.reasoning_summary_text.delta", { delta: "one" }),
      event("response.reasoning_summary_part.added", { summary_index: 1 }),
      event("response.reasoning_text.delta", { delta: "raw" }),
      text("a"),
      event("response.refusal.delta", { delta: "no" }),
      added(2, call("a", "")),
      event("response.function_call_arguments.delta", { delta: "{" }),
    ]);
    expect(deltas).toEqual([
      { type: "reasoning", text: "one" },
      { type: "reasoning", text: "\n\n" },
      { type: "reasoning", text: "raw" },
      { type: "text", text: "a" },
      { type: "text", text: "no" },
      { type: "call-start", tool: "Read" },
    ]);
  });
});

describe("the end", () => {
  test.each([
    ["max_output_tokens", "output-limit"],
    ["content_filter", "refusal"],
    ["steered", "unknown"],
    ["constructor", "unknown"],
  ])("incomplete for %s is %s", (reason, want) => {
    const ending = whole({ incomplete_details: { reason } }, "response.incomplete");
    const got = received([added(0, said()), text("ha"), ending]);
    expect(got.stop).toBe(want);
    // Shown text is kept, also where the service gave no item for it.
    expect(got.blocks).toEqual([{ type: "text", text: "ha" }]);
  });

  test("input_tokens includes what was read and written: the parts are disjoint, reasoning stays inside output", () => {
    const usage = {
      input_tokens: 1_000,
      input_tokens_details: {
        cached_tokens: 600,
        cache_write_tokens: 300,
        cache_write_tokens_details: { ttl_30m_tokens: 300, ttl_12h_tokens: 0 },
      },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 20 },
    };
    expect(received([whole({ usage })]).usage).toEqual({
      uncached: 100,
      cacheRead: 600,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      cacheWriteOther: 300,
      output: 50,
      reasoning: 20,
    });
    expect(received([whole()]).usage).toBeNull();
    const odd = { input_tokens: 10, input_tokens_details: { cached_tokens: 60 }, output_tokens: -1 };
    expect(received([whole({ usage: odd })]).usage).toMatchObject({ uncached: 0, output: 0 });
  });

  test("what the service says of its cache and of dropped reasoning is kept", () => {
    const report = {
      prompt_cache_diagnostics: { type: "cache_miss", reason: "input_changed", cache_missed_tokens: 5 },
      input_transformations: [{ id: "rs_1", type: "reasoning", action: "removed", reason: "prefix_mismatch" }],
    };
    expect(JSON.parse(received([whole(report)]).report ?? "")).toEqual(report);
  });

  test.each([
    ["context_length_exceeded", "overflow"],
    ["rate_limit_exceeded", "rate-limited"],
    ["server_error", "server"],
    ["insufficient_quota", "billing"],
    ["invalid_prompt", "refused"],
    ["invalid_image", "bad-request"],
  ])("B.6 · %s in mid-stream is %s, said by response.failed or by a bare error", (code, want) => {
    const error = { code, message: "words" };
    expect(failed([text("half"), whole({ error }, "response.failed")])).toMatchObject({
      failure: { class: want, message: "words" },
      partial: "half",
    });
    expect(failed([event("error", { ...error, param: null })]).failure.class).toBe(want);
    expect(failed([event("error", { error })]).failure.class).toBe(want);
  });

  test("a stream that ends before its response does is broken, and so is a whole response without an item it began", () => {
    expect(failed([finished(0, said(output("x"))), text("half")])).toMatchObject({
      failure: { class: "broken-stream" },
      partial: "half",
    });
    expect(
      failed([added(0, reasoning), added(1, call("a", "")), finished(0, reasoning), whole()]).failure,
    ).toMatchObject({
      class: "broken-stream",
    });
  });

  test("what comes behind the end, and odd events, change nothing", () => {
    const odd: readonly unknown[] = [null, [], { type: "constructor" }, { type: "response.new" }, { type: 7 }];
    const got = received([
      ...odd.map((data): WireEvent => ({ type: "event", data })),
      event("response.output_text.delta", { delta: 7 }),
      finished(0, said(output("x"))),
      whole({ output: "none" }),
      event("error", { message: "late" }),
    ]);
    expect(got.blocks).toMatchObject([{ text: "x" }]);
  });
});
