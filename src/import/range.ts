/** Numbers of items, ends included. */
export type Range = readonly [from: number, to: number];

/** In order; ranges that touch or overlap become one, empty ones go. */
export function joinedRanges(ranges: readonly Range[]): readonly Range[] {
  const joined: Range[] = [];
  for (const [from, to] of ranges.filter(([first, end]) => first <= end).sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1] + 1) joined[joined.length - 1] = [last[0], Math.max(last[1], to)];
    else joined.push([from, to]);
  }
  return joined;
}
