import type { Handle } from "../kernel/ids.ts";
import { isMadeAnew, type Piece, type Text } from "../log/block.ts";
import type { PieceEdit } from "../log/entry.ts";
import { shownIn } from "../log/shown.ts";
import type { State } from "../log/state.ts";
import type { LineName } from "./defence-line.ts";

/**
 * Tokens that are not in the prompt because of a line (`kept-out`), or are in it because of one (`added`). They are counted as
 * long as what stands in their place, the anchor, does: when another line takes that away, these tokens would have left
 * anyway, and from then on they are nobody's.
 */
export type KeptOut = {
  readonly line: LineName;
  readonly side: "kept-out" | "added";
  /** `Piece.id`. */
  readonly anchor: string;
  /** What the anchor says; null: whatever it says. */
  readonly words: string | null;
  /** The piece that is not there; back again after an undo, it is kept out no more. null: the anchor in another form. */
  readonly gone: string | null;
  readonly tokens: number;
};

type Taken = Omit<KeptOut, "line" | "side">;

/**
 * What a break took out of the prompt, net of what it put there. What it says anew in front, as every break of its kind does,
 * is no part of it.
 */
export function keptOutAt(before: State, after: State, tokensOf: (piece: Piece) => number): readonly Taken[] {
  const [old, now] = [shownIn(before), shownIn(after)].map((pieces) => pieces.filter((piece) => !isMadeAnew(piece)));
  if (old === undefined || now === undefined) return [];
  const oldIds = new Set(old.map(({ id }) => id));
  const written = now.filter(({ id }) => !oldIds.has(id));
  const put = written.map((piece): Taken => ({ anchor: piece.id, words: null, gone: null, tokens: -tokensOf(piece) }));
  return [...put, ...takenFrom(old, now, tokensOf)];
}

/** Each piece that went is held by what the break wrote in its place, else by what stands behind it. */
function takenFrom(old: readonly Piece[], now: readonly Piece[], tokensOf: (piece: Piece) => number): readonly Taken[] {
  const places = new Map(now.map(({ id }, at) => [id, at]));
  const oldIds = new Set(old.map(({ id }) => id));
  const taken: Taken[] = [];
  let behind = now.length;
  for (const piece of old.toReversed()) {
    const at = places.get(piece.id);
    const left = at === undefined ? undefined : now[at];
    if (at !== undefined && left !== undefined) {
      behind = at;
      const tokens = tokensOf(piece) - tokensOf(left);
      if (tokens !== 0) taken.push({ anchor: piece.id, words: wordsOf(left), gone: null, tokens });
      continue;
    }
    const inPlace = now[behind - 1];
    const anchor = inPlace !== undefined && !oldIds.has(inPlace.id) ? inPlace : (now[behind] ?? inPlace);
    if (anchor !== undefined) taken.push({ anchor: anchor.id, words: null, gone: piece.id, tokens: tokensOf(piece) });
  }
  return taken;
}

/** Of results that are gone or changed, of inputs, and of the list that a fold stands for. `originals`: by call. */
export function handlesTaken(
  originals: ReadonlyMap<string, { readonly handle: Handle }>,
  edits: readonly PieceEdit[],
  before: State,
  after: State,
): readonly Handle[] {
  const left = new Map(shownIn(after).map((piece) => [piece.id, wordsOf(piece)]));
  const gone = shownIn(before).filter((piece) => left.get(piece.id) !== wordsOf(piece));
  const results = gone.flatMap(({ block }) =>
    block.type === "tool-result" ? (originals.get(block.callId)?.handle ?? []) : [],
  );
  const kept = edits.flatMap((edit) => ("original" in edit && edit.original !== undefined ? edit.original.handle : []));
  return [...results, ...kept];
}

/** What was sent before and is sent again behind the first change, with what the break wrote there. */
export function rewrittenAt(
  before: State,
  after: State,
  isSent: (id: string) => boolean,
  tokensOf: (piece: Piece) => number,
): number {
  const head = [before.epoch?.head, after.epoch?.head].map((one) => `${one?.tools} ${one?.system}`);
  // All that is not read is written again.
  if (head[0] !== head[1]) return Number.POSITIVE_INFINITY;
  const known = new Set(before.live.map(({ id }) => id));
  const from = after.live.findIndex((piece, at) => bytesOf(piece) !== bytesOf(before.live[at]));
  if (from === -1) return 0;
  const again = after.live.slice(from).filter(({ id }) => isSent(id) || !known.has(id));
  return again.reduce((sum, piece) => sum + tokensOf(piece), 0);
}

/** Of what was kept out or added, what still is for no other reason than its line. */
export function standing(kept: readonly KeptOut[], state: State): readonly KeptOut[] {
  const words = new Map(shownIn(state).map((piece) => [piece.id, wordsOf(piece)]));
  return kept.filter(({ anchor, words: said, gone }) => {
    const now = words.get(anchor);
    if (now === undefined || (gone !== null && words.has(gone))) return false;
    return said === null || said === now;
  });
}

/** What a piece says, or the name of where that is stored. */
export function wordsOf({ block }: Piece): string {
  if (block.type === "image") return nameOf(block.data);
  if (block.type === "opaque") return nameOf(block.wire);
  return nameOf(block.type === "tool-call" ? block.input : block.text);
}

function nameOf(text: Text): string {
  return typeof text === "string" ? text : text.blob;
}

/** All that decides what is sent of a piece; its id does not. */
function bytesOf(piece: Piece | undefined): string {
  if (piece === undefined) return "";
  const block = "pointers" in piece.block ? { ...piece.block, pointers: undefined } : piece.block;
  return JSON.stringify([piece.role, block]);
}
