import { growing } from "../kernel/growing.ts";
import type { Hash } from "../kernel/ids.ts";
import type { Wire } from "../kernel/usage.ts";
import type { AssistantBlock, Piece, Text, UserBlock } from "../log/block.ts";
import { shownIn } from "../log/shown.ts";
import type { State } from "../log/state.ts";
import type { Doc, SystemSection, ToolDeclaration } from "./doc.ts";
import { heal } from "./heal.ts";

/** The head of an epoch as loaded from its two blobs. */
export type Head = { readonly tools: readonly ToolDeclaration[]; readonly system: readonly SystemSection[] };

/** Blob texts that were loaded beforehand; rendering itself reads nothing. */
export type Texts = { get(hash: Hash): string | undefined };

/**
 * The document of the lane's next step request: a pure function of the log (law 7). Pieces that were resolved once are
 * kept by identity, so a long conversation costs what was added, not what stands there.
 */
export function docOf(state: State, head: Head, texts: Texts): Doc {
  const { epoch, started, newest } = state;
  if (epoch === null || started === null) throw new Error("docOf: no epoch is open; the driver opens one first");
  const wire = epoch.model.wire;
  const pieces = resolverOf(texts)(shownIn(state), wire);
  return {
    model: epoch.model,
    tools: head.tools,
    system: head.system,
    pieces: heal(pieces),
    cacheKey: `${started.session}-${started.lane}`,
    ...(newest?.wire === wire && newest.messageId !== "" ? { previousResponse: newest.messageId } : {}),
    ...(epoch.providerClearing === undefined ? {} : { providerClearing: epoch.providerClearing }),
  };
}

/** Every blob the prompt needs. */
export function blobsOf(state: State): readonly Hash[] {
  const given = state.calls.flatMap(({ input, rewritten }) => (rewritten === undefined ? [input] : [input, rewritten]));
  const inputs = given.flatMap((input) => (typeof input === "string" ? [] : [input.blob]));
  return [...blobsIn(shownIn(state), undefined), ...inputs];
}

export function textOf(text: Text, texts: Texts): string {
  if (typeof text === "string") return text;
  const loaded = texts.get(text.blob);
  return loaded ?? `(the stored text ${text.blob.slice(0, 12)} of ${text.chars} characters is missing)`;
}

const resolvers = new WeakMap<Texts, (pieces: readonly Piece[], wire: Wire) => readonly Piece[]>();

function resolverOf(texts: Texts): (pieces: readonly Piece[], wire: Wire) => readonly Piece[] {
  const known = resolvers.get(texts);
  if (known !== undefined) return known;
  const made = growing<Piece, Piece, Wire, Wire>({
    start: (wire) => wire,
    make: (part, wire) => part.flatMap((piece) => resolved(piece, wire, texts)),
  });
  resolvers.set(texts, made);
  return made;
}

const memo = new WeakMap<Piece, { readonly wire: Wire; readonly pieces: readonly Piece[] }>();

function resolved(piece: Piece, wire: Wire, texts: Texts): readonly Piece[] {
  const known = memo.get(piece);
  if (known?.wire === wire) return known.pieces;
  const pieces = resolve(piece, wire, texts);
  memo.set(piece, { wire, pieces });
  return pieces;
}

function resolve(piece: Piece, wire: Wire, texts: Texts): readonly Piece[] {
  if (piece.role === "user") return [{ ...piece, block: resolveUser(piece.block, texts) }];
  if (piece.role === "system") return [{ ...piece, block: { ...piece.block, text: textOf(piece.block.text, texts) } }];
  if (piece.block.type === "compaction") {
    const { text, wire: own } = piece.block;
    if (piece.from === wire && !isLost(own, texts)) return [{ ...piece, block: resolveAssistant(piece.block, texts) }];
    // Its words, where it is not its maker that reads on, or the block itself is gone.
    return [{ id: piece.id, role: "user", kind: "fold", block: { type: "text", text: textOf(text, texts) } }];
  }
  if (piece.from === wire) return [{ ...piece, block: resolveAssistant(piece.block, texts) }];
  // To another wire goes only what is ours to say again: no foreign signature, no block we do not understand (C-025).
  if (piece.block.type === "opaque" || piece.block.type === "reasoning") return [];
  const { wire: _foreign, ...block } = resolveAssistant(piece.block, texts);
  if (block.type === "text" && textOf(block.text, texts).trim() === "") return [];
  return [{ ...piece, block }];
}

function isLost(text: Text, texts: Texts): boolean {
  return typeof text !== "string" && texts.get(text.blob) === undefined;
}

function resolveUser(block: UserBlock, texts: Texts): UserBlock {
  if (block.type === "image") return { ...block, data: textOf(block.data, texts) };
  const text = textOf(block.text, texts);
  // No provider takes an empty text, and a message that was sent blank must still be one: it stands for a turn (law 4).
  if (block.type === "text") return { ...block, text: text.trim() === "" ? "(empty message)" : text };
  const { pointers, reveals } = block;
  return {
    ...block,
    text,
    ...(pointers === undefined ? {} : { pointers: { ...pointers, full: textOf(pointers.full, texts) } }),
    ...(reveals === undefined ? {} : { reveals: reveals.map((one) => textOf(one, texts)) }),
  };
}

function resolveAssistant<B extends AssistantBlock>(block: B, texts: Texts): B {
  const fields = Object.entries(block).map(([key, value]) => [key, isBlobRef(value) ? textOf(value, texts) : value]);
  // Only `Text` members change, and only from a reference to the string it stands for: the block keeps its type.
  return Object.fromEntries(fields) as B;
}

const blobsIn = growing<Piece, Hash, undefined, undefined>({
  start: () => undefined,
  make: (part) =>
    part.flatMap(({ block }) => {
      const hidden = block.type === "tool-result" ? [block.pointers?.full, ...(block.reveals ?? [])] : [];
      return [...Object.values(block), ...hidden].flatMap((value) => (isBlobRef(value) ? [value.blob] : []));
    }),
});

function isBlobRef(value: unknown): value is { readonly blob: Hash; readonly chars: number } {
  return typeof value === "object" && value !== null && "blob" in value;
}
