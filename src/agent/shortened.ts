import type { Piece } from "../log/block.ts";
import { withResultText } from "../log/edits.ts";
import type { Doc } from "../prompt/doc.ts";
import { heal } from "../prompt/heal.ts";
import type { Segment } from "../prompt/segment.ts";
import { applyPlan } from "../reduction/apply-plan.ts";
import { plan } from "../reduction/plan.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";
import type { Lane } from "./lane.ts";
import { memoOf } from "./piece-memo.ts";
import { pieceSegments } from "./piece-segments.ts";
import { costsOf } from "./planned.ts";
import type { Prompt } from "./prompt.ts";
import { clearable } from "./signatures.ts";

/** A copy of the next request with finished work cleared, then collapsed: for a summary where the request itself is too long. */
export function shortened(prompt: Prompt, lane: Lane): Doc {
  const { doc } = prompt;
  const costs = { ...costsOf(prompt, lane, "hard"), clearing: clearable("all", doc.model), folding: "off" } as const;
  let { pieces } = doc;
  for (let round = 0; round < roundsMax; round++) {
    const next = plan(pieceSegments(pieces), memoOf(pieces, lane.state()), costs);
    if (next.type === "nothing") break;
    pieces = applyPlan(pieces, next, {
      clipped: (piece, { text }) => withText(piece, text),
      cleared: (piece, { text }) => withText(piece, text),
      written: (piece, { text, pointers }) => withResultText(piece, text, pointers ?? undefined),
      folded: ({ text, original }): Piece => ({
        id: `copy.${original.handle}`,
        role: "user",
        kind: "fold",
        block: { type: "text", text },
      }),
    });
  }
  return { ...doc, pieces: heal(pieces) };
}

/** By the share of the request that is left, plainly counted. */
export function shortForecast(
  { segments, forecast }: Prompt,
  doc: Doc,
  lane: Lane,
): Pick<Prompt["forecast"], "promptTokens" | "marginTokens"> {
  const left = lane.config.codecFor(doc.model.wire).segmentsOfDoc(doc);
  const share = countOf(left) / Math.max(1, countOf(segments));
  const part = (tokens: number) => Math.ceil(tokens * share);
  return { promptTokens: part(forecast.promptTokens), marginTokens: part(forecast.marginTokens) };
}

function countOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + tokensOf(segment), 0);
}

/** Clip, clear, collapse. */
const roundsMax = 3;

function withText(piece: Piece, text: string): Piece {
  if (piece.role !== "assistant" || piece.block.type !== "tool-call") return withResultText(piece, text);
  const { callId, tool } = piece.block;
  return { ...piece, block: { type: "tool-call", callId, tool, input: text } };
}
