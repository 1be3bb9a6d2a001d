import { describe, expect, test } from "vitest";
import { scriptedBrain } from "../../src/testing/simulate/brains.ts";
import { createSimulation, type Simulation } from "../../src/testing/simulate/simulation.ts";
import { type Body, tokens } from "./builders.ts";
import { callPart, declared, gemini, geminiHeaders, model, postGemini, says } from "./gemini-builders.ts";

const minute = 60_000;
const lifetime = 59 * minute;

async function run(...steps: readonly (readonly [at: number, body: Body])[]) {
  const simulation = createSimulation({ brain: scriptedBrain([]) });
  for (const [at, body] of steps) {
    const outcome = await simulation.handle(postGemini(body), at);
    expect(outcome.status, outcome.frames.join("")).toBe(200);
  }
  return simulation.requests();
}

// A first system part counts 4 tokens that nobody sees, and so does the first part of each content.
const system = (size: number) => ({ systemInstruction: { parts: [{ text: tokens(size) }] } });
const long = (size: number, more: Body = {}) => gemini({ ...system(size), ...more });

describe("the implicit cache: full steps of 256 tokens from the model's minimum on (C.1)", () => {
  test.each([
    ["sim-gemini", 4_091, 0],
    ["sim-gemini", 4_092, 4_096],
    ["sim-gemini", 4_347, 4_096],
    ["sim-gemini", 4_348, 4_352],
    ["gemini-2.5-flash", 2_043, 0],
    ["gemini-2.5-flash", 2_044, 2_048],
  ])("%s: a system text of %i tokens and 4 hidden ones: %i are read again", async (id, size, read) => {
    const [one, two] = await run(
      [0, long(size, { model: id })],
      [1, long(size, { model: id, contents: [says("something else")] })],
    );
    expect([one?.missCause, two?.readTokens]).toEqual(["cold-start", read]);
  });

  test("it expires after its idle time, and a read refreshes it", async () => {
    const records = await run(
      [0, long(5_000)],
      [lifetime - 1, long(5_000)],
      [2 * lifetime - 2, long(5_000)],
      [3 * lifetime - 2, long(5_000)],
    );
    expect(records.map(({ missCause }) => missCause)).toEqual(["cold-start", null, null, "expired"]);
  });

  test("settings of the generation and of tool use are no part of the prefix; tools, system and model are", async () => {
    const declaration = { tools: [declared("f", { description: tokens(5_000) })] };
    const base = long(5_000, { ...declaration, contents: [says("a"), model({ text: "b" }), says("c")] });
    const change = async (more: Body) => {
      const [, two] = await run([0, base], [1, { ...base, ...more }]);
      return [two?.missCause, (two?.readTokens ?? 0) > 0];
    };
    const generationConfig = { temperature: 0, maxOutputTokens: 9, thinkingConfig: { thinkingLevel: "low" } };
    expect(await change({ generationConfig })).toEqual([null, true]);
    expect(await change({ toolConfig: { functionCallingConfig: { mode: "ANY" } } })).toEqual([null, true]);
    expect(await change({ tools: [declared("g")] })).toEqual(["tools-changed", false]);
    expect(await change({ systemInstruction: { parts: [{ text: `!${tokens(5_000)}` }] } })).toEqual([
      "system-changed",
      true,
    ]);
    expect(await change({ model: "gemini-3.8-flash" })).toEqual(["model-changed", false]);
    expect(await change({ contents: [says("a"), model({ text: "B" }), says("c")] })).toEqual([null, true]);
    expect(await change({ contents: [says("a", tokens(300)), model({ text: "B" }), says("c")] })).toEqual([null, true]);
  });

  test("an edit in the middle costs what stands behind it, and too little is no prefix", async () => {
    const turns = (first: string) => ({
      contents: [says(first), model({ text: "b" }), says(tokens(3_000)), model({ text: "d" }), says("e")],
    });
    const [, two] = await run([0, long(5_000, turns("a"))], [1, long(5_000, turns("A"))]);
    expect([two?.missCause, two?.readTokens]).toEqual(["messages-changed", 4_864]);
    const short = (more: readonly Body[]) => long(1_000, { contents: [says("hello"), ...more] });
    const [, small] = await run([0, short([])], [1, short([model({ text: "a" }), says("b")])]);
    expect(small?.missCause).toBe("below-minimum");
  });

  test("a tool loop that only grows reads on, and the reported count includes what was cached", async () => {
    const simulation = createSimulation({
      brain: scriptedBrain(Array.from({ length: 3 }, () => ({ calls: [{ tool: "f", input: {} }] }))),
    });
    let contents: Body[] = [says(tokens(5_000))];
    for (let step = 0; step < 3; step += 1) {
      const response = JSON.parse((await simulation.handle(postGemini(gemini({ contents })), step)).frames.join(""));
      const { promptTokenCount, cachedContentTokenCount, totalTokenCount, candidatesTokenCount } =
        response.usageMetadata;
      expect(totalTokenCount).toBe(promptTokenCount + candidatesTokenCount);
      expect(promptTokenCount).toBe(simulation.requests()[step]?.promptTokens);
      expect(cachedContentTokenCount ?? 0).toBe(simulation.requests()[step]?.readTokens);
      const { content } = response.candidates[0];
      const { id } = content.parts[0].functionCall;
      const answer = { functionResponse: { id, name: "f", response: { output: tokens(300) } } };
      contents = [...contents, content, { role: "user", parts: [answer] }];
    }
    const records = simulation.requests();
    expect(records.map(({ missCause }) => missCause)).toEqual(["cold-start", null, null]);
    expect(records.map(({ readTokens }) => readTokens)).toEqual([0, 4_864, 5_120]);
    expect(records.every((record) => record.write5mTokens + record.write1hTokens === 0)).toBe(true);
  });
});

