import { describe, expect, test } from "vitest";
import { scriptedBrain } from "../../src/testing/simulate/brains.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import {
  anthropic,
  assistant,
  type Body,
  call,
  chat,
  chatTool,
  mark,
  post,
  result,
  text,
  tokens,
  tool,
  user,
} from "./builders.ts";

const minute = 60_000;

/** Sends bodies at the given times to one simulation and returns what each record says. */
async function run(
  wire: "anthropic" | "chat",
  steps: readonly (readonly [at: number, body: Body])[],
  windowTokens?: number,
) {
  const brain = scriptedBrain(Array.from({ length: 500 }, () => ({ text: "ok" })));
  const simulation = createSimulation({ brain, ...(windowTokens === undefined ? {} : { windowTokens }) });
  for (const [at, body] of steps) {
    const outcome = await simulation.handle(post(wire, body), at);
    expect(outcome.status, outcome.frames.join("")).toBe(200);
  }
  return simulation.requests();
}

const big = text(tokens(2_000), mark());
const small = (n: number) => text(`m${n}`);
/** `big` marked, then `n` more blocks, the last one marked. */
const behind = (n: number) =>
  anthropic({
    messages: [user([big, ...Array.from({ length: n - 1 }, (_, i) => small(i)), { ...small(n), ...mark() }])],
  });
const unmarkedBehind = (n: number) =>
  anthropic({
    messages: [
      user([text(tokens(2_000)), ...Array.from({ length: n - 1 }, (_, i) => small(i)), { ...small(n), ...mark() }]),
    ],
  });
const first = anthropic({ messages: [user([big])] });

describe("Anthropic: a breakpoint finds what was written at most 20 positions back, itself included (A.2, C-039)", () => {
  test.each([
    [18, true],
    [19, true],
    [20, false],
    [21, false],
  ])("%i blocks behind the written one: read %s", async (blocks, isRead) => {
    const [, second] = await run("anthropic", [
      [0, first],
      [1, unmarkedBehind(blocks)],
    ]);
    expect(second?.readTokens).toBe(isRead ? 2_000 + 4 : 0);
    expect(second?.missCause).toBe(isRead ? null : "look-back");
  });

  test("a second breakpoint in between brings a far entry back into reach", async () => {
    const [, second] = await run("anthropic", [
      [0, first],
      [1, behind(60)],
    ]);
    expect(second?.readTokens).toBe(2_004);
  });
});

describe("Anthropic: lifetimes count from the start of the request that wrote or read (A.2)", () => {
  test.each([
    [5 * minute - 1, true],
    [5 * minute, false],
  ])("a 5-minute entry after %i ms: read %s", async (ms, isRead) => {
    const [, second] = await run("anthropic", [
      [0, first],
      [ms, first],
    ]);
    expect([second?.readTokens, second?.missCause]).toEqual(isRead ? [2_004, null] : [0, "expired"]);
  });

  test("a read refreshes the entry and everything on the way to it", async () => {
    const both = anthropic({ messages: [user([big, { ...small(1), ...mark() }])] });
    const records = await run("anthropic", [
      [0, both],
      [4 * minute, both],
      [8 * minute, first],
      [12 * minute, both],
    ]);
    // The last one finds the shorter prefix alive, kept so by each read; its longer one is gone.
    expect(records.map((record) => record.readTokens)).toEqual([0, 2_006, 2_004, 2_004]);
    expect(records.at(-1)?.missCause).toBe("expired");
  });

  test("a 1-hour entry lives to the hour's end, a 5-minute one behind it does not", async () => {
    const body = anthropic({ messages: [user([text(tokens(2_000), mark("1h")), text(tokens(100), mark())])] });
    const records = await run("anthropic", [
      [0, body],
      [60 * minute - 1, body],
      [120 * minute, body],
    ]);
    expect(records.map((record) => record.readTokens)).toEqual([0, 2_004, 0]);
    expect(records.map((record) => [record.write1hTokens, record.write5mTokens])).toEqual([
      [2_004, 100],
      [0, 100],
      [2_004, 100],
    ]);
  });
});

describe("Anthropic: the shortest cacheable prefix (A.2)", () => {
  // A first user block counts 4 tokens that nobody sees.
  test.each([
    [1_019, 0, "below-minimum"],
    [1_020, 1_024, null],
  ] as const)("a block of %i tokens", async (size, read, cause) => {
    const body = anthropic({ messages: [user([text(tokens(size), mark())])] });
    const [one, two] = await run("anthropic", [
      [0, body],
      [1, body],
    ]);
    expect(one?.missCause).toBe("cold-start");
    expect([two?.readTokens, two?.missCause]).toEqual([read, cause]);
    expect(two?.write5mTokens).toBe(0);
  });
});

