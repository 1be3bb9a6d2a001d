import type { Replayed } from "./replay.ts";

export type SessionRun = {
  readonly session: string;
  readonly format: string;
  /** By its line in the index of the data, from 0. */
  readonly half: "even" | "odd";
  /** In the window that was asked for. */
  readonly replayed: Replayed;
  /** In windows of 200k and of head + 32k tokens, where the strategy acts on its window; else the same. */
  readonly large: Replayed;
  readonly small: Replayed;
};

export type Prices = { readonly read: number; readonly write: number; readonly output: number };

/** One row of the scoreboard. Costs and shares in percent; append-only is 100. `base`: the same sessions append-only. */
export function strategyRow(
  name: string,
  runs: readonly SessionRun[],
  base: readonly SessionRun[],
  prices: Prices,
): object {
  const all = total(runs);
  const asked = all("visible") + all("recalled") + all("lost") + all("acrossCompaction");
  const stepMs = runs.flatMap(({ replayed }) => replayed.stepMs).toSorted((a, b) => a - b);
  return {
    name,
    netCost: netCost(runs, base, prices),
    inputCost: costShare(runs, base, prices, ({ inputCost }) => inputCost),
    recallCost: costShare(runs, base, prices, ({ recallCost }) => recallCost),
    summaryCost: costShare(runs, base, prices, ({ ownCallsCost }) => ownCallsCost),
    reasoningLost: all("reasoningLost"),
    probes: asked,
    visible: percent(all("visible"), asked),
    recalled: all("recalled"),
    lost: all("lost"),
    // Whoever loses what is needed later buys his price with it.
    comparable: all("lost") === 0 ? "yes" : "no: loses",
    acrossCompaction: all("acrossCompaction"),
    extraSteps: percent(all("extraSteps"), all("calls")),
    breaksPer100: percent(all("breaks"), all("calls")),
    meanPeak: Math.round(all("peakTokens") / runs.length),
    meanTokens: Math.round(all("promptTokens") / all("calls")),
    cacheHits: percent(all("readTokens"), all("promptTokens")),
    cacheHitsBy: byFormat(runs),
    overflows: {
      "200k": sum(runs.map(({ large }) => large.overflows.at200k)),
      h32k: sum(runs.map(({ small }) => small.overflows.atH32k)),
    },
    cannotFit: {
      "200k": sum(runs.map(({ large }) => large.cannotFit.at200k.length)),
      h32k: sum(runs.map(({ small }) => small.cannotFit.atH32k.length)),
    },
    even: netCost(only("even", runs), only("even", base), prices),
    odd: netCost(only("odd", runs), only("odd", base), prices),
    stepMs: { p50: thousandths(at(stepMs, 0.5)), p95: thousandths(at(stepMs, 0.95)) },
  };
}

/** null: nothing was replayed that it could be compared with. */
export function netCost(runs: readonly SessionRun[], base: readonly SessionRun[], prices: Prices): number | null {
  return costShare(runs, base, prices, (replayed) => costOf(replayed, prices));
}

function costShare(
  runs: readonly SessionRun[],
  base: readonly SessionRun[],
  prices: Prices,
  part: (replayed: Replayed) => number,
): number | null {
  const whole = sum(base.map(({ replayed }) => costOf(replayed, prices)));
  return whole === 0 ? null : hundredths((sum(runs.map(({ replayed }) => part(replayed))) / whole) * 100);
}

export function costOf(replayed: Replayed, { write }: Prices): number {
  return replayed.inputCost + replayed.recallCost + replayed.ownCallsCost + replayed.reasoningLost * write;
}

type Sum = keyof { readonly [K in keyof Replayed as Replayed[K] extends number ? K : never]: true };

function total(runs: readonly SessionRun[]): (field: Sum) => number {
  return (field) => sum(runs.map(({ replayed }) => replayed[field]));
}

function byFormat(runs: readonly SessionRun[]): Readonly<Record<string, number>> {
  const formats = Map.groupBy(runs, ({ format }) => format);
  return Object.fromEntries(
    [...formats].map(([format, own]) => [format, percent(total(own)("readTokens"), total(own)("promptTokens"))]),
  );
}

function only(half: SessionRun["half"], runs: readonly SessionRun[]): readonly SessionRun[] {
  return runs.filter((run) => run.half === half);
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : hundredths((part / whole) * 100);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

function thousandths(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
