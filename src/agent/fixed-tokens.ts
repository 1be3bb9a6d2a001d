import { isHead } from "../ledger/noted.ts";
import type { State } from "../log/state.ts";
import type { Segment } from "../prompt/segment.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";

/** System and tools, by our own plain count. */
export function headTokens(segments: readonly Segment[]): number {
  return sumOf(segments.filter(isHead));
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
