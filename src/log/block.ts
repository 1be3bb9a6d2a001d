import type { CallId, Hash } from "../kernel/ids.ts";
import type { Wire } from "../kernel/usage.ts";
import type { Effort } from "./effort.ts";

/** A text in an entry: in place when short (`bounds.inlineCharsMax`), else in the blob store under its hash. */
export type Text = string | BlobRef;
export type BlobRef = { readonly blob: Hash; readonly chars: number };

/** UTF-16 units of a text, without reading it. */
export function charsOfText(text: Text): number {
  return typeof text === "string" ? text.length : text.chars;
}

/**
 * A block of an assistant message. `wire` is its JSON exactly as the provider gave it (a stream's deltas put together);
 * it goes back unchanged to the same wire, whatever we understand of it. Blocks of unknown type are `opaque`.
 */
export type AssistantBlock =
  | { readonly type: "text"; readonly text: Text; readonly wire?: Text }
  | {
      readonly type: "tool-call";
      readonly callId: CallId;
      readonly tool: string;
      readonly input: Text;
      readonly wire?: Text;
    }
  | { readonly type: "reasoning"; readonly text: Text; readonly wire?: Text }
  | CompactionBlock
  | { readonly type: "opaque"; readonly wire: Text };

/**
 * What the provider itself made of the conversation before it (PROTOCOLS A.5, B.4); it stands first. `text` says the same to
 * anybody else: what can be read of it, or a list of the work where nothing can.
 */
export type CompactionBlock = { readonly type: "compaction"; readonly text: Text; readonly wire: Text };

/** A block of a user message. */
export type UserBlock =
  | { readonly type: "text"; readonly text: Text }
  | { readonly type: "image"; readonly mediaType: string; readonly data: Text }
  | {
      readonly type: "tool-result";
      readonly callId: CallId;
      readonly tool: string;
      readonly text: Text;
      readonly isError: boolean;
      readonly pointers?: Pointers;
      /**
       * Tools that it shows, each canonical JSON of a `ToolDeclaration`: where the wire can say so, they are declared from here
       * on, and `text`, which says the same in words, is left out.
       */
      readonly reveals?: readonly Text[];
    };

/** Of a result in whose text pointers take the place of lines: all its lines, and where the others are shown. */
export type Pointers = { readonly full: Text; readonly points: readonly Pointer[] };

/** Lines of a result that are not sent again, since another result of the lane, the carrier, shows them in full. */
export type Pointer = {
  /** Its `Piece.id`; where there are no pieces, whatever names it. */
  readonly carrier: string;
  /** Of the form that has all lines, from 0. */
  readonly first: number;
  readonly count: number;
  /** Line of the original that the first of them is, from 1. */
  readonly line: number;
};

/**
 * Text on the system side in mid-conversation, where the model takes it (PROTOCOLS A.6, B.3). `effort` is in force from here
 * on, where the wire can say so without touching the head. `until`: shown up to the next user message only, where the
 * provider can hide it without moving the prefix.
 */
export type SystemBlock = {
  readonly type: "text";
  readonly text: Text;
  readonly effort?: Effort;
  readonly until?: "next-message";
};

/**
 * One block of the conversation as it stands in the prompt. `id` is `<seq of its entry>.<index>`: stable, and the way
 * a break names what it changes. `kind` says why a user-side text is there; it never reaches the wire. `from` is the wire
 * an assistant block came by: to another wire its `wire` text and its reasoning do not go (CASES C-025).
 */
export type Piece =
  | { readonly id: string; readonly role: "assistant"; readonly from: Wire; readonly block: AssistantBlock }
  | { readonly id: string; readonly role: "user"; readonly kind: PieceKind; readonly block: UserBlock }
  | { readonly id: string; readonly role: "system"; readonly kind: "reminder"; readonly block: SystemBlock };

export type PieceKind = "message" | "result" | "context" | "facts" | "attached" | "reminder" | "fold" | "image";

/** What a break writes anew in front of all else: its older versions go, wherever they stand. */
export function isMadeAnew(piece: Piece): boolean {
  return piece.role === "user" && madeAnew.has(piece.kind);
}

/** Their kinds. */
export const madeAnew: ReadonlySet<PieceKind> = new Set(["context", "facts", "attached"]);

/** A text on the user's side, named by the entry that brings it. */
export function userText(seq: number, kind: Exclude<PieceKind, "result" | "image" | "fold">, text: Text): Piece {
  return { id: `${seq}.0`, role: "user", kind, block: { type: "text", text } };
}
