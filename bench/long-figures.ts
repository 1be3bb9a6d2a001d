import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../src/adapters/clock.ts";
import { fileStore } from "../src/adapters/store-file.ts";
import { longFaults } from "./long-gates.ts";
import { ledgerFigures } from "./long-ledger.ts";
import type { StepTime } from "./long-model.ts";
import type { LongRun, Played } from "./long-play.ts";
import { readTime } from "./resume-time.ts";
import { percentile, rounded } from "./timing.ts";

export type MemoryMb = { readonly rss: number; readonly heap: number };

/** Last tenth against first tenth of the steps since the window was first full (METRICS 5). */
const ratioMax = 1.2;
/** Fewer steps in a tenth say nothing. */
const tenthStepsMin = 50;
/** What the heap may grow by after the first tenth: the simulator's own memory, which ends at its bounds, */
const heapWarmMbMax = 40;
/** and for each 1,000 turns the session's handles and the heads of their results, the simulator's answers beside them. */
const heapGrowthMbMax = 5;
const resumeRuns = 3;
const megabyte = 1024 * 1024;

/** All that a long run prints of one window; `failed`: the gates that did not hold, in words. */
export async function longFigures(run: LongRun, played: Played, memory: readonly MemoryMb[], seconds: number) {
  const { simulation, seen, tally, turns, restartMs, changes } = played;
  const stepMs = stepTimes(seen.times.slice(tally.firstFull ?? 0));
  const failed = [...longFaults(played), ...timeFaults(stepMs), ...memoryFaults(memory, run.turns)];
  const report = simulation.report();
  return {
    simulated: true,
    wire: run.wire,
    window: run.windowTokens,
    turns: turns.length,
    steps: tally.answers,
    faults: run.faults,
    overflows: report.overflows,
    factsShown: { requests: seen.hidden.requests, missing: seen.hidden.missing },
    stepMs,
    rssMb: memory.map(({ rss }) => rss),
    heapMb: memory.map(({ heap }) => heap),
    callsPerTurn: {
      p50: percentile(
        turns.map(({ requests }) => requests),
        0.5,
      ),
      max: Math.max(...turns.map(({ requests }) => requests)),
    },
    sideRequests: tally.sideRequests,
    breaks: tally.breaks,
    ledger: await ledgerFigures(fileStore({ root: played.root, clock: systemClock, sync: false }), played.session),
    failures: tally.failures,
    faultsMet: report.faults,
    entries: tally.entries,
    calls: tally.calls,
    changes,
    restarts: { times: restartMs.length, ms: restartMs.map(Math.round) },
    resume: await resumeFigures(played),
    seconds,
    failed,
  };
}

type StepMs = {
  readonly firstFull: StepTime;
  readonly last: StepTime;
  /** Of the process's own time: a busy machine is in the other one. */
  readonly ratio: number;
  readonly wallRatio: number;
  readonly steps: number;
};

function stepTimes(all: Played["seen"]["times"]): StepMs | null {
  const times = all.filter((time) => time !== null);
  const tenth = Math.floor(times.length / 10);
  if (tenth === 0) return null;
  const firstFull = medianOf(times.slice(0, tenth));
  const last = medianOf(times.slice(-tenth));
  const [ratio, wallRatio] = [rounded(last.cpu / firstFull.cpu), rounded(last.wall / firstFull.wall)];
  return { firstFull, last, ratio, wallRatio, steps: times.length };
}

function medianOf(times: readonly StepTime[]): StepTime {
  const median = (of: (time: StepTime) => number) => rounded(percentile(times.map(of), 0.5));
  return { wall: median(({ wall }) => wall), cpu: median(({ cpu }) => cpu) };
}

function timeFaults(stepMs: StepMs | null): readonly string[] {
  if (stepMs === null || stepMs.steps < 10 * tenthStepsMin || stepMs.ratio <= ratioMax) return [];
  return [`a step takes ${stepMs.ratio} times as long at the end as when the window was first full`];
}

function memoryFaults(memory: readonly MemoryMb[], turns: number): readonly string[] {
  const [first, last] = [memory[0]?.heap ?? 0, memory.at(-1)?.heap ?? 0];
  const allowed = heapWarmMbMax + (heapGrowthMbMax * turns) / 1_000;
  return last - first <= allowed ? [] : [`the heap grew by ${last - first} MB, of ${Math.round(allowed)} MB allowed`];
}

/** Opening what is there now against parsing its log's lines, each in processes of its own. */
async function resumeFigures({ root, session }: Played) {
  const log = join(root, "sessions", session, "main.jsonl");
  const parse = readTime({ root, session }, ["parse"], resumeRuns);
  const resume = readTime({ root, session }, ["resume"], resumeRuns);
  const { size } = await stat(log);
  const lines = (await readFile(log, "utf8")).split("\n").length - 1;
  return { logMb: rounded(size / megabyte), lines, parse, resume, ratio: rounded(resume.ms / parse.ms) };
}
