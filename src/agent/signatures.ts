import type { Piece } from "../log/block.ts";
import type { ModelChoice, PieceEdit } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { Costs } from "../reduction/costs.ts";
import type { EpochBody } from "./reasoning.ts";

/**
 * Gemini signs calls and texts themselves, and takes no signature of another model, key or route (PROTOCOLS C.2). After a
 * change of model, and when it has just refused one, such blocks go on in our own words; so does a summary that another
 * model's provider made. Stands before a break's other edits: those may take away the pieces it names.
 */
export function withoutSignatures({ epoch, live, failure }: State, { model }: EpochBody): readonly PieceEdit[] {
  if (epoch === null) return [];
  const same = epoch.model.model === model.model && epoch.model.wire === model.wire;
  if (same && failure?.failure.class !== "binding") return [];
  const [head] = live;
  const summary: readonly PieceEdit[] =
    head?.block.type === "compaction" ? [{ type: "unsigned", from: head.id, to: head.id }] : [];
  if (model.wire !== "gemini") return summary;
  const signed = live.filter(isOwn);
  const [first] = signed;
  const last = signed.at(-1);
  if (first === undefined || last === undefined) return summary;
  return [...summary, { type: "unsigned", from: first.id, to: last.id }];
}

function isOwn(piece: Piece): boolean {
  if (piece.role !== "assistant" || piece.from !== "gemini") return false;
  return piece.block.type === "tool-call" || piece.block.type === "text";
}

/** Gemini signs the parts of an answer together: one of them cannot be changed alone (PROTOCOLS C.2). */
export function clearable(clearing: Costs["clearing"], { wire }: ModelChoice): Costs["clearing"] {
  return wire === "gemini" && clearing === "all" ? "results" : clearing;
}
