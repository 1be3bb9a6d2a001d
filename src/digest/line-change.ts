/** Lines `from` to `to` of what was there (from 0, exclusive), and what stands in their place now. */
export type LineChange = {
  readonly from: number;
  readonly to: number;
  readonly nowFrom: number;
  readonly nowTo: number;
};

/**
 * What makes one list of lines another, in their order. Lines that stand once in each, in the same order, are held to be the
 * same, and so are the equal ones beside them; all else has changed. Not the shortest answer, but always a right one, in
 * little more than linear time.
 */
export function lineChanges(before: readonly string[], now: readonly string[]): readonly LineChange[] {
  const changes: LineChange[] = [];
  let [at, nowAt] = [0, 0];
  const meet = (to: number, nowTo: number) => {
    while (at < to && nowAt < nowTo && before[at] === now[nowAt]) {
      at += 1;
      nowAt += 1;
    }
    let [end, nowEnd] = [to, nowTo];
    while (end > at && nowEnd > nowAt && before[end - 1] === now[nowEnd - 1]) {
      end -= 1;
      nowEnd -= 1;
    }
    if (end > at || nowEnd > nowAt) changes.push({ from: at, to: end, nowFrom: nowAt, nowTo: nowEnd });
    [at, nowAt] = [to, nowTo];
  };
  for (const [old, young] of anchors(before, now)) meet(old, young);
  meet(before.length, now.length);
  return changes;
}

/** Places of lines that stand once in each list: as many as have the same order in both. */
function anchors(before: readonly string[], now: readonly string[]): readonly (readonly [number, number])[] {
  const [old, young] = [onceIn(before), onceIn(now)];
  const pairs: (readonly [number, number])[] = [];
  for (const [line, at] of old) {
    const nowAt = young.get(line);
    if (at >= 0 && nowAt !== undefined && nowAt >= 0) pairs.push([at, nowAt]);
  }
  return rising(pairs);
}

/** Where each line stands; -1: more than once. In the order of the lines. */
function onceIn(lines: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [at, line] of lines.entries()) places.set(line, places.has(line) ? -1 : at);
  return places;
}

/** The longest part of the pairs whose second numbers rise, too. */
function rising(pairs: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const ends: number[] = [];
  const before: number[] = [];
  for (const [index, [, nowAt]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < nowAt) low = middle + 1;
      else high = middle;
    }
    before.push(low > 0 ? (ends[low - 1] ?? -1) : -1);
    ends[low] = index;
  }
  const kept: (readonly [number, number])[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) kept.push(pair);
  }
  return kept.toReversed();
}
