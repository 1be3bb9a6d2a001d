import type { Piece } from "../log/block.ts";
import type { PieceEdit } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";
import { effortWordsEnded } from "./effort.ts";
import { pieceSegments } from "./piece-segments.ts";
import { type EpochBody, withoutReasoning } from "./reasoning.ts";
import { withoutSignatures } from "./signatures.ts";

/** What opening that epoch takes away of what was said, because it is not valid any more, and what is lost with it. */
export function breakEdits(
  state: State,
  next: EpochBody,
  sent: "stands" | "changed",
): Pick<EpochBody, "edits" | "cost"> {
  const words = effortWordsEnded(state, next.model);
  const reasoning = withoutReasoning(state, next, words.length > 0 ? "changed" : sent);
  const dropped = [...words, ...reasoning].map(({ id }): PieceEdit => ({ type: "dropped", from: id, to: id }));
  return { edits: [...withoutSignatures(state, next), ...dropped], cost: costOf(state, reasoning) };
}

function costOf({ live }: State, dropped: readonly Piece[]): EpochBody["cost"] {
  const sum = (pieces: readonly Piece[]) => pieceSegments(pieces).reduce((tokens, one) => tokens + tokensOf(one), 0);
  const lost = sum(dropped);
  return { tokensRewritten: sum(live) - lost, reasoningTokensLost: lost, usd: null };
}
