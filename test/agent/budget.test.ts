import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { itemsOf } from "../../src/kernel/vector.ts";
import type { Entry, ModelChoice } from "../../src/log/entry.ts";
import type { Model } from "../../src/ports/model.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { type ScriptedReply, scriptedModel } from "../../src/testing/scripted-model.ts";
import { decodedBody, saidIn } from "../support/bodies.ts";
import { fakeTool, type TestWorld, testModel, testWorld } from "../support/world.ts";

/** Four characters to a token: what the strict server below counts. */
const tokensIn = (body: string) => Math.ceil(body.length / 4);
const words = (tokens: number) => "word ".repeat(Math.ceil((tokens * 4) / 5));

/** A server that counts, and refuses what is larger than its limit, as real ones do. */
function strictModel(limit: number, replies: readonly ScriptedReply[], say = saysNumbers) {
  const bodies: string[] = [];
  const refused: string[] = [];
  const model: Model = {
    async *stream(request, signal) {
      const size = tokensIn(request.body);
      if (size > limit) {
        refused.push(request.body);
        yield { type: "http-error", headers: {}, ...say(size, limit) };
        return;
      }
      const reply = replies[bodies.length] ?? { text: "done" };
      bodies.push(request.body);
      yield* scriptedModel([{ ...reply, promptTokens: size }]).stream(request, signal);
    },
  };
  return { ...model, bodies, refused };
}
const said = (status: number, message: string, type = "invalid_request_error") => ({
  status,
  body: { type: "error", error: { type, message } },
});
const saysNumbers = (size: number, limit: number) => said(400, `prompt is too long: ${size} tokens > ${limit} maximum`);
const saysNonsense = (size: number) => said(400, `prompt is too long: ${size} tokens > 1 maximum`);
const saysOnlyThat = () => said(400, "prompt is too long");
const saysTooLarge = () => said(413, "Request exceeds the maximum size", "request_too_large");

const call = (id: string, input: unknown = {}) => ({ id, tool: "look", input });
const big = (tokens: number) => {
  const tool = fakeTool("look", true, async ({ tokens: wanted }) => words(Number(wanted ?? tokens)));
  return wholeOf(tool);
};
/** Results enter as they are, so that a test decides their size. */
function wholeOf(tool: ReturnType<typeof fakeTool>): ReturnType<typeof fakeTool> {
  return {
    ...tool,
    parse: (input) => {
      const parsed = tool.parse(input);
      if (parsed.type === "bad") return parsed;
      const run: typeof parsed.call.run = async (context, signal) => ({
        ...(await parsed.call.run(context, signal)),
        form: "whole",
      });
      return { type: "ok", call: { ...parsed.call, run } };
    },
  };
}

const of = <T extends Entry["type"]>(entries: readonly Entry[], type: T) =>
  entries.filter((entry): entry is Extract<Entry, { type: T }> => entry.type === type);
const foldsIn = (entries: readonly Entry[]) =>
  of(entries, "epoch-opened").filter(({ reason }) => reason === "compacted");

/** Every handle that the newest request names is one that recall can resolve, and nothing breaks at a restart. */
async function expectWhole(
  world: TestWorld,
  bodies: readonly string[],
  state: Awaited<ReturnType<TestWorld["open"]>>["state"],
) {
  for (const body of bodies) expect(wellformed(decodedBody(body))).toBeNull();
  const named = [...(bodies.at(-1) ?? "").matchAll(/\[([0-9a-f]{12})\]|handle=([0-9a-f]{12})/g)].map(
    ([, a, b]) => a ?? b,
  );
  const known = new Set<string>([...itemsOf(state().originals)].map(({ handle }) => handle));
  for (const handle of named) expect(known).toContain(handle);
  const epochs = of(await world.entries(), "epoch-opened").length;
  const again = await world.open(await world.takeOver());
  await again.prompt("one more");
  const reasons = of(await world.entries(), "epoch-opened").slice(epochs);
  expect(reasons.map(({ reason }) => reason).filter((reason) => reason !== "compacted")).toEqual([]);
}

