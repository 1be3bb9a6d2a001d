import { expect } from "vitest";
import type { Reductions } from "../../src/agent/reductions.ts";
import { replay } from "../../src/agent/replay.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { Entry, ModelChoice } from "../../src/log/entry.ts";
import type { Model } from "../../src/ports/model.ts";
import type { Stores } from "../../src/ports/store.ts";
import { chainHashes } from "../../src/prompt/chain.ts";
import type { ManualClock } from "../../src/testing/manual-clock.ts";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { parseFault } from "../../src/testing/simulate/fault-text.ts";
import type { SimRecord } from "../../src/testing/simulate/records.ts";
import type { Simulation } from "../../src/testing/simulate/simulation.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { type SummaryBehaviour, withSummaries } from "../../src/testing/simulate/summaries.ts";
import { settled } from "./gated.ts";
import { lawCodec } from "./play-log.ts";
import { simulatedModel } from "./simulated-model.ts";
import { fakeTool, type TestWorld, testWorld } from "./world.ts";

/** Models that sum up by themselves; of each wire one that ties reasoning to its prefix. */
export const models: readonly (readonly [wire: Wire, model: string])[] = [
  ["anthropic", "claude-opus-5"],
  ["anthropic", "claude-sonnet-5-5"],
  ["responses", "gpt-6-sol"],
  ["responses", "gpt-6.2-sol"],
];

const callsPerTurn = 9;
const byProvider: Reductions = { clearing: "off", collapsing: "off", summaries: "provider" };

/** So long that a summary with its files is no short text; no two alike. */
const pathOf = (served: number) =>
  `src/${[3, 5, 7, 11, 13, 17, 19].map((by) => ((served + 1) * by * 7_919).toString(36)).join("/")}/f${served}.ts`;

/** Thinks at every step; a turn is nine calls and an answer. */
const brain: Brain = ({ messages, served }) => {
  const last = messages.findLastIndex(
    ({ role, parts }) => role === "user" && parts.some((part) => part.type === "text" && part.text.startsWith("task ")),
  );
  const steps = messages.slice(last).filter(({ role }) => role === "assistant").length;
  const reasoning = `Thought ${served}: what I saw leads to this step.`;
  if (steps >= callsPerTurn) return { reasoning, text: `Task done after ${steps} steps.` };
  return { reasoning, text: `Step ${steps}.`, calls: [{ tool: "look", input: { path: pathOf(served) } }] };
};

export const choiceOf = (wire: Wire, model: string): ModelChoice => ({
  wire,
  model,
  effort: model === "sim-plain" ? null : "medium",
  thinking: model === "sim-plain" ? "off" : "adaptive",
  outputTokensMax: 4_000,
});

export type Given = {
  readonly reductions?: Reductions;
  readonly behaviours?: readonly SummaryBehaviour[];
  readonly faults?: readonly string[];
  readonly windowTokens?: number;
  /** What stands between the agent and the service. */
  readonly through?: (model: Model) => Model;
};

export async function service(wire: Wire, model: string, given: Given = {}) {
  const { behaviours = [], faults = [], windowTokens = 24_000 } = given;
  const simulation = createSimulation({ brain: withSummaries(brain, { behaviours }), binding: "error", windowTokens });
  simulation.addFaults(faults.map((text) => parseFault(text)).filter((fault) => typeof fault !== "string"));
  const world = await worldOn(simulation, choiceOf(wire, model), given);
  return { simulation, world, requests: () => simulation.requests() };
}

/** Another process at the same service. */
export async function worldOn(simulation: Simulation, choice: ModelChoice, given: Given = {}, stores?: Stores) {
  const { reductions = byProvider, windowTokens = 24_000, through = (model) => model } = given;
  const page = (path: string) =>
    Array.from({ length: 36 }, (_, at) => `${path.slice(-9)}:${at} a line of output that a command could have printed`);
  const world: TestWorld = await testWorld({
    choice,
    windowTokens,
    codecFor: lawCodec,
    tools: [fakeTool("look", true, async ({ path }) => page(String(path)).join("\n"), "whole")],
    reductions,
    model: through(simulatedModel(simulation, () => world.clock.now())),
    ...(stores === undefined ? {} : { stores }),
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

export async function worked(wire: Wire, model: string, turns: number, given: Given = {}) {
  const made = await service(wire, model, given);
  const session = await made.world.open();
  for (let turn = 0; turn < turns; turn++) {
    expect(await timed(session.prompt(`task ${turn}`), made.world.clock)).toMatchObject({ reason: "done" });
  }
  return { ...made, session };
}

export const of = <T extends Entry["type"]>(entries: readonly Entry[], type: T) =>
  entries.filter((entry): entry is Extract<Entry, { type: T }> => entry.type === type);
export const compacted = (entries: readonly Entry[]) =>
  of(entries, "epoch-opened").filter(({ reason }) => reason === "compacted");
export const tries = (entries: readonly Entry[]) =>
  of(entries, "summary-asked").map(({ as, request }) => {
    const end = of(entries, "summary-ended").find((one) => one.request === request);
    return `${as}: ${end?.outcome}`;
  });
export const isAsk = ({ body }: SimRecord) => body.includes('"compaction":{') || body.includes("compaction_trigger");
export const faulty = (requests: readonly SimRecord[]) =>
  requests.filter(({ status }) => status !== 200).map(({ violation, fault }) => violation ?? fault);
export const bare = (record: SimRecord) => record.segments.map(({ hash, kind }) => `${kind} ${hash}`);
export const summaryIn = (record: SimRecord) => record.segments.findIndex(({ kind }) => kind === "summary");

/** Consecutive requests of one epoch: the first list is the beginning of the second. An ask rides, and ends nothing. */
export function brokenPrefixes(requests: readonly SimRecord[]): readonly number[] {
  const steps = requests.filter(({ status }) => status === 200);
  return steps.flatMap((record, at) => {
    const before = steps[at - 1];
    if (before === undefined || hashOfSummary(before) !== hashOfSummary(record) || isAsk(before)) return [];
    return isPrefix(bare(before), bare(record)) ? [] : [record.n];
  });
}

const hashOfSummary = (record: SimRecord) => record.segments[summaryIn(record)]?.hash;
export const isPrefix = (a: readonly string[], b: readonly string[]) => a.every((one, at) => one === b[at]);

/** Every request of the log rendered again, held against the chain that was written when it was sent. */
export async function strayed(world: TestWorld): Promise<readonly string[]> {
  const stray: string[] = [];
  const entries = await world.entries();
  async function* all() {
    yield* entries;
  }
  await replay(all(), { codecFor: lawCodec, getBlob: world.fx.getBlob }, (entry, request) => {
    if (entry.type !== "request-sent" || request === null) return;
    if (chainHashes(request.segments).at(-1) !== entry.chain) stray.push(entry.request);
  });
  return stray;
}