describe("explicit caches (C.1)", () => {
  const head = { ...system(5_000), tools: [declared("f")] };
  const creation = { model: "models/sim-gemini", ...head, contents: [says("a"), model({ text: "b" })] };

  async function ask(simulation: Simulation, now: number, method: string, path: string, body: Body = {}) {
    const request = { method, path: `/v1beta/${path}`, headers: geminiHeaders, body: JSON.stringify(body) };
    const { status, frames } = await simulation.handle(request, now);
    return { status, ...JSON.parse(frames.join("")) };
  }

  async function created(more: Body = {}, now = 0) {
    const seen: unknown[] = [];
    const simulation = createSimulation({
      brain: (request) => {
        seen.push(request);
        return { text: "ok" };
      },
    });
    const cache = await ask(simulation, now, "POST", "cachedContents", { ...creation, ...more });
    const send = async (at: number, body: Body) => {
      const { status, frames } = await simulation.handle(
        postGemini(gemini({ cachedContent: cache.name, ...body })),
        at,
      );
      return { status, ...JSON.parse(frames.join("")) };
    };
    return { simulation, cache, send, seen };
  }

  test("created, used, renewed, deleted", async () => {
    const { simulation, cache, send, seen } = await created({ ttl: "300s", displayName: "mine" });
    expect(cache).toMatchObject({
      status: 200,
      name: expect.stringMatching(/^cachedContents\//),
      model: "models/sim-gemini",
      displayName: "mine",
      createTime: "1970-01-01T00:00:00.000Z",
      expireTime: "1970-01-01T00:05:00.000Z",
    });
    const { totalTokenCount } = cache.usageMetadata;
    const used = await send(1, { contents: [says("c")] });
    expect(used.usageMetadata).toMatchObject({ cachedContentTokenCount: totalTokenCount });
    expect(used.usageMetadata.promptTokenCount).toBe(totalTokenCount + 1 + 4 + 9);
    expect(seen[0]).toMatchObject({
      system: [tokens(5_000)],
      tools: [{ name: "f" }],
      messages: [{ role: "user" }, { role: "assistant" }, { role: "user", parts: [{ type: "text", text: "c" }] }],
    });
    const renewed = await ask(simulation, 2, "PATCH", `${cache.name}?updateMask=ttl`, { ttl: "600s" });
    expect(renewed.expireTime).toBe("1970-01-01T00:10:00.002Z");
    expect(await ask(simulation, 3, "GET", cache.name)).toMatchObject({
      name: cache.name,
      expireTime: renewed.expireTime,
    });
    expect((await ask(simulation, 3, "GET", "cachedContents")).cachedContents).toHaveLength(1);
    expect((await ask(simulation, 4, "DELETE", cache.name)).status).toBe(200);
    const gone = await send(5, {});
    expect(gone).toMatchObject({
      status: 403,
      error: { status: "PERMISSION_DENIED", message: expect.stringContaining("CachedContent not found") },
    });
    expect(await ask(simulation, 6, "GET", cache.name)).toMatchObject({ status: 403 });
    expect((await ask(simulation, 6, "GET", "cachedContents")).cachedContents).toEqual([]);
  });

  test("it expires on the simulator's clock at exactly its time, an hour where none is given, and a read renews nothing", async () => {
    const { send } = await created();
    expect((await send(60 * minute - 1, {})).status).toBe(200);
    expect((await send(60 * minute, {})).status).toBe(403);
    const { send: later } = await created({ expireTime: "1970-01-01T00:00:10Z" });
    expect([(await later(9_999, {})).status, (await later(10_000, {})).status]).toEqual([200, 403]);
  });

  test("what it fixed is not sent again, and its model is the request's", async () => {
    const { send } = await created();
    for (const more of [head, { tools: head.tools }, { toolConfig: {} }, { model: "gemini-3.8-flash" }])
      expect((await send(1, more)).status).toBe(400);
  });

  test("its contents and the request's are one conversation", async () => {
    const { send } = await created({ contents: [says("a"), model({ functionCall: { name: "f", args: {} } })] });
    expect((await send(1, {})).error.message).toMatch(/number of function response parts/);
    const { send: alone } = await created({ contents: undefined });
    expect((await alone(1, { contents: [model({ text: "x" }), says("y")] })).status).toBe(400);
    expect((await alone(1, {})).status).toBe(200);
  });

  test.each<[string, Body, RegExp]>([
    ["too small", system(3_000), /too small. total_token_count=\d+, min_total_token_count=4096/],
    ["a model without explicit caches", { model: "models/gemini-4-argon" }, /not supported for createCachedContent/],
    ["an unknown model", { model: "models/nope" }, /is not found/],
    ["an unknown field", { generationConfig: {} }, /Unknown name "generationConfig"/],
    ["a lifetime of another kind", { ttl: "5m" }, /expiration/],
    ["two times", { ttl: "5s", expireTime: "2030-01-01T00:00:00Z" }, /expiration/],
    ["a time that is past", { expireTime: "1970-01-01T00:00:00Z" }, /expiration/],
    ["a first content of the model's", { contents: [model({ text: "x" })] }, /first content/],
    ["a bad tool", { tools: [declared("1")] }, /Invalid function name/],
  ])("refused: %s", async (_name, more, message) => {
    const { cache } = await created(more);
    expect(cache.error.code).toBe(cache.status);
    expect(cache.error.message).toMatch(message);
  });

  test("2.5 takes smaller ones", async () => {
    const { cache } = await created({ model: "models/gemini-2.5-pro", ...system(2_100) });
    expect(cache.status).toBe(200);
  });

  test("the record shows what was read; a prompt cached by itself is another prefix than the same by name", async () => {
    const { simulation, cache } = await created();
    const contents = [says("a"), model({ text: "b" }), says("c")];
    const grown = [says("c", tokens(600)), model({ text: "d" }), says("e")];
    const byName = (own: readonly Body[]) => gemini({ cachedContent: cache.name, contents: own });
    const steps = [
      gemini({ ...head, contents }),
      byName([says("c")]),
      byName([says("c")]),
      byName(grown),
      byName([...grown, model({ text: "f" }), says("g")]),
    ];
    for (const [at, body] of steps.entries()) await simulation.handle(postGemini(body), at);
    const { totalTokenCount } = cache.usageMetadata;
    const [plain, one, two, , four] = simulation.requests();
    expect([plain?.missCause, one?.missCause, two?.missCause, four?.missCause]).toEqual([
      "cold-start",
      "key-changed",
      null,
      null,
    ]);
    expect([one?.readTokens, one?.missTokens]).toEqual([
      totalTokenCount,
      (plain?.writeOtherTokens ?? 0) - totalTokenCount,
    ]);
    // What stands behind it is cached in steps as well.
    expect(two?.readTokens).toBeGreaterThan(totalTokenCount);
    expect(four?.readTokens).toBeGreaterThan(totalTokenCount + 256);
  });

  test("a reset forgets them", async () => {
    const { simulation, send } = await created();
    simulation.reset();
    expect((await send(1, {})).status).toBe(403);
  });

  test("calls of an earlier turn need no signature here either", async () => {
    const { send } = await created({ model: "models/sim-gemini", contents: [says("a"), model(callPart("f"))] });
    const response = { functionResponse: { name: "f", response: {} } };
    expect((await send(1, { contents: [{ role: "user", parts: [response] }] })).error.message).toMatch(
      /thought_signature/,
    );
    expect((await send(1, { contents: [{ role: "user", parts: [response] }, says("next")] })).status).toBe(200);
  });
});
