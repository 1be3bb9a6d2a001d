import { describe, expect, test } from "vitest";
import type { Model, WireEvent } from "../../src/ports/model.ts";
import { summaryHeadings } from "../../src/reduction/summary-request.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { fakeTool, testWorld } from "../support/world.ts";

const words = (tokens: number) => "word ".repeat(Math.ceil((tokens * 4) / 5));
const summary = `<summary>\n${summaryHeadings.map((heading) => `${heading}\n- sealed`).join("\n\n")}\n</summary>`;

/** Eight looks to a message, then an answer; a request for a summary gets one. */
function worker(perTurn = 8) {
  const steps: string[] = [];
  const asks: string[] = [];
  let inTurn = 0;
  const model: Model = {
    async *stream(request, signal): AsyncIterable<WireEvent> {
      const promptTokens = Math.ceil(request.body.length / 4);
      if (request.body.includes("<summary-request")) {
        asks.push(request.body);
        yield* scriptedModel([{ text: summary, promptTokens }]).stream(request, signal);
        return;
      }
      steps.push(request.body);
      inTurn = (inTurn + 1) % (perTurn + 1);
      const calls = [{ id: `c${steps.length}`, tool: "look", input: { path: `src/f${steps.length}.ts` } }];
      const reply = inTurn === 0 ? { text: "done" } : { text: `step ${steps.length}`, calls };
      yield* scriptedModel([{ ...reply, promptTokens }]).stream(request, signal);
    },
  };
  return { ...model, steps, asks };
}

async function worked(summaries: "model" | "off" = "model", perTurn = 8) {
  const model = worker(perTurn);
  const look = fakeTool("look", true, async () => words(1_500));
  const reductions = { clearing: "off", collapsing: "off", summaries } as const;
  const size = { windowTokens: 100_000 };
  const given = { model, tools: [look], reductions };
  const world = await testWorld(
    Object.defineProperty({ ...given, windowTokens: 0 }, "windowTokens", { get: () => size.windowTokens }),
  );
  const session = await world.open();
  await session.prompt("look at every file");
  return { model, world, session, size };
}

const plain = (body: string) => body.replaceAll(/,?"cache_control":\{[^}]*\}/g, "");
const partsOf = (body: string) => {
  const { messages, system, tools } = JSON.parse(plain(body)) as {
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    readonly system: unknown;
    readonly tools: unknown;
  };
  const blocks = messages.flatMap(({ role, content }) =>
    (Array.isArray(content) ? content : [content]).map((block: unknown) => JSON.stringify([role, block])),
  );
  return [JSON.stringify(tools), JSON.stringify(system), ...blocks];
};

describe("compacting by hand", () => {
  test("sums finished work up, makes the prompt smaller, and leaves nothing wanted", async () => {
    const { model, session, world } = await worked("model", 20);
    const result = await session.compact({ focus: "the routes" });
    const tail = (await world.entries()).slice(-6);
    expect(result, JSON.stringify(tail).slice(0, 3000)).toMatchObject({ type: "compacted", by: "model" });
    if (result.type === "compacted") expect(result.tokensAfter).toBeLessThan(result.tokensBefore);
    expect(model.asks).toHaveLength(1);
    expect(model.asks[0]).toContain("the routes");
    expect(session.state().summary.wanted).toBeNull();
    expect(session.state().epoch?.reason).toBe("compacted");
  });

  test("folds without a model where summaries are off", async () => {
    const { model, session } = await worked("off");
    expect(await session.compact()).toMatchObject({ type: "compacted", by: "fold" });
    expect(model.asks).toEqual([]);
  });

  test("C-013 · with nothing to compact it is refused: no model call, the history stays", async () => {
    const { model, session } = await worked("model", 0);
    const { live } = session.state();
    expect(await session.compact()).toMatchObject({ type: "refused" });
    expect(model.steps).toHaveLength(1);
    expect(model.asks).toEqual([]);
    expect(session.state().live).toEqual(live);
    expect(session.state().summary.wanted).toBeNull();
  });

  test("before anything was sent it is refused, and nothing is written", async () => {
    const world = await testWorld({ model: worker() });
    const session = await world.open();
    const { seq } = session.state();
    expect(await session.compact()).toMatchObject({ type: "refused" });
    expect(await session.previewCompaction()).toBeNull();
    expect(session.state().seq).toBe(seq);
  });

  test("a preview says what goes and what stays, and changes nothing", async () => {
    const { model, session } = await worked();
    const { seq } = session.state();
    const preview = await session.previewCompaction();
    expect(preview?.goes.results).toBeGreaterThan(0);
    expect(preview?.tokensAfter).toBeLessThan(preview?.tokensBefore ?? 0);
    expect(session.state().seq).toBe(seq);
    expect(model.asks).toEqual([]);
  });
});

