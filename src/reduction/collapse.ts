import { estimate } from "../budget/count.ts";
import { handleOf, hashOf } from "../kernel/hash.ts";
import type { Segment } from "../prompt/segment.ts";
import { type Span, spansOf } from "./collapse-spans.ts";
import { spanLine } from "./collapse-text.ts";
import { type DroppedRanges, rangesOf } from "./dropped-ids.ts";
import type { FoldBlock } from "./fold.ts";
import type { FoldGoal } from "./fold-goal.ts";
import { foldLines } from "./fold-text.ts";
import { type Memo, tokensIn } from "./memo.ts";

export type CollapseGoal = Pick<FoldGoal, "targetTokens" | "closeLoop" | "reasoning"> & {
  /** Less is not worth a break. */
  readonly savedTokensMin: number;
};

export type Collapsed = {
  readonly drops: DroppedRanges;
  /** One line for each span, in order; each stands in front of the first kept segment behind its span. */
  readonly blocks: readonly FoldBlock[];
  readonly reasoningTokensLost: number;
};

export type Collapse = { readonly type: "nothing"; readonly why: string } | ({ readonly type: "collapse" } & Collapsed);

/**
 * Collapse (DESIGN 6): finished spans of tool work become one line each, oldest first, as far as the target needs it; the
 * newest step always stays, and what user and assistant said stays word for word. Behind a line's handle is the list of its
 * calls, each with its outcome and the handle of its own result. What never goes by its kind (M-01) stays as well, and so
 * does a span whose line would be no smaller (law 8). Pure.
 */
export function collapse(segments: readonly Segment[], memo: Memo, goal: CollapseGoal): Collapse {
  if (goal.closeLoop) return { type: "nothing", why: "the open tool loop needs its reasoning" };
  const spans = spansOf(segments, memo, goal);
  // Known without a line written.
  const mostTokens = spans.reduce((sum, { work, reasoning }) => sum + tokensIn([...work, ...reasoning], memo), 0);
  const made = mostTokens < goal.savedTokensMin ? [] : spans.flatMap((span) => collapsedSpan(span, memo));
  const thought = made.length === 0 ? [] : reasoningOf(segments, made, goal);
  const gone = new Set([...made.flatMap(({ span }) => span.work), ...thought]);
  const dropped = segments.filter((segment) => gone.has(segment));
  const blocks = made.map(({ block }) => block);
  const savedTokens = tokensIn(dropped, memo) - blocks.reduce((sum, { text }) => sum + estimate(text), 0);
  if (savedTokens < Math.max(1, goal.savedTokensMin))
    return { type: "nothing", why: "too little of it is finished tool work" };
  return { type: "collapse", drops: rangesOf(dropped), blocks, reasoningTokensLost: tokensIn(thought, memo) };
}

type Made = { readonly span: Span; readonly block: FoldBlock };

function collapsedSpan(span: Span, memo: Memo): readonly Made[] {
  const { work, before } = span;
  const original = foldLines(work, memo).join("\n");
  const handle = handleOf(hashOf(original));
  const text = spanLine(work, handle, memo);
  if (estimate(text) >= tokensIn(work, memo)) return [];
  return [{ span, block: { before, text, original: { handle, text: original } } }];
}

/** Of the steps that go in any case; where the provider binds it, all behind the first change (DESIGN 4). */
function reasoningOf(
  segments: readonly Segment[],
  made: readonly Made[],
  { reasoning }: CollapseGoal,
): readonly Segment[] {
  const own = made.flatMap(({ span }) => span.reasoning);
  if (reasoning === "free") return own;
  const first = Math.min(...made.flatMap(({ span }) => [...span.reasoning, ...span.work]).map(({ id }) => id));
  return segments.filter(({ id, kind }) => kind === "reasoning" && id >= first);
}
