import type { Piece, PieceKind } from "../log/block.ts";
import type { State } from "../log/state.ts";
import type { Memo } from "../reduction/memo.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";
import { handleIn } from "./handle-in.ts";
import { pointersIn } from "./pointers.ts";

/** What the log knows of pieces beside their bytes; segments' ids are places among them. */
export function memoOf(pieces: readonly Piece[], state: State): Memo {
  const pending = new Set(state.calls.flatMap((call) => call.pieces.map(({ id }) => id)));
  return {
    kindOf: ({ id }) => kindOf(pieces[id]),
    handleOf: (callId) => handleIn(state, callId),
    isFailed: ({ id }) => isFailed(pieces[id]),
    tokensOf,
    isUnsent: (segment) => pending.has(pieces[segment]?.id ?? ""),
    ...pointersIn(pieces),
  };
}

function kindOf(piece: Piece | undefined): PieceKind | null {
  if (piece?.block.type === "compaction") return "fold";
  return piece === undefined || piece.role === "assistant" ? null : piece.kind;
}

function isFailed(piece: Piece | undefined): boolean {
  return piece?.role === "user" && piece.block.type === "tool-result" && piece.block.isError;
}