describe("undoing", () => {
  for (const summaries of ["model", "off"] as const)
    test(`makes the former request a prefix of the next, byte for byte (summaries: ${summaries})`, async () => {
      const { model, session } = await worked(summaries, 20);
      const former = partsOf(model.steps.at(-1) ?? expect.fail("nothing was sent"));
      expect(await session.compact()).toMatchObject({ type: "compacted" });
      expect(await session.undo()).toMatchObject({ type: "undone" });
      const count = model.steps.length;
      await session.prompt("and now?");
      const next = partsOf(model.steps[count] ?? expect.fail("nothing was sent"));
      expect(next.slice(0, former.length)).toEqual(former);
    });

  test("keeps what came after the compaction", async () => {
    const { model, session } = await worked();
    await session.compact();
    await session.prompt("a word in between");
    const undone = await session.undo();
    expect(undone).toMatchObject({ type: "undone" });
    const count = model.steps.length;
    await session.prompt("and now?");
    expect(model.steps[count]).toContain("a word in between");
    expect(model.steps[count]).not.toContain("sealed");
  });

  test("is refused when nothing was compacted, and a second time", async () => {
    const { session } = await worked();
    expect(await session.undo()).toMatchObject({ type: "refused" });
    await session.compact();
    await session.undo();
    expect(await session.undo()).toMatchObject({ type: "refused" });
  });

  test("is refused with the size where the window has no room for what would come back", async () => {
    const { session, size } = await worked("off");
    await session.compact();
    const { seq } = session.state();
    size.windowTokens = 5_000;
    expect(await session.undo()).toMatchObject({
      type: "refused",
      why: expect.stringMatching(/\d+ tokens .* \d+ are usable/),
    });
    expect(session.state().seq).toBe(seq);
    size.windowTokens = 100_000;
    expect(await session.undo()).toMatchObject({ type: "undone" });
  });
});

test("the user stops a compaction by hand: its request ends, nothing was taken away, and the session goes on", async () => {
  const base = worker(20);
  let asking = () => {};
  const asked = new Promise<void>((resolve) => {
    asking = resolve;
  });
  const model: Model = {
    async *stream(request, signal): AsyncIterable<WireEvent> {
      if (!request.body.includes("<summary-request")) return yield* base.stream(request, signal);
      asking();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  };
  const look = fakeTool("look", true, async () => words(1_500));
  const reductions = { clearing: "off", collapsing: "off", summaries: "model" } as const;
  const world = await testWorld({ model, tools: [look], reductions, windowTokens: 100_000 });
  const session = await world.open();
  await session.prompt("look at every file");
  const { live } = session.state();
  const compacting = session.compact();
  await asked;
  await session.interrupt("the user");
  expect(await compacting).toEqual({ type: "refused", why: "stopped by the user" });
  expect(session.state().live).toEqual(live);
  expect(session.state().summary.wanted).toBeNull();
  expect((await world.entries()).filter(({ type }) => type === "summary-ended")).toMatchObject([
    { outcome: "interrupted" },
  ]);
  expect((await session.prompt("go on")).reason).toBe("done");
});
