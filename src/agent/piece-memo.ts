import type { Handle } from "../kernel/ids.ts";
import { attachmentHandle, isFrontPiece } from "../log/attached.ts";
import type { Piece, PieceKind } from "../log/block.ts";
import type { State } from "../log/state.ts";
import type { Memo } from "../reduction/memo.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";
import { isInForce } from "./attach.ts";
import { handleIn } from "./handle-in.ts";
import { pointersIn } from "./pointers.ts";

/** What the log knows of pieces beside their bytes; segments' ids are places among them. */
export function memoOf(pieces: readonly Piece[], state: State): Memo {
  const pending = new Set(state.calls.flatMap((call) => call.pieces.map(({ id }) => id)));
  const inForce = new Set(Object.values(state.attached).flatMap((one) => (isInForce(one, state) ? [one.piece] : [])));
  return {
    kindOf: ({ id }) => kindOf(pieces[id], inForce),
    handleOf: (callId) => handleIn(state, callId),
    isFailed: ({ id }) => isFailed(pieces[id]),
    showsTools: ({ id }) => showsTools(pieces[id]),
    overOf: ({ id }) => overOf(pieces[id], inForce),
    tokensOf,
    isUnsent: (segment) => pending.has(pieces[segment]?.id ?? ""),
    ...pointersIn(pieces),
  };
}

/** The front stays as it was sent until an epoch is written anew. */
function overOf(piece: Piece | undefined, inForce: ReadonlySet<string>): Handle | null {
  if (piece?.role !== "user" || piece.kind !== "attached" || piece.block.type !== "text") return null;
  return inForce.has(piece.id) || isFrontPiece(piece.id) ? null : attachmentHandle(piece.block);
}

/** What was attached and is over need not be kept, as a reminder that is said anew. */
function kindOf(piece: Piece | undefined, inForce: ReadonlySet<string>): PieceKind | null {
  if (piece?.block.type === "compaction") return "fold";
  if (piece?.role === "user" && piece.kind === "attached" && !inForce.has(piece.id)) return "reminder";
  return piece === undefined || piece.role === "assistant" ? null : piece.kind;
}

function showsTools(piece: Piece | undefined): boolean {
  return piece?.block.type === "tool-result" && (piece.block.reveals?.length ?? 0) > 0;
}

function isFailed(piece: Piece | undefined): boolean {
  return piece?.role === "user" && piece.block.type === "tool-result" && piece.block.isError;
}
