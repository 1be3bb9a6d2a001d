import type { Piece } from "../../log/block.ts";
import type { ModelChoice } from "../../log/entry.ts";
import type { Doc } from "../../prompt/doc.ts";

/**
 * The model's settings as this request may say them. With budgeted thinking the service refuses an open tool loop that
 * began without thinking: by another model, on another wire, or before thinking was switched on (PROTOCOLS A.3, C-025).
 * Such a loop goes on without, and the next turn thinks again.
 */
export function effectiveModel({ model, pieces }: Doc): ModelChoice {
  if (typeof model.thinking === "string" || !isLoopWithoutThinking(pieces)) return model;
  return { ...model, thinking: "off" };
}

function isLoopWithoutThinking(pieces: readonly Piece[]): boolean {
  const end = pieces.findLastIndex(({ role }) => role === "assistant");
  if (end < 0 || !pieces.slice(end + 1).some(({ block }) => block.type === "tool-result")) return false;
  const start = pieces.findLastIndex(({ role }, at) => at < end && role !== "assistant") + 1;
  return !pieces.slice(start, end + 1).some(isThinking);
}

function isThinking(piece: Piece): boolean {
  return piece.role === "assistant" && piece.from === "anthropic" && piece.block.type === "reasoning";
}
