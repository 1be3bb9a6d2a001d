import { growing } from "../kernel/growing.ts";
import type { NotedSegment } from "../ledger/lane.ts";
import type { Segment } from "../prompt/segment.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";

/** With the tokens of each. */
export function notedOf(segments: readonly Segment[]): readonly (Segment & NotedSegment)[] {
  return noted(segments, undefined);
}

const noted = growing<Segment, Segment & NotedSegment, undefined, undefined>({
  start: () => undefined,
  make: (part) => part.map((segment) => ({ ...segment, tokens: tokensOf(segment) })),
});
