/** The ids in inclusive ranges, as plans say what is left out. */
export function droppedIds(drops: readonly (readonly [from: number, to: number])[]): ReadonlySet<number> {
  return new Set(drops.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at)));
}