describe("before a request is sent", () => {
  test("C-017 · results that just arrived count: the fold comes before an oversized request, never behind it", async () => {
    const replies: ScriptedReply[] = Array.from({ length: 8 }, (_, n) => ({
      text: `step ${n}`,
      calls: [call(`a${n}`), call(`b${n}`), call(`c${n}`)],
    }));
    const model = strictModel(20_000, [...replies, { text: "done" }]);
    const world = await testWorld({ model, tools: [big(1_500)], windowTokens: 20_000 });
    const session = await world.open();
    expect((await session.prompt("look at all")).reason).toBe("done");
    expect(model.refused).toEqual([]);
    expect(foldsIn(await world.entries()).length).toBeGreaterThan(2);
    expect(model.refused).toEqual([]);
    await expectWhole(world, model.bodies, session.state);
  });

  test("a result larger than all that is left enters cut, with its handle; that is no break", async () => {
    const model = strictModel(20_000, [{ calls: [call("a", { tokens: 60_000 })] }, { text: "seen" }]);
    const world = await testWorld({ model, tools: [big(0)], windowTokens: 20_000 });
    const session = await world.open();
    expect(await session.prompt("look")).toMatchObject({ reason: "done", text: "seen" });
    expect(model.refused).toEqual([]);
    expect(foldsIn(await world.entries())).toEqual([]);
    expect(model.bodies[1]).toMatch(/recall handle=[0-9a-f]{12} returns all/);
    await expectWhole(world, model.bodies, session.state);
  });

  test("C-001 · when what is fixed alone is too large, the turn ends with the sizes and nothing is sent; so does the next", async () => {
    const model = scriptedModel([]);
    const world = await testWorld({ model, windowTokens: 1_500 });
    const session = await world.open();
    for (const text of ["continue", "again"]) {
      const turn = await session.prompt(text);
      expect(turn.reason).toBe("window-too-small");
      expect(turn.detail).toMatch(/needs \d+ tokens, \d+ are usable: \d+ are fixed .* \d+ are history/);
    }
    expect(model.bodies).toEqual([]);
    expect(foldsIn(await world.entries())).toEqual([]);
  });

  test("a message that does not fit is refused with the sizes, and the next one works without it", async () => {
    const model = strictModel(20_000, [{ text: "small is fine" }]);
    const world = await testWorld({ model, windowTokens: 20_000 });
    const session = await world.open();
    expect(await session.prompt(words(40_000))).toMatchObject({ reason: "window-too-small", text: "" });
    expect((await session.prompt("short")).text).toBe("small is fine");
    expect(model.refused).toEqual([]);
  });

  test("nothing is taken away for a message that could not be sent all the same", async () => {
    const model = strictModel(20_000, [{ text: words(3_000) }, { text: words(3_000) }, { text: "small is fine" }]);
    const world = await testWorld({ model, windowTokens: 20_000 });
    const session = await world.open();
    for (const text of ["one", "two"]) expect((await session.prompt(text)).reason).toBe("done");
    expect((await session.prompt(words(40_000))).reason).toBe("window-too-small");
    expect(foldsIn(await world.entries())).toEqual([]);
    expect((await session.prompt("short")).text).toBe("small is fine");
  });

  test("between the line and what is usable, a request that nothing can make smaller is still sent", async () => {
    // The line is 92 % of usable: this message lands between the two, and there is no history to fold.
    for (let tokens = 6_000; tokens < 13_000; tokens += 250) {
      const model = scriptedModel([{ text: "ok" }]);
      const world = await testWorld({ model, windowTokens: 20_000 });
      const turn = await (await world.open()).prompt(words(tokens));
      const [sent] = of(await world.entries(), "request-sent");
      expect(turn.reason, `${tokens}`).toBe(sent === undefined ? "window-too-small" : "done");
      if (sent === undefined) expect(turn.detail).toMatch(/needs (\d+) tokens, (\d+) are usable/);
      const [, needs, usable] = /needs (\d+) tokens, (\d+) are usable/.exec(turn.detail) ?? [];
      if (needs !== undefined) expect(Number(needs)).toBeGreaterThan(Number(usable));
    }
  });
});

