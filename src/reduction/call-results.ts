import type { Segment } from "../prompt/segment.ts";

/** By the ids of their calls. */
export function resultsIn(segments: readonly Segment[]): ReadonlyMap<string | undefined, Segment> {
  return new Map(segments.flatMap((one) => (one.kind === "tool-result" ? [[one.callId, one] as const] : [])));
}
