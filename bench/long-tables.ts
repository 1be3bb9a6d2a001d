import { isRecord } from "../src/kernel/canonical.ts";
import { at, rowsOf } from "./results-file.ts";
import { shown, table } from "./results-tables.ts";

/** What a person wants to know of a long run: one column a window. */
export function longTables(result: Readonly<Record<string, unknown>>): string {
  const runs = Array.isArray(result.runs) ? rowsOf(result, "runs") : [result];
  const windows = runs.map(({ window }) => `${shown(window)} tokens`);
  const rows = figures.map(([name, of]) => [name, ...runs.map((run) => of(run))]);
  const failed = Array.isArray(result.failed) ? result.failed.map((fault) => `- ${shown(fault)}`) : [];
  return [
    table(["figure", ...windows], rows),
    ...runs.map((run) => reductionTable(run)),
    ...(failed.length === 0 ? [] : [`What did not hold:\n${failed.join("\n")}`]),
  ].join("\n\n");
}

type Run = Readonly<Record<string, unknown>>;

const figures: readonly (readonly [name: string, of: (run: Run) => string])[] = [
  ["turns", ({ turns }) => shown(turns)],
  ["answers", ({ steps }) => shown(steps)],
  ["faults met", ({ faultsMet }) => shown(faultsMet)],
  ["restarts from the log", (run) => shown(at(run, "restarts", "times"))],
  ["requests larger than the window", ({ overflows }) => shown(overflows)],
  ["requests that hid a fact", (run) => shown(at(run, "factsShown", "missing"))],
  ["own time of a step once the window was full, median ms", (run) => shown(at(run, "stepMs", "firstFull", "cpu"))],
  ["the same in the last tenth", (run) => shown(at(run, "stepMs", "last", "cpu"))],
  ["last by first", (run) => shown(at(run, "stepMs", "ratio"))],
  ["held in memory after the first tenth, MB", ({ heapMb }) => shown(Array.isArray(heapMb) ? heapMb[0] : "")],
  ["at the end, MB", ({ heapMb }) => shown(Array.isArray(heapMb) ? heapMb.at(-1) : "")],
  ["most model calls of one turn", (run) => shown(at(run, "callsPerTurn", "max"))],
  ["share of the input read from the cache", (run) => shown(at(run, "ledger", "cacheReadShare"))],
  ["cost in dollars", (run) => shown(at(run, "ledger", "usd"))],
  ["log, MB", (run) => shown(at(run, "resume", "logMb"))],
  ["opening it against parsing its log", (run) => shown(at(run, "resume", "ratio"))],
];

function reductionTable(run: Run): string {
  const reductions = at(run, "ledger", "reductions");
  const rows = Object.entries(isRecord(reductions) ? reductions : {}).map(([reason, one]) => [
    reason,
    ...["times", "tokensSaved", "missTokens", "missUsd", "readUsdSaved"].map((key) => shown(at(one, key))),
  ]);
  const head = ["break", "times", "tokens taken away", "tokens written again", "which cost, $", "reads saved, $"];
  return `In ${shown(run.window)} tokens:\n\n${table(head, rows)}`;
}
