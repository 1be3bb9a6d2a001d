import type { Piece } from "../log/block.ts";
import type { SummaryScope } from "../log/summary.ts";
import type { Compaction } from "../reduction/costs.ts";
import { type FoldPreview, previewOf } from "../reduction/fold-preview.ts";
import type { Plan } from "../reduction/plan.ts";
import type { Lane } from "./lane.ts";
import { memoOf } from "./piece-memo.ts";
import { pieceSegments } from "./piece-segments.ts";
import { costsOf, planOf } from "./planned.ts";
import type { Prompt } from "./prompt.ts";
import type { MadeSummary } from "./provider-summary.ts";
import type { Pressure } from "./situation.ts";

type Planning = Pick<Lane, "config" | "fx" | "ledger" | "state" | "texts">;

export const nothingToCompact = "there is no finished work that a summary or a list would be shorter than";

/** `scope` null: by itself, so that the newest steps stay while they fit. */
export function compactionPlan(
  prompt: Prompt,
  lane: Planning,
  what: { readonly pressure: Pressure; readonly scope: SummaryScope | null; readonly summary: MadeSummary | null },
): Plan {
  const plan = planOf(prompt, lane, what.pressure, compactionOf(prompt, what));
  return what.scope !== null && !isMuchSmaller(plan, prompt, lane) ? { type: "nothing" } : plan;
}

/** By hand nothing presses: what saves little would be no smaller once head and files are said anew (law 8). */
function isMuchSmaller(plan: Plan, prompt: Prompt, lane: Planning): boolean {
  const preview = foldPreview(plan, prompt, lane);
  return preview === null || preview.blockTokens <= preview.goes.tokens * blockShareMax;
}

const blockShareMax = 0.75;

/** null: no finished work goes. */
export function foldPreview(plan: Plan, { doc }: Prompt, lane: Planning): FoldPreview | null {
  if (plan.type !== "break" || plan.reason !== "compacted") return null;
  return previewOf(plan.fold, pieceSegments(doc.pieces), memoOf(doc.pieces, lane.state()));
}

function compactionOf(
  { doc }: Prompt,
  { scope, summary }: { readonly scope: SummaryScope | null; readonly summary: MadeSummary | null },
): Compaction {
  const range = scope === null ? {} : { scope: rangeOf(scope, doc.pieces) };
  const made = summary === null ? {} : { summary: summary.text };
  return { forced: true, goal: { ...made, ...(summary?.native == null ? {} : { beside: true }), ...range } };
}

/** Places of the pieces that may go. All of them where a piece that was named is there no more. */
function rangeOf(scope: SummaryScope, pieces: readonly Piece[]): { readonly from: number; readonly upto: number } {
  const last = pieces.length - 1;
  if (scope.kind === "all") return { from: 0, upto: last };
  const at = pieces.findIndex(({ id }) => id === scope.piece);
  if (at === -1) return { from: 0, upto: last };
  return scope.kind === "from" ? { from: at, upto: last } : { from: 0, upto: at };
}

/** Whether asking a model for a summary is worth its price: the rest fits, and what goes is much more than a summary. */
export function isWorthSumming(prompt: Prompt, plan: Plan, lane: Planning): boolean {
  const preview = foldPreview(plan, prompt, lane);
  if (preview === null || preview.blockTokens === 0) return false;
  const { tokensBefore, tokensAfter } = preview;
  const { lineTokens, headTokens } = costsOf(prompt, lane, "none");
  return headTokens + tokensAfter <= lineTokens && tokensBefore - tokensAfter >= worthTokensMin(lineTokens);
}

/** Less is folded: a summary would cost more than it tells. */
function worthTokensMin(lineTokens: number): number {
  return Math.min(4_000, Math.floor(lineTokens / 8));
}

/** What a summary of all that may go would stand for. */
export function summedTokens(prompt: Prompt, lane: Planning, scope: SummaryScope | null): number {
  const plan = compactionPlan(prompt, lane, { pressure: "near", scope, summary: null });
  return foldPreview(plan, prompt, lane)?.goes.tokens ?? 0;
}
