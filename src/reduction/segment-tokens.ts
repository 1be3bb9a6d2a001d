import { type Counts, totalOf } from "../budget/count.ts";
import { measure } from "../budget/measure.ts";
import { growing } from "../kernel/growing.ts";
import type { NotedSegment } from "../ledger/lane.ts";
import type { Segment } from "../prompt/segment.ts";

/** With the tokens of each. */
export function notedOf(segments: readonly Segment[]): readonly (Segment & NotedSegment)[] {
  return noted(segments, undefined);
}

const noted = growing<Segment, Segment & NotedSegment, undefined, undefined>({
  start: () => undefined,
  make: (part) =>
    part.map((segment) => ({ ...segment, tokens: tokensOf(segment), markTokens: countsOf(segment).marks })),
});

/** Tokens of one segment as estimated for this model, by the one estimator that everything uses (CASES C-073). */
export function tokensOf(segment: Segment): number {
  return Math.ceil(totalOf(countsOf(segment)));
}

export function countsOf(segment: Segment): Counts {
  const known = memo.get(segment.hash);
  if (known !== undefined) return known;
  const counts = measure({ kind: segment.kind, text: segment.text, bytes: sizeOf(segment) });
  if (memo.size >= memoMax) memo.clear();
  memo.set(segment.hash, counts);
  return counts;
}

function sizeOf(segment: Segment): number {
  const spanned = segment.span[1] - segment.span[0];
  return spanned > 0 ? spanned : (segment.text?.length ?? 0);
}

/** By content: the same block costs the same wherever it stands. Bounded; emptied whole, since refilling is cheap. */
const memoMax = 50_000;
const memo = new Map<string, Counts>();
