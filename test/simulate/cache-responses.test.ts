import { describe, expect, test } from "vitest";
import { scriptedBrain } from "../../src/testing/simulate/brains.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { assistant, type Body, breakpoint, fn, input, post, responses, tokens, user } from "./builders.ts";

const minute = 60_000;
const hour = 60 * minute;

/** Sends bodies at the given times to one simulation and returns what each record says. */
async function run(steps: readonly (readonly [at: number, body: Body])[]) {
  const simulation = createSimulation({ brain: scriptedBrain([]) });
  for (const [at, body] of steps) {
    const outcome = await simulation.handle(post("responses", body), at);
    expect(outcome.status, outcome.frames.join("")).toBe(200);
  }
  return simulation.requests();
}

const says = (items: readonly unknown[], more: Body = {}) => responses({ input: items, ...more });
const big = (more: Body = {}) => user([input(tokens(2_000), more)]);
const explicit = { prompt_cache_options: { mode: "explicit" } };
const small = (n: number, more: Body = {}) => user([input(`m${n}`, more)]);

describe("Responses, 5.6 and later: the prefix ends exactly at a breakpoint (B.2)", () => {
  test("implicit mode writes at the end of the prompt, and a longer conversation reads up to there", async () => {
    const [one, two] = await run([
      [0, says([big()])],
      [1, says([big(), assistant("a"), user("b")])],
    ]);
    expect([one?.readTokens, one?.writeOtherTokens, one?.missCause]).toEqual([0, 2_004, "cold-start"]);
    expect([two?.readTokens, two?.writeOtherTokens, two?.missCause]).toEqual([2_004, 10, null]);
  });

  test("explicit mode without breakpoints neither writes nor reads", async () => {
    const [, two] = await run([
      [0, says([big()])],
      [1, says([big()], explicit)],
    ]);
    expect([two?.readTokens, two?.writeOtherTokens]).toEqual([0, 0]);
  });

  test.each([
    [1_019, 0],
    [1_020, 1_024],
  ])("a first part of %i tokens and 4 hidden ones: %i are read", async (size, read) => {
    const [, two] = await run([
      [0, says([user([input(tokens(size), breakpoint()), input("x")])], explicit)],
      [1, says([user([input(tokens(size), breakpoint()), input("y")])], explicit)],
    ]);
    expect(two?.readTokens).toBe(read);
  });

  test("of more breakpoints than four only the latest are written: four, or three and the end", async () => {
    const parts = (marks: number) => Array.from({ length: 6 }, (_, n) => small(n, n < marks ? breakpoint() : {}));
    const cutAfter = (n: number) => [big(), ...parts(6).slice(0, n)];
    for (const [options, oldest] of [
      [explicit, 3],
      [{}, 4],
    ] as const) {
      for (const kept of [oldest - 1, oldest]) {
        const [, two] = await run([
          [0, says([big(), ...parts(6)], options)],
          [1, says(cutAfter(kept), options)],
        ]);
        expect(two?.readTokens, `${kept}`).toBe(kept === oldest ? 2_004 + 6 * kept : 0);
      }
    }
  });

  test.each([
    [79, true],
    [80, false],
  ])("a breakpoint with %i newer ones behind it is found: %s", async (newer, isFound) => {
    const behind = Array.from({ length: newer }, (_, n) => small(n, breakpoint()));
    const [, two] = await run([
      [0, says([big(breakpoint())], explicit)],
      [1, says([big(breakpoint()), ...behind], explicit)],
    ]);
    expect(two?.readTokens).toBe(isFound ? 2_004 : 0);
    expect(two?.missCause).toBe(isFound ? null : "look-back");
  });

  test("without breakpoints in between the distance does not count", async () => {
    const behind = Array.from({ length: 500 }, (_, n) => small(n));
    const [, two] = await run([
      [0, says([big()])],
      [1, says([big(), ...behind])],
    ]);
    expect(two?.readTokens).toBe(2_004);
  });

  test.each([
    [undefined, 30 * minute],
    ["12h", 12 * hour],
  ])("lifetime %s counts from use", async (ttl, life) => {
    const body = says([big()], ttl === undefined ? {} : { prompt_cache_options: { ttl } });
    const records = await run([
      [0, body],
      [life - 1, body],
      [2 * life - 2, body],
      [3 * life - 2, body],
    ]);
    expect(records.map((record) => record.readTokens)).toEqual([0, 2_004, 2_004, 0]);
    expect(records.at(-1)?.missCause).toBe("expired");
  });

  test("a breakpoint's own lifetime wins over the request's, and usage tells the writes apart", async () => {
    const simulation = createSimulation({ brain: scriptedBrain([]) });
    const body = says([user([input(tokens(2_000), breakpoint("12h")), input(tokens(100))])]);
    const send = async (at: number) =>
      JSON.parse((await simulation.handle(post("responses", body), at)).frames.join("")).usage;
    expect((await send(0)).input_tokens_details).toEqual({
      cached_tokens: 0,
      cache_write_tokens: 2_104,
      cache_write_tokens_details: { ttl_30m_tokens: 100, ttl_12h_tokens: 2_004 },
    });
    const later = await send(30 * minute);
    expect(later.input_tokens_details.cached_tokens).toBe(2_004);
    expect(later.input_tokens).toBe(simulation.requests()[1]?.promptTokens);
  });

  test("what is too small is never cached, and that has a name", async () => {
    const lane = { prompt_cache_key: "lane" };
    const [one, two] = await run([
      [0, says([user("a")], lane)],
      [1, says([user("a"), assistant("b"), user("c")], lane)],
    ]);
    expect([one?.missCause, two?.missCause]).toEqual(["cold-start", "below-minimum"]);
  });

  test("pre-warming writes and says nothing", async () => {
    const simulation = createSimulation({ brain: scriptedBrain([]) });
    const send = async (body: Body) =>
      JSON.parse((await simulation.handle(post("responses", body), 0)).frames.join(""));
    expect((await send(says([big()], { prompt_cache_options: { prewarm: true } }))).output).toEqual([]);
    expect((await send(says([big()]))).usage.input_tokens_details.cached_tokens).toBe(2_004);
  });
});

