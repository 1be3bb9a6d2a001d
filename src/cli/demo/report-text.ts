import { defenceText } from "../../audit/defence-text.ts";
import type { DemoReport } from "./report.ts";

/** The report for people. Every figure is the simulator's, and says so. */
export function reportText(report: DemoReport): string {
  const { total, unmanaged, cost, sampleTests } = report;
  const rows: readonly (readonly [string, string, string])[] = [
    ["", "varve", "without reductions"],
    ["model calls", count(report.steps), count(unmanaged.steps)],
    ...report.turns.map(({ task, steps }) => [`  ${task}`, count(steps), ""] as const),
    ["tokens of the last request", count(total.tokens), count(unmanaged.totalTokens)],
    ["  tools and system text", count(total.tokens - total.toolReturns - total.history), ""],
    ["  tool results", count(total.toolReturns), ""],
    ["  rest of the history", count(total.history), ""],
    [`requests above ${count(report.window)} tokens`, count(report.overflows), count(unmanaged.overflows)],
    ["cost", moneyOf(cost.varve, cost.unit), moneyOf(cost.none, cost.unit)],
  ];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [
    "",
    `Sample tests: ${testsOf(sampleTests.before)} before, ${testsOf(sampleTests.after)} after.`,
    "",
    "Simulated, on this machine, no provider was asked:",
    ...table,
    "",
    `Read from the cache: ${(report.cacheReadShare * 100).toFixed(1)} % of all input. Looked at again: ${report.redone}.`,
    ...report.misses.map(missLine),
    "",
    "What each line of defence did, and what that was worth, each act against the same session without it:",
    ...defenceText(report.lines),
    differenceLine(report),
    "",
    `The session's log: ${report.log}`,
    "",
  ].join("\n");
}

function missLine(miss: DemoReport["misses"][number]): string {
  const agreed = miss.cause === miss.recorded ? miss.cause : `${miss.cause} (the simulator says ${miss.recorded})`;
  return `Cache miss at step ${miss.step}: ${agreed}${miss.break === null ? "" : `, ${miss.break}`}, ${count(miss.tokens)} tokens.`;
}

/** Lines overlap, and what was looked at again cost steps that no log can ascribe to one of them. */
function differenceLine({ cost: { none, varve, unit }, redone }: DemoReport): string {
  const less = none === null || varve === null ? "" : ` (${moneyOf(none - varve, unit)})`;
  return `The lines need not add up to the difference of the two runs${less}: the other took other steps, and ${count(redone)} looks made again without recall are in no line.`;
}

function testsOf({ passed, failed }: DemoReport["sampleTests"]["before"]): string {
  return `${passed} passed and ${failed} failed`;
}

function moneyOf(amount: number | null, unit: DemoReport["cost"]["unit"]): string {
  if (amount === null) return "unknown";
  return unit === "usd" ? `$${amount.toFixed(4)}` : `${count(amount)} evaluated tokens`;
}

function count(n: number): string {
  return n.toLocaleString("en-US");
}