describe("Anthropic: what else makes up the key, and what it costs (A.2)", () => {
  const withHead = (more: Body = {}) =>
    anthropic({
      tools: [tool("a", { description: tokens(1_500), ...mark() })],
      system: [text(tokens(1_500), mark())],
      messages: [user([text(tokens(500), mark())])],
      ...more,
    });

  async function second(change: Body) {
    const [one, two] = await run("anthropic", [
      [0, withHead()],
      [1, withHead(change)],
    ]);
    return { all: one?.write5mTokens ?? 0, read: two?.readTokens ?? 0, cause: two?.missCause };
  }

  test("the same again reads it all", async () => {
    const { all, read, cause } = await second({});
    expect([read, cause]).toEqual([all, null]);
  });

  test("a changed tool loses everything", async () => {
    const { read, cause } = await second({ tools: [tool("b", { description: tokens(1_500), ...mark() })] });
    expect([read, cause]).toEqual([0, "tools-changed"]);
  });

  test("a changed system text keeps the tools", async () => {
    const { all, read, cause } = await second({ system: [text(`${tokens(1_499)}?`, mark())] });
    expect(read).toBeGreaterThan(1_500);
    expect(read).toBeLessThan(all - 1_500);
    expect(cause).toBe("system-changed");
  });

  test("a changed tool choice keeps tools and system", async () => {
    const { all, read, cause } = await second({ tool_choice: { type: "any" } });
    expect(all - read).toBe(504);
    expect(cause).toBe("key-changed");
  });

  test("changed effort costs the messages on an older model and everything on a newer one", async () => {
    const older = await second({ output_config: { effort: "low" } });
    expect([older.all - older.read, older.cause]).toEqual([504, "key-changed"]);
    const body = (more: Body) => ({ ...withHead(more), model: "sim-bound" });
    const [, newer] = await run("anthropic", [
      [0, body({})],
      [1, body({ output_config: { effort: "low" } })],
    ]);
    expect([newer?.readTokens, newer?.missCause]).toEqual([0, "key-changed"]);
  });

  test("the default said aloud is the same key", async () => {
    const { all, read } = await second({ output_config: { effort: "high" }, tool_choice: { type: "auto" } });
    expect(read).toBe(all);
  });

  test("another model shares nothing", async () => {
    const [, two] = await run("anthropic", [
      [0, withHead()],
      [1, withHead({ model: "claude-sonnet-4-6" })],
    ]);
    expect([two?.readTokens, two?.missCause]).toEqual([0, "model-changed"]);
  });

  test("moving a marker and deferring an unreferenced tool change nothing", async () => {
    const { all, read } = await second({
      tools: [tool("a", { description: tokens(1_500) }), tool("later", { defer_loading: true })],
      messages: [user([text(tokens(500), mark())])],
    });
    expect(read).toBe(all);
  });

  test("an edited message keeps what stands before it", async () => {
    const grown = withHead({
      messages: [user([text(tokens(500), mark())]), assistant("a"), user([text("b", mark())])],
    });
    const edited = withHead({
      messages: [user([text(tokens(500), mark())]), assistant("A"), user([text("b", mark())])],
    });
    const [, one, two] = await run("anthropic", [
      [0, withHead()],
      [1, grown],
      [2, edited],
    ]);
    expect(two?.missCause).toBe("messages-changed");
    expect(two?.readTokens).toBe(one?.readTokens);
  });
});

describe("Anthropic: usage adds up, and automatic caching marks the last block that may carry a marker", () => {
  test("input, written and read tokens are disjoint and make up the prompt", async () => {
    const simulation = createSimulation({ brain: scriptedBrain([{ text: "ok" }]) });
    await simulation.handle(post("anthropic", first), 0);
    const outcome = await simulation.handle(post("anthropic", { ...unmarkedBehind(3), ...mark() }), 1);
    const usage = JSON.parse(outcome.frames.join("")).usage;
    expect(usage.cache_read_input_tokens).toBe(2_004);
    expect(usage.cache_creation_input_tokens).toBe(usage.cache_creation.ephemeral_5m_input_tokens);
    const sum = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
    expect(sum).toBe(simulation.requests()[1]?.promptTokens);
    expect(usage.input_tokens).toBe(9);
  });

  test("an entry is readable only after the first answer has begun", async () => {
    const simulation = createSimulation();
    const one = await simulation.exchange(post("anthropic", first), 0);
    await simulation.exchange(post("anthropic", first), 1);
    simulation.begin(one.n);
    await simulation.exchange(post("anthropic", first), 2);
    expect(simulation.requests().map((record) => record.readTokens)).toEqual([0, 0, 2_004]);
  });

  test("a wide parallel tool turn misses without a marker in between and reads with one", async () => {
    const ids = Array.from({ length: 12 }, (_, n) => `c${n}`);
    const turn = (results: readonly unknown[]) =>
      anthropic({ messages: [user([big]), assistant(ids.map((id) => call(id))), user(results)] });
    const bare = ids.map((id, n) => result(id, n === 11 ? mark() : {}));
    const [, missed] = await run("anthropic", [
      [0, anthropic({ messages: [user([big])] })],
      [1, turn(bare)],
    ]);
    expect(missed?.readTokens).toBe(2_004); // `big` still carries its own marker.
    const moved = anthropic({
      messages: [user([text(tokens(2_000))]), assistant(ids.map((id) => call(id))), user(bare)],
    });
    const [, lost] = await run("anthropic", [
      [0, first],
      [1, moved],
    ]);
    expect([lost?.readTokens, lost?.missCause]).toEqual([0, "look-back"]);
  });
});