describe("Responses: what else makes up the key, and what does not (B.2, B.3)", () => {
  const base = [big(), small(1)];

  test.each<[string, Body, string]>([
    ["effort at the top", { reasoning: { effort: "high" } }, "key-changed"],
    ["verbosity", { text: { verbosity: "low" } }, "key-changed"],
    ["text format", { text: { format: { type: "json_object" } } }, "key-changed"],
    ["a forced tool", { tools: [fn("a")], tool_choice: "required" }, "key-changed"],
    ["the cache key", { prompt_cache_key: "other" }, "key-changed"],
    ["a tool", { tools: [fn("b")] }, "tools-changed"],
    ["the model", { model: "gpt-6-sol" }, "model-changed"],
    ["a leading instruction", { input: [{ role: "developer", content: "x" }, ...base] }, "system-changed"],
    ["the first message", { input: [user("X"), small(1)] }, "messages-changed"],
  ])("%s costs everything", async (_name, change, cause) => {
    const tools = { tools: [fn("a")], user: "lane" };
    const [, two] = await run([
      [0, says(base, tools)],
      [1, says(base, { ...tools, ...change })],
    ]);
    expect([two?.readTokens, two?.missCause]).toEqual([0, cause]);
  });

  test.each<[string, Body]>([
    [
      "a default said aloud",
      { reasoning: { effort: "medium" }, text: { verbosity: "medium", format: { type: "text" } } },
    ],
    [
      "a list of allowed tools",
      { tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "a" }] } },
    ],
    ["instructions of this turn, on a model that renders them last", { instructions: "be brief" }],
    [
      "a configuration update behind it",
      { input: [...base, { type: "configuration_update", reasoning: { effort: "low" } }] },
    ],
    ["a tool added behind it", { input: [...base, { type: "additional_tools", role: "developer", tools: [fn("b")] }] }],
    ["a moved breakpoint", { input: [user([input(tokens(2_000), breakpoint())]), small(1)] }],
    ["ids and states of items", { input: [{ ...big(), type: "message", id: "msg_1", status: "completed" }, small(1)] }],
  ])("%s keeps it all", async (_name, change) => {
    const tools = { tools: [fn("a")] };
    const [one, two] = await run([
      [0, says(base, tools)],
      [1, says(base, { ...tools, ...change })],
    ]);
    expect([two?.readTokens, two?.missCause]).toEqual([one?.writeOtherTokens, null]);
  });

  test("before 6.2 instructions are the head, and a change of them costs everything", async () => {
    const old = { model: "gpt-6-sol", instructions: "a" };
    const [, two, three] = await run([
      [0, says(base, old)],
      [1, says(base, old)],
      [2, says(base, { ...old, instructions: "b" })],
    ]);
    expect([two?.missCause, three?.missCause, three?.readTokens]).toEqual([null, "system-changed", 0]);
  });

  test("instructions of the turn count, but are never cached", async () => {
    const [one] = await run([[0, says([big()], { instructions: tokens(500) })]]);
    expect([one?.promptTokens, one?.writeOtherTokens]).toEqual([2_004 + 504 + 9, 2_004]);
  });
});

