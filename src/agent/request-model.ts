import { canonicalJson } from "../kernel/canonical.ts";
import type { Piece } from "../log/block.ts";
import type { ModelChoice } from "../log/entry.ts";
import { shownIn } from "../log/shown.ts";
import type { State } from "../log/state.ts";
import { modelNow } from "./effort.ts";

/**
 * The chosen model as the next request may say it. With budgeted thinking the service refuses an open tool loop that
 * began without thinking: by another model, on another wire, or before thinking was switched on (PROTOCOLS A.3, C-025).
 * Such a loop goes on without, and the next turn thinks again; each is a break that the log names. A loop that the same
 * choice began stays as it is.
 */
export function requestModel(state: State): ModelChoice | null {
  const { model, epoch } = state;
  if (model === null || epoch === null || typeof model.thinking === "string" || model.wire !== "anthropic")
    return model;
  if (canonicalJson(model) === canonicalJson(modelNow(state)) || !isLoopWithoutThinking(state)) return model;
  return { ...model, thinking: "off" };
}

function isLoopWithoutThinking(state: State): boolean {
  const isSwitched = state.epoch?.model.model !== state.model?.model;
  // Another model's reasoning does not go along (agent/reasoning.ts), so after the switch there is none.
  const pieces = shownIn(state).filter((piece) => isSaid(piece) && !(isSwitched && isThinking(piece)));
  const end = pieces.findLastIndex(({ role }) => role === "assistant");
  if (end < 0 || !pieces.slice(end + 1).some(({ block }) => block.type === "tool-result")) return false;
  const start = pieces.findLastIndex(({ role }, at) => at < end && role !== "assistant") + 1;
  return !pieces.slice(start, end + 1).some(isThinking);
}

/** Another one was chosen than the next request would still say: a break is due first. */
export function isModelNew(state: State): boolean {
  return state.epoch !== null && canonicalJson(requestModel(state)) !== canonicalJson(modelNow(state));
}

/** An answer that says nothing on this wire ends no loop there: its results and the next message become one. */
function isSaid(piece: Piece): boolean {
  if (piece.role !== "assistant" || piece.from === "anthropic") return piece.role !== "system";
  const { block } = piece;
  if (block.type === "text") return typeof block.text !== "string" || block.text.trim() !== "";
  return block.type === "tool-call";
}

function isThinking(piece: Piece): boolean {
  return piece.role === "assistant" && piece.from === "anthropic" && piece.block.type === "reasoning";
}
