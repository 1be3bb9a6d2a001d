import { netCost, type Prices, type SessionRun } from "../src/replay/report.ts";

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
  const random = numbersFrom(1);
  const gaps = Array.from({ length: drawsCount }, () => {
    const drawn = drawnOf(runs.length, size, random);
    const of = (list: readonly SessionRun[]) => list.filter((_, at) => drawn.has(at));
    return Math.abs((netCost(of(runs), of(base), prices) ?? all) - all);
  }).toSorted((a, b) => a - b);
  return {
    p50: hundredths(gaps[Math.floor(drawsCount * 0.5)] ?? 0),
    p90: hundredths(gaps[Math.floor(drawsCount * 0.9)] ?? 0),
  };
}

const drawsCount = 1_000;

function drawnOf(count: number, size: number, random: () => number): ReadonlySet<number> {
  const places = Array.from({ length: count }, (_, at) => ({ at, by: random() }));
  const chosen = places.toSorted((a, b) => a.by - b.by).slice(0, size);
  return new Set(chosen.map(({ at }) => at));
}

/** Pseudo-random numbers from 0 to 1, the same for a seed (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
