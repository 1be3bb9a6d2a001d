import { estimate } from "../budget/count.ts";
import { madeOnce } from "../kernel/once.ts";
import type { Piece } from "../log/block.ts";
import type { State } from "../log/state.ts";
import type { Doc } from "../prompt/doc.ts";
import { isHead, type Segment } from "../prompt/segment.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";

/** System and tools, by our own plain count. */
export function headTokens(segments: readonly Segment[]): number {
  return sumOf(segments.filter(isHead));
}

/** Head and newest message, which stays as it was said, in tokens of the forecast: it may know that the text is less dense. */
export function floorTokens(
  { pieces }: Pick<Doc, "pieces">,
  segments: readonly Segment[],
  promptTokens: number,
): number {
  const message = pieces.findLast((piece) => piece.role === "user" && piece.kind === "message");
  const counted = headTokens(segments) + (message === undefined ? 0 : saidTokens(message, () => textTokens(message)));
  return Math.floor(counted * Math.min(1, promptTokens / Math.max(1, sumOf(segments))));
}

const saidTokens = madeOnce<Piece, number>();

function textTokens({ block }: Piece): number {
  return block.type === "text" && typeof block.text === "string" ? estimate(block.text) : 0;
}

/** Head, user context, newest request and what no answer has seen: no fold can take it away. */
export function fixedTokens(state: State, segments: readonly Segment[]): number {
  const lastAnswer = segments.findLastIndex((segment) => segment.role === "assistant");
  const head = segments.filter(isHead);
  const context = segments.slice(head.length, head.length + 1);
  const unseen = segments.slice(Math.max(lastAnswer + 1, head.length + 1));
  const parts = state.live.length === 0 ? [...head, ...unseen] : [...head, ...context, ...unseen];
  return sumOf(parts);
}

function sumOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + tokensOf(segment), 0);
}