describe("after the provider refused a request as too long", () => {
  for (const [name, say] of [
    ["with both numbers", saysNumbers],
    ["without numbers", saysOnlyThat],
    ["as 413", saysTooLarge],
    ["with a limit that is none (below bounds.limitTokensMin)", saysNonsense],
  ] as const)
    test(`C-079, C-003 · ${name}: the limit is learned, the turn is saved by a fold, the newest request is verbatim`, async () => {
      const replies = Array.from({ length: 7 }, (_, n) => ({ text: `step ${n}`, calls: [call(`c${n}`)] }));
      const model = strictModel(14_000, [...replies, { text: "done" }, { text: "more" }], say);
      const world = await testWorld({ model, tools: [big(2_000)], windowTokens: 200_000 });
      const session = await world.open();
      const turn = await session.prompt("read everything, then say done");
      expect(turn).toMatchObject({ reason: "done", text: "done" });
      expect(model.refused.length).toBeLessThanOrEqual(2);
      expect(new Set(model.refused).size).toBe(model.refused.length);
      const learned = of(await world.entries(), "limit-learned");
      expect(learned.length).toBeGreaterThan(0);
      if (say === saysNumbers) expect(learned[0]?.inputTokensMax).toBe(14_000);
      if (say === saysNonsense) expect(learned[0]?.inputTokensMax).toBeGreaterThan(bounds.limitTokensMin);
      expect(saidIn(model.bodies.at(-1) ?? "")).toContain("user text: read everything, then say done");
      await expectWhole(world, model.bodies, session.state);
    });

  test("C-005 · the same oversized request is never sent twice, whatever is tried", async () => {
    for (const limit of [500, 3_000, 5_000, 7_000, 9_000]) {
      const replies = Array.from({ length: 6 }, (_, n) => ({ text: words(200), calls: [call(`c${n}`)] }));
      const model = strictModel(limit, [...replies, { text: "done" }], saysOnlyThat);
      const world = await testWorld({ model, tools: [big(900)] });
      const session = await world.open();
      for (const text of ["first", "second", "third"]) {
        const before = model.refused.length;
        const turn = await session.prompt(text);
        expect(["done", "window-too-small"]).toContain(turn.reason);
        expect(model.refused.length - before, `${limit}`).toBeLessThanOrEqual(3);
      }
      expect(new Set(model.refused).size, `${limit}`).toBe(model.refused.length);
    }
  });

  test("results of the refused request that no answer has seen are cut in the same break, with their handles", async () => {
    const model = strictModel(9_000, [{ calls: [call("a"), call("b")] }, { text: "seen" }]);
    const world = await testWorld({ model, tools: [big(5_000)] });
    const session = await world.open();
    expect(await session.prompt("look at both")).toMatchObject({ reason: "done", text: "seen" });
    expect(model.refused).toHaveLength(1);
    expect(saidIn(model.bodies.at(-1) ?? "").filter((text) => text.includes("characters left out"))).toHaveLength(2);
    await expectWhole(world, model.bodies, session.state);
  });
});

