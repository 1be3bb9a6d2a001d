import type { Piece } from "./block.ts";
import { pendingPieces } from "./reduce.ts";
import type { State } from "./state.ts";

/** All that the next request shows behind its head, in order. */
export function shownIn(state: State): readonly Piece[] {
  return [...state.live, ...pendingPieces(state)];
}
