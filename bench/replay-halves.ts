import { netCost, type Prices, type SessionRun } from "../src/replay/report.ts";
import { type Dice, diceOf } from "../test/support/dice.ts";
import { percentile } from "./timing.ts";

/**
 * How far the net cost of a part of the sessions lies from that of all, over parts drawn at random that are as large as the
 * odd half: what a difference between odd sessions and all of them is to be held against. In points; the same in each run.
 */
export function halfGaps(
  runs: readonly SessionRun[],
  base: readonly SessionRun[],
  prices: Prices,
): { readonly p50: number; readonly p90: number } | null {
  const all = netCost(runs, base, prices);
  const size = runs.filter(({ half }) => half === "odd").length;
  if (all === null || size === 0) return null;
  const dice = diceOf(1);
  const gaps = Array.from({ length: drawsCount }, () => {
    const drawn = drawnOf(runs.length, size, dice);
    const of = (list: readonly SessionRun[]) => list.filter((_, at) => drawn.has(at));
    return Math.abs((netCost(of(runs), of(base), prices) ?? all) - all);
  });
  return { p50: hundredths(percentile(gaps, 0.5)), p90: hundredths(percentile(gaps, 0.9)) };
}

const drawsCount = 1_000;

function drawnOf(count: number, size: number, dice: Dice): ReadonlySet<number> {
  const places = Array.from({ length: count }, (_, at) => ({ at, by: dice.below(2 ** 32) }));
  const chosen = places.toSorted((a, b) => a.by - b.by).slice(0, size);
  return new Set(chosen.map(({ at }) => at));
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
