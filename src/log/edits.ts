import type { CompactionBlock, Piece, Pointers, Text } from "./block.ts";
import type { PieceEdit } from "./entry.ts";

/** What a break does to the live pieces, edit by edit. An edit that names a piece no longer there changes nothing. */
export function applyEdits(pieces: readonly Piece[], edits: readonly PieceEdit[], seq: number): readonly Piece[] {
  return edits.reduce((rest, edit, index) => appliers[edit.type](rest, edit, `${seq}.${index + 1}`), pieces);
}

/** The same for pieces that were not sent yet: a break may drop them (a stale reminder), never change them. */
export function withoutDropped(pieces: readonly Piece[], edits: readonly PieceEdit[]): readonly Piece[] {
  const drops = edits.filter((edit) => edit.type === "dropped");
  const left = drops.reduce((rest, edit) => dropped(rest, edit.from, edit.to), pieces);
  return left.length === pieces.length ? pieces : left;
}

type Replaced = Extract<PieceEdit, { readonly type: "replaced" }>;
type Apply = (pieces: readonly Piece[], edit: PieceEdit, id: string) => readonly Piece[];

const appliers: { readonly [T in PieceEdit["type"]]: Apply } = {
  dropped: (pieces, edit) => (edit.type === "dropped" ? dropped(pieces, edit.from, edit.to) : pieces),
  replaced: (pieces, edit) =>
    edit.type === "replaced"
      ? pieces.map((piece) => (piece.id === edit.piece ? withText(piece, edit) : piece))
      : pieces,
  unsigned: (pieces, edit) => (edit.type === "unsigned" ? unsigned(pieces, edit.from, edit.to) : pieces),
  inserted: (pieces, edit, id) => {
    if (edit.type !== "inserted") return pieces;
    const at = edit.before === null ? -1 : pieces.findIndex((piece) => piece.id === edit.before);
    const piece: Piece = { id, role: "user", kind: edit.kind, block: { type: "text", text: edit.text } };
    return pieces.toSpliced(at === -1 ? pieces.length : at, 0, piece);
  },
};

function dropped(pieces: readonly Piece[], from: string, to: string): readonly Piece[] {
  const first = pieces.findIndex((piece) => piece.id === from);
  const last = pieces.findLastIndex((piece) => piece.id === to);
  return first === -1 || last < first ? pieces : pieces.toSpliced(first, last - first + 1);
}

/** Of the wire that the first of them came by. What has no neutral fields stays; breaks leave it out by itself. */
function unsigned(pieces: readonly Piece[], from: string, to: string): readonly Piece[] {
  const first = pieces.findIndex((piece) => piece.id === from);
  const last = pieces.findLastIndex((piece) => piece.id === to);
  const begin = pieces[first];
  if (begin?.role !== "assistant") return pieces;
  return pieces.map((piece, at) => {
    if (at < first || at > last || piece.role !== "assistant" || piece.from !== begin.from) return piece;
    if (piece.block.type === "compaction") return foldOf(piece.id, piece.block);
    if (piece.block.type !== "text" && piece.block.type !== "tool-call") return piece;
    const { wire: _signed, ...block } = piece.block;
    return { ...piece, block };
  });
}

/** What only its maker reads whole goes on as any other summary. */
function foldOf(id: string, { text }: CompactionBlock): Piece {
  return { id, role: "user", kind: "fold", block: { type: "text", text } };
}

function withText(piece: Piece, { text, pointers }: Pick<Replaced, "text" | "pointers">): Piece {
  if (piece.role === "system") return { ...piece, block: { ...piece.block, text } };
  if (piece.role === "user") {
    if (piece.block.type === "tool-result") return withResultText(piece, text, pointers);
    return piece.block.type === "image" ? piece : { ...piece, block: { ...piece.block, text } };
  }
  // The wire text says the old words: a replaced block is encoded from its neutral form.
  if (piece.block.type === "text") return { ...piece, block: { type: "text", text } };
  if (piece.block.type !== "tool-call") return piece;
  const { callId, tool } = piece.block;
  return { ...piece, block: { type: "tool-call", callId, tool, input: text } };
}

/** A result in another form. Pointers go with the text that had them, and tools with the search that brought them. */
export function withResultText(piece: Piece, text: Text, pointers?: Pointers): Piece {
  if (piece.role !== "user" || piece.block.type !== "tool-result") return piece;
  const { pointers: _, reveals: __, ...block } = piece.block;
  return { ...piece, block: { ...block, text, ...(pointers === undefined ? {} : { pointers }) } };
}
