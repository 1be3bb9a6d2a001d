import { foldOnly, type Reductions } from "../../src/agent/reductions.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { Entry, ModelChoice } from "../../src/log/entry.ts";
import type { ManualClock } from "../../src/testing/manual-clock.ts";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import type { Fault } from "../../src/testing/simulate/faults.ts";
import { createSimulation, type Simulation } from "../../src/testing/simulate/simulation.ts";
import { type SummaryBehaviour, withSummaries } from "../../src/testing/simulate/summaries.ts";
import { summaryAskOf } from "../../src/testing/simulate/summary-request.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { settled } from "./gated.ts";
import { simulatedModel } from "./simulated-model.ts";
import { fakeTool, type TestWorld, testModel, testWorld } from "./world.ts";

const models: Readonly<Record<Wire, string>> = {
  anthropic: "sim-bound",
  chat: "sim-chat",
  responses: "sim-responses",
  gemini: "sim-gemini",
};

export function choiceOn(wire: Wire): ModelChoice {
  const thinking = wire === "anthropic" ? "adaptive" : "off";
  return { ...testModel, wire, model: models[wire], thinking, outputTokensMax: 16_000 };
}

export const summed: Reductions = { ...foldOnly, summaries: "model" };

export type Provider = {
  readonly simulation: Simulation;
  /** Requests that asked for a summary. */
  readonly asks: () => number;
};

/**
 * A provider whose model looks at one file per step, in the order of their numbers, up to the one that the newest message
 * names, and sums up as it is told, in turn. All it knows of its work is what the request shows.
 */
export function summingProvider(behaviours: readonly SummaryBehaviour[] = []): Provider {
  let asks = 0;
  const brain = withSummaries(nextLook, { behaviours: Array.from({ length: 20 }, () => behaviours).flat() });
  const counted: Brain = (request) => {
    if (summaryAskOf(request) !== null) asks += 1;
    return brain(request);
  };
  return { simulation: createSimulation({ brain: counted }), asks: () => asks };
}

const nextLook: Brain = ({ messages }) => {
  const shown = JSON.stringify(messages);
  const upTo = newestNumber(shown, /up to file (\d+)/g);
  const last = Math.max(0, ...[...shown.matchAll(/src\/f(\d+)\.ts/g)].map(([, n]) => Number(n)));
  if (last >= upTo) return { text: `All ${upTo} are looked at.` };
  return { text: `On to file ${last + 1}.`, calls: [{ tool: "look", input: { path: `src/f${last + 1}.ts` } }] };
};

function newestNumber(text: string, pattern: RegExp): number {
  return Number([...text.matchAll(pattern)].at(-1)?.[1] ?? 0);
}

/** Shows 1,500 tokens of a file; each is of its own. */
export function lookTool(looked: string[] = []): Tool {
  return fakeTool(
    "look",
    true,
    async ({ path }) => {
      looked.push(String(path));
      return Array.from({ length: 150 }, (_, at) => `${at} of ${String(path)}: some words that say little`).join("\n");
    },
    "whole",
  );
}

type Given = Omit<Parameters<typeof testWorld>[0], "model" | "choice"> & {
  readonly wire: Wire;
  readonly provider: Provider;
};

/** A session that has to compact after ten looks or so. */
export async function summingWorld({ wire, provider, ...given }: Given): Promise<TestWorld> {
  const world: TestWorld = await testWorld({
    model: simulatedModel(provider.simulation, () => world.clock.now()),
    tools: [lookTool()],
    choice: choiceOn(wire),
    windowTokens: 24_000,
    reductions: summed,
    ...given,
  });
  return world;
}

/** Lets what waits wait, a second at a time. */
export async function timed<T>(work: Promise<T>, clock: ManualClock): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await settled();
    if (!isDone && clock.sleeping() > 0) await clock.advance(1_000);
  }
  return await done;
}

/** Strikes requests for a summary, and no others. */
export function onSummaries(kind: Fault["kind"], value: number | null = null): Fault {
  return { kind, skip: 0, times: 1_000, wire: null, value, message: null, when: { summary: true } };
}

export const entriesOf = <T extends Entry["type"]>(entries: readonly Entry[], type: T) =>
  entries.filter((entry): entry is Extract<Entry, { type: T }> => entry.type === type);

export const compactions = (entries: readonly Entry[]) =>
  entriesOf(entries, "epoch-opened").filter(({ reason }) => reason === "compacted");