describe("Responses, before 5.6: the prefix is cached by itself, in steps, and writes are free (B.2)", () => {
  test.each(["gpt-5.5", "gpt-5.4", "gpt-5"])("%s", async (model) => {
    const simulation = createSimulation({ brain: scriptedBrain([]) });
    const send = async (last: string) =>
      JSON.parse((await simulation.handle(post("responses", says([big(), user(last)], { model })), 0)).frames.join(""));
    await send("x");
    expect((await send("y")).usage.input_tokens_details).toEqual({ cached_tokens: 1_920, cache_write_tokens: 0 });
  });
});

describe("the provider's own diagnosis against an earlier response (B.2)", () => {
  const base = [{ role: "developer", content: "d" }, big()];
  const usual = { tools: [fn("a")] };

  async function diagnosis(change: Body, { id, at = 1 }: { readonly id?: string; readonly at?: number } = {}) {
    const simulation = createSimulation({ brain: scriptedBrain([]) });
    const send = async (body: Body, now: number) =>
      JSON.parse((await simulation.handle(post("responses", body), now)).frames.join(""));
    const one = await send(says(base, usual), 0);
    expect(one).not.toHaveProperty("prompt_cache_diagnostics");
    const asked = { prompt_cache_options: { comparison_response_id: id ?? one.id } };
    return (await send(says(base, { ...usual, ...change, ...asked }), at)).prompt_cache_diagnostics;
  }

  test.each<[string, Body]>([
    ["model_changed", { model: "gpt-6-sol" }],
    ["prompt_cache_key_changed", { prompt_cache_key: "k" }],
    ["tools_changed", { tools: [fn("b")] }],
    ["text_format_changed", { text: { format: { type: "json_object" } } }],
    ["reasoning_effort_changed", { reasoning: { effort: "low" } }],
    ["verbosity_changed", { text: { verbosity: "low" } }],
    ["input_changed", { input: [user("other")] }],
  ])("%s", async (reason, change) => {
    const found = await diagnosis(change);
    expect(found).toMatchObject({ type: "cache_miss", reason });
    expect(found.cache_missed_tokens).toBeGreaterThan(2_000);
  });

  test("a hit, also where the conversation grew; an unknown response; what cannot be said", async () => {
    expect(await diagnosis({})).toEqual({ type: "cache_hit" });
    expect(await diagnosis({ input: [...base, assistant("a"), user("b")] })).toEqual({ type: "cache_hit" });
    expect(await diagnosis({}, { id: "resp_unknown" })).toEqual({ type: "comparison_response_not_found" });
    expect(await diagnosis({}, { at: 31 * minute })).toEqual({ type: "unavailable" });
    expect(await diagnosis({ tool_choice: "none" })).toEqual({ type: "unavailable" });
  });
});
