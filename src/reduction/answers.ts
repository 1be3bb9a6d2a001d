import type { Segment } from "../prompt/segment.ts";

/** Blocks of the assistant in a row are one answer. */
export function startsAnswer(segments: readonly Segment[], at: number): boolean {
  return segments[at]?.role === "assistant" && segments[at - 1]?.role !== "assistant";
}

/** 0 where there is none. */
export function newestAnswerStart(segments: readonly Segment[]): number {
  return Math.max(
    0,
    segments.findLastIndex((_, at) => startsAnswer(segments, at)),
  );
}
