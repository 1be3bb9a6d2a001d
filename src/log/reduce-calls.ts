import type { Piece, Text } from "./block.ts";
import type { EntryOf } from "./entry.ts";
import { withToolUsed } from "./revealed.ts";
import type { Call, State } from "./state.ts";

export function resultPieces(entry: EntryOf<"tool-returned">, call: Call): readonly Piece[] {
  const result = resultPiece(`${entry.seq}.0`, call, entry.output, entry.ending !== "done");
  const images = entry.images.map(
    (image, index): Piece => ({
      id: `${entry.seq}.${index + 1}`,
      role: "user",
      kind: "image",
      block: { type: "image", ...image },
    }),
  );
  return [result, ...images];
}

export function resultPiece(id: string, call: Call, text: Text, isError: boolean): Piece {
  const { callId, tool } = call;
  return { id, role: "user", kind: "result", block: { type: "tool-result", callId, tool, text, isError } };
}

/** A tool that was found and called is in use. */
export function usedNow({ revealed, turns }: State, tool: string): State["revealed"] {
  return withToolUsed(revealed, tool, turns);
}

/** Of a call's pieces, the one that is its result, with the tools it shows. */
export function showing(piece: Piece, reveals: readonly Text[]): Piece {
  if (piece.role !== "user" || piece.block.type !== "tool-result") return piece;
  return { ...piece, block: { ...piece.block, reveals } };
}

/** A call that has its result keeps it: whatever is said of it later, and by whom, opens it no more. */
export function withOpen(state: State, callId: string, change: (call: Call) => Call): State {
  return withCall(state, (call) => call.callId === callId && call.status.type !== "returned", change);
}

export function withReturned(state: State, callId: string, change: (call: Call) => Call): State {
  return withCall(state, (call) => call.callId === callId && call.status.type === "returned", change);
}

function withCall(state: State, is: (call: Call) => boolean, change: (call: Call) => Call): State {
  const index = state.calls.findIndex(is);
  const call = state.calls[index];
  return call === undefined ? state : { ...state, calls: state.calls.with(index, change(call)) };
}
