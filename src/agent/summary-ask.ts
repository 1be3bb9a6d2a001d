import { bounds } from "../kernel/bounds.ts";
import type { Piece } from "../log/block.ts";
import type { SummaryScope } from "../log/summary.ts";
import { type SummaryAsk, summaryInstruction } from "../reduction/summary-request.ts";
import { judgeSummary, type SummaryAnswer, type SummaryVerdict } from "../reduction/summary-verdict.ts";
import type { Lane } from "./lane.ts";
import type { Effect } from "./situation.ts";

/** The message that asks for a summary. */
export function askText(
  { as, scope }: Pick<Extract<Effect, { readonly type: "summarize" }>, "as" | "scope">,
  lane: Lane,
): string {
  return summaryInstruction({
    kind: scope.kind,
    focus: lane.state().summary.wanted?.focus ?? "",
    strict: as === "strict",
    tokensMax: bounds.summaryTokensMax,
    ...spanOf(scope, lane.prompt().doc.pieces),
  });
}

/** Whether what came may stand for work of so many tokens, by the size that was asked for. */
export function judged(answer: SummaryAnswer, replacedTokens: number): SummaryVerdict {
  return judgeSummary(answer, { tokensMax: bounds.summaryTokensMax, replacedTokens });
}

const quotedCharsMax = 80;

/** How the span begins or ends, in its own words. */
function spanOf(scope: SummaryScope, pieces: readonly Piece[]): Pick<SummaryAsk, "begins" | "ends"> {
  const block = scope.kind === "all" ? undefined : pieces.find(({ id }) => id === scope.piece)?.block;
  const text = block !== undefined && "text" in block && typeof block.text === "string" ? block.text : null;
  if (text === null) return { begins: null, ends: null };
  if (scope.kind === "from") return { begins: text.slice(0, quotedCharsMax).toWellFormed(), ends: null };
  return { begins: null, ends: text.slice(-quotedCharsMax).toWellFormed() };
}
