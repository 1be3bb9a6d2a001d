import type { Segment } from "../prompt/segment.ts";
import { startsAnswer } from "./answers.ts";
import type { KeptReasoning } from "./fold-goal.ts";
import type { Memo } from "./memo.ts";

/** Of the open tool loop its newest step, or where the provider needs all of it, from the message that began it. */
export function openLoop(body: readonly Segment[], memo: Memo, reasoning: KeptReasoning): readonly Segment[] {
  const newest = stepsOf(body).at(-1) ?? [];
  if (!newest.some(({ kind }) => kind === "tool-result")) return [];
  if (reasoning !== "bound-loop") return newest;
  return body.slice(loopStart(body, body.length - newest.length, memo) + 1);
}

/**
 * The place of the message that began the loop whose newest answer begins at `answer`, or of the fold in its place; -1:
 * there is none. What was said while a tool ran stands behind that answer and began nothing.
 */
export function loopStart(segments: readonly Segment[], answer: number, memo: Memo): number {
  return segments.findLastIndex((segment, at) => at < answer && startsLoop.has(memo.kindOf(segment) ?? ""));
}

const startsLoop: ReadonlySet<string> = new Set(["message", "fold"]);

/** An assistant message with the user-side blocks behind it; what stands before the first is no step. */
export function stepsOf(body: readonly Segment[]): readonly (readonly Segment[])[] {
  const steps: Segment[][] = [];
  for (const [at, segment] of body.entries()) {
    if (startsAnswer(body, at)) steps.push([segment]);
    else steps.at(-1)?.push(segment);
  }
  return steps;
}