describe("the first request after a fold", () => {
  const session = async (choice: ModelChoice = testModel) => {
    const replies: ScriptedReply[] = [
      { text: "A renamed", calls: [call("a1", { tokens: 5_000, path: "src/foo.ts" })] },
      { text: "done with A" },
      { text: "B: reading", calls: [call("b1", { tokens: 2_000, path: "README.md" })] },
      { text: "B: more", calls: [call("b2", { tokens: 2_000, path: "docs/x.md" })] },
      { text: "B is written" },
      { text: "C", calls: [call("c1", { tokens: 2_500, path: "late.md" })] },
      { text: "more C", calls: [call("c2", { tokens: 2_500, path: "later.md" })] },
      { text: "C is done" },
    ];
    const model = strictModel(12_000, replies);
    const world = await testWorld({ model, tools: [big(0)], windowTokens: 12_000, choice });
    return { model, world, open: await world.open() };
  };
  const folded = (bodies: readonly string[]) => bodies.filter((body) => body.includes("folded-history"));

  test("C-009 · has the newest request verbatim as the last instruction, and the older one only as work that was done", async () => {
    const { model, world, open } = await session();
    await open.prompt("rename foo to bar");
    expect((await open.prompt("stop coding; write only the README section")).text).toBe("B is written");
    const [first] = folded(model.bodies);
    const texts = saidIn(first ?? expect.fail("nothing was folded"));
    expect(texts.filter((text) => text.startsWith("user text") && !text.includes("<")).at(-1)).toBe(
      "user text: stop coding; write only the README section",
    );
    expect(texts.filter((text) => text.includes("rename foo to bar"))).toEqual([
      expect.stringContaining("User: rename foo to bar"),
    ]);
    expect(texts.join("\n")).toMatch(/src\/foo\.ts: .*\[[0-9a-f]{12}\]/);
    await expectWhole(world, model.bodies, open.state);
  });

  test("carries the lines of the fold before it on", async () => {
    const { model, world, open } = await session();
    await open.prompt("rename foo to bar");
    await open.prompt("stop coding; write only the README section");
    await open.prompt("and C");
    expect(foldsIn(await world.entries()).length).toBeGreaterThanOrEqual(2);
    const last = folded(model.bodies).at(-1) ?? "";
    expect(last).toContain("src/foo.ts");
    expect(last).toContain("README.md");
    expect(last.match(/<folded-history>/g)).toHaveLength(1);
    await expectWhole(world, model.bodies, open.state);
  });

  test("closes the tool loop where the model thinks with a budget: no call is left open or shown half", async () => {
    const { model, world, open } = await session({ ...testModel, thinking: { budgetTokens: 2_000 } });
    await open.prompt("rename foo to bar");
    expect((await open.prompt("stop coding; write only the README section")).reason).toBe("done");
    const [first] = folded(model.bodies);
    const kinds = saidIn(first ?? expect.fail("nothing was folded"));
    expect(kinds.some((text) => text.startsWith("assistant"))).toBe(false);
    expect(kinds.at(-1)).toBe("user text: stop coding; write only the README section");
    expect(kinds.join("\n")).toContain("Newest result of look:");
    await expectWhole(world, model.bodies, open.state);
  });
});

describe("C-077 · a change of model or effort", () => {
  test("to a window that is as large, or of the effort alone, folds nothing; a small one only before the next request", async () => {
    const model = strictModel(200_000, [
      { calls: [call("a", { tokens: 6_000 })] },
      { text: "read" },
      { text: "two" },
      { text: "three" },
      { text: "four" },
      { text: "five" },
    ]);
    const world = await testWorld({ model, tools: [big(0)] });
    Object.assign(world.config, {
      windowFor: (id: string) =>
        id === "unknown" ? null : { windowTokens: id === "sim-tiny" ? 10_000 : 200_000, inputTokensMax: null },
    });
    const session = await world.open();
    await session.prompt("go");
    await session.chooseModel({ ...testModel, model: "sim-large-2" });
    await session.prompt("two");
    await session.chooseModel({ ...testModel, model: "sim-large-2", effort: "high" });
    await session.prompt("three");
    expect(foldsIn(await world.entries())).toEqual([]);
    await session.chooseModel({ ...testModel, model: "sim-tiny" });
    expect(foldsIn(await world.entries())).toEqual([]);
    expect((await session.prompt("four")).text).toBe("four");
    expect(foldsIn(await world.entries())).toHaveLength(1);
    await session.chooseModel({ ...testModel, model: "unknown" });
    expect((await session.prompt("five")).text).toBe("five");
    expect(foldsIn(await world.entries())).toHaveLength(1);
  });
});

test("a server that adds the longest answer to the prompt is answered with a shorter one, in the same turn", async () => {
  const bodies: string[] = [];
  const model: Model = {
    async *stream(request, signal) {
      bodies.push(request.body);
      const { max_tokens } = JSON.parse(request.body) as { readonly max_tokens: number };
      const message = "maximum context length is 8192 tokens, you asked for more (8000 in the completion)";
      if (max_tokens > 2_000)
        yield {
          type: "http-error",
          status: 400,
          headers: {},
          body: { error: { message, code: "context_length_exceeded" } },
        };
      else yield* scriptedModel([{ text: "fits" }]).stream(request, signal);
    },
  };
  const world = await testWorld({ model, windowTokens: 128_000, choice: { ...testModel, outputTokensMax: 8_000 } });
  const session = await world.open();
  expect(await session.prompt("go")).toMatchObject({ reason: "done", text: "fits" });
  expect(bodies).toHaveLength(2);
});
