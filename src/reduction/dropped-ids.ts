import type { Segment } from "../prompt/segment.ts";

/** What is left out, as inclusive ranges of ids, in order. */
export type DroppedRanges = readonly (readonly [from: number, to: number])[];

/** Segments in the order of their ids. */
export function rangesOf(dropped: readonly Segment[]): DroppedRanges {
  const ranges: [number, number][] = [];
  for (const { id } of dropped) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === id - 1) last[1] = id;
    else ranges.push([id, id]);
  }
  return ranges;
}

export function droppedIds(drops: DroppedRanges): ReadonlySet<number> {
  return new Set(drops.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at)));
}
