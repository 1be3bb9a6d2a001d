import fc from "fast-check";
import { expect, test } from "vitest";
import { limitsOf, type MemoryPolicy } from "../../src/budget/window.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import type { ModelChoice } from "../../src/log/entry.ts";
import { reduce } from "../../src/log/reduce.ts";
import { emptyState } from "../../src/log/state.ts";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { simulatedModel } from "../support/simulated-model.ts";
import { fakeTool, type TestWorld, testWorld } from "../support/world.ts";

type Growth = { readonly text: string; readonly times: number; readonly calls: number; readonly said: string };

const growth: fc.Arbitrary<Growth> = fc.record({
  text: fc.constantFrom(
    "a line of output 12\n",
    "漢字かな交じり文。\n",
    '{"a":[1,2,3],"b":"😀"}\n',
    "const x = f(y) ?? 0;\n",
  ),
  times: fc.integer({ min: 1, max: 400 }),
  calls: fc.integer({ min: 1, max: 3 }),
  said: fc.constantFrom("", "I look further.", "次を読みます。"),
});

const choices: readonly ModelChoice[] = [
  { wire: "anthropic", model: "sim-plain", effort: null, thinking: "off", outputTokensMax: 4_000 },
  { wire: "chat", model: "sim-chat", effort: null, thinking: "off", outputTokensMax: 4_000 },
];

test.each<readonly [MemoryPolicy, number]>([
  ["epochs", 20],
  ["window", 10],
])(
  "law 5 · whatever grows, in whatever window, by %s: no request above the line, no overflow, and the session goes on",
  async (memory, numRuns) => {
    let folds = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...choices),
        fc.integer({ min: 24_000, max: 60_000 }),
        fc.array(fc.array(growth, { minLength: 3, maxLength: 14 }), { minLength: 1, maxLength: 3 }),
        async (choice, windowTokens, turns) => {
          const { world, simulation, ends } = await grown(choice, { windowTokens, memory }, turns);
          expect(simulation.report()).toMatchObject({ overflows: 0, refused: 0 });
          // A turn may end with the sizes only when it has used up its folds (CASES C-001); the next one then goes on.
          expect(ends.filter(({ reason, folds }) => reason !== "done" && folds < bounds.foldsInARowMax)).toEqual([]);
          expect(ends.filter(({ reason }) => reason !== "done" && reason !== "window-too-small")).toEqual([]);
          folds += await checked(world, windowTokens);
        },
      ),
      { numRuns, endOnFailure: true },
    );
    expect(folds).toBeGreaterThan(0);
  },
);

async function grown(
  choice: ModelChoice,
  size: { readonly windowTokens: number; readonly memory: MemoryPolicy },
  turns: readonly (readonly Growth[])[],
) {
  const script = turns.map((steps) => [...steps]);
  const steps = script.flatMap((list) => [...list, null]);
  let at = 0;
  const outputs: string[] = [];
  const simulation = createSimulation({
    windowTokens: size.windowTokens,
    brain: (): BrainReply => {
      const step = steps[at++];
      if (step === null || step === undefined) return { text: "Done." };
      for (let call = 0; call < step.calls; call += 1) outputs.push(step.text.repeat(step.times));
      const calls = Array.from({ length: step.calls }, () => ({ tool: "look", input: { path: "a.ts" } }));
      return { ...(step.said === "" ? {} : { text: step.said }), calls };
    },
  });
  let clockNow = () => 0;
  const world = await testWorld({
    model: simulatedModel(simulation, () => clockNow()),
    tools: [fakeTool("look", true, async () => outputs.shift() ?? "")],
    ...size,
    choice,
    stepsMax: 100,
  });
  clockNow = () => world.clock.now();
  const session = await world.open();
  const ends: { reason: string; folds: number }[] = [];
  for (const [turn] of script.entries()) {
    const { reason } = await session.prompt(`Work on part ${turn}.`);
    ends.push({ reason, folds: await foldsSinceMessage(world) });
  }
  return { world, simulation, ends };
}

/** Each intent against the limits its own state knew. Gives the number of folds. */
async function checked(world: TestWorld, windowTokens: number): Promise<number> {
  let state = emptyState;
  let folds = 0;
  for (const entry of await world.entries()) {
    const model = state.epoch?.model;
    if (entry.type === "request-sent" && model !== undefined) {
      const learned = state.limits[model.model] ?? null;
      const settings = { windowTokens };
      const limits = limitsOf({ model: model.model, learned, settings, outputTokensMax: model.outputTokensMax });
      const { promptTokens, marginTokens } = entry.predicted;
      // Above the hard line something is taken away first, where there is anything; above usable nothing is ever sent.
      expect(promptTokens + marginTokens).toBeLessThanOrEqual(limits.usableTokens);
    }
    if (entry.type === "epoch-opened" && makesRoom.has(entry.reason)) folds += 1;
    state = reduce(state, entry);
  }
  return folds;
}

const makesRoom: ReadonlySet<string> = new Set(["compacted", "window-slid"]);

async function foldsSinceMessage(world: TestWorld): Promise<number> {
  const entries = await world.entries();
  const turn = entries.slice(entries.findLastIndex(({ type }) => type === "message-added"));
  return turn.filter((entry) => entry.type === "epoch-opened" && makesRoom.has(entry.reason)).length;
}
