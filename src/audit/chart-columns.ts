import type { Column } from "./chart.ts";
import { sane } from "./chart-scale.ts";

/** Where calls stand on the horizontal axis: each takes a band from its own place to the next one's. */
export type Across = {
  readonly first: number;
  readonly last: number;
  /** Left edge of a call's band. */
  readonly x: (call: number) => number;
  /** Right end of the last band. */
  readonly right: number;
};

export function acrossOf(columns: readonly Column[], left: number, width: number): Across {
  const first = columns[0]?.call ?? 0;
  const end = columns.at(-1);
  const last = end === undefined ? first : Math.max(first, end.call + end.calls - 1);
  // A session of few calls is a few columns, not a few walls.
  const band = Math.min(bandMax, width / (last - first + 1));
  const x = (call: number) => left + (Math.max(first, Math.min(last + 1, call)) - first) * band;
  return { first, last, x, right: x(last + 1) };
}

const bandMax = 75;

/** A column lasts until the next one, so that thinned ones leave no holes. */
export function endOf(columns: readonly Column[], index: number, across: Across): number {
  const next = columns[index + 1];
  return next === undefined ? across.right : across.x(next.call);
}

/** Of calls that share a place on the screen the largest prompt stands for all, so that no peak is lost; what was read is theirs together. */
export function thinned(columns: readonly Column[], countMax: number): readonly Column[] {
  if (columns.length <= countMax) return columns;
  return Array.from({ length: countMax }, (_, bucket) => {
    const from = Math.floor((bucket * columns.length) / countMax);
    const until = Math.floor(((bucket + 1) * columns.length) / countMax);
    return together(columns.slice(from, until));
  });
}

function together(columns: readonly Column[]): Column {
  const largest = columns.reduce((a, b) => (heightOf(b) > heightOf(a) ? b : a));
  const reported = columns.filter(({ from }) => from === "reported");
  const sent = reported.reduce((sum, { promptTokens }) => sum + sane(promptTokens), 0);
  const read = reported.reduce((sum, { cacheReadTokens }) => sum + sane(cacheReadTokens), 0);
  const cacheReadTokens = sent === 0 ? 0 : (sane(largest.promptTokens) * read) / sent;
  return { ...largest, call: columns[0]?.call ?? largest.call, at: columns[0]?.at ?? largest.at, cacheReadTokens };
}

export function heightOf(column: Column): number {
  return Math.max(sane(column.promptTokens), stackOf(column));
}

export function stackOf({ parts }: Column): number {
  return parts.reduce((sum, tokens) => sum + sane(tokens), 0);
}