describe("Chat: the prefix is cached by itself, in steps (B.2, D)", () => {
  const long = (size: number, more: Body = {}) =>
    chat({ messages: [{ role: "system", content: tokens(size) }, user("x")], ...more });

  test.each([
    [1_019, 0],
    [1_020, 1_024],
    [1_147, 1_024],
    [1_148, 1_152],
  ])("a system text of %i tokens and 4 hidden ones: %i are read again", async (size, read) => {
    const [, two] = await run("chat", [
      [0, long(size)],
      [1, chat({ messages: [{ role: "system", content: tokens(size) }, user("something else")] })],
    ]);
    expect(two?.readTokens).toBe(read);
  });

  test("a key of its own shares nothing, and changing it in a conversation is named", async () => {
    const [, two, three] = await run("chat", [
      [0, long(2_000, { prompt_cache_key: "a" })],
      [1, long(2_000, { prompt_cache_key: "b" })],
      [2, long(2_000, { prompt_cache_key: "a" })],
    ]);
    expect([two?.readTokens, two?.missCause]).toEqual([0, "key-changed"]);
    expect([three?.readTokens, three?.missCause]).toEqual([1_920, null]);
  });

  test("it expires after its idle time", async () => {
    const [, two, three] = await run("chat", [
      [0, long(2_000)],
      [10 * minute - 1, long(2_000)],
      [20 * minute - 1, long(2_000)],
    ]);
    expect([two?.missCause, three?.missCause]).toEqual([null, "expired"]);
  });

  test("changed tools are named", async () => {
    const [, two] = await run("chat", [
      [0, long(2_000, { tools: [chatTool("a")] })],
      [1, long(2_000, { tools: [chatTool("b")] })],
    ]);
    expect(two?.missCause).toBe("tools-changed");
  });

  test("each service reports in its own words", async () => {
    const usages: Record<string, Record<string, unknown>> = {};
    for (const model of ["sim-chat", "sim-chat-writes", "sim-reasoner", "sim-llama", "sim-ollama"]) {
      const simulation = createSimulation({ brain: scriptedBrain([]) });
      await simulation.handle(post("chat", long(2_000, { model })), 0);
      const outcome = await simulation.handle(post("chat", long(2_000, { model })), 1);
      usages[model] = JSON.parse(outcome.frames.join("")).usage;
    }
    const size = 2_000 + 4 + 1 + 4 + 9;
    expect(usages["sim-chat"]).toMatchObject({ prompt_tokens: size, prompt_tokens_details: { cached_tokens: 1_920 } });
    expect(usages["sim-chat-writes"]).toMatchObject({
      prompt_tokens_details: { cached_tokens: 1_920, cache_write_tokens: 0 },
    });
    expect(usages["sim-reasoner"]).toMatchObject({
      prompt_tokens: size,
      prompt_cache_hit_tokens: 1_984,
      prompt_cache_miss_tokens: size - 1_984,
    });
    expect(usages["sim-llama"]).toMatchObject({ prompt_tokens: size - 1_984 });
    expect(usages["sim-ollama"]).not.toHaveProperty("prompt_tokens_details");
  });

  test("a local server cuts the oldest messages without a word, and the record says so", async () => {
    const messages = [
      { role: "system", content: "s" },
      ...Array.from({ length: 9 }, (_, n) => user(`${n} ${tokens(2_000)}`)),
    ];
    const seen: string[] = [];
    const simulation = createSimulation({
      brain: (request) => {
        seen.push(
          ...request.messages.flatMap((message) =>
            message.parts.map((part) => (part.type === "text" ? part.text.slice(0, 1) : "")),
          ),
        );
        return { text: "ok" };
      },
    });
    const outcome = await simulation.handle(post("chat", chat({ model: "sim-ollama", messages })), 0);
    expect(outcome.status).toBe(200);
    expect(JSON.parse(outcome.frames.join("")).usage.prompt_tokens).toBeLessThanOrEqual(8_000);
    expect(seen).toEqual(["6", "7", "8"]);
    expect(simulation.report().overflows).toBe(1);
  });
});
