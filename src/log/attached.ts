import { handleOf, hashOf } from "../kernel/hash.ts";
import type { Handle, Hash } from "../kernel/ids.ts";
import type { Piece, Text } from "./block.ts";
import type { AttachedLimits } from "./skill.ts";

/** Why a text from outside stands in the conversation. In this order they stand in front of an epoch. */
export const attachmentKinds = [
  "instructions",
  "rule",
  "style",
  "memory-index",
  "server",
  "skills",
  "skill",
  "command",
  "memory",
  "hook",
] as const;

export type AttachmentKind = (typeof attachmentKinds)[number];

/** A text from outside (a file, a hook ...) as the model gets it: a block of its own on the user's side that names its source. */
export type Attachment = {
  readonly kind: AttachmentKind;
  /** One of its kind: a path, a skill's name, a memory's file. */
  readonly name: string;
  /** Where it comes from, for people. */
  readonly source: string;
  /** Of what stands outside, so that a change is noticed. */
  readonly hash: Hash;
  readonly text: Text;
  /** What a skill or a command says of tools while it is in force; left out: nothing. */
  readonly limits?: AttachedLimits;
  /**
   * Our own words alone, and no block of the conversation: a section of the system prompt, for the turn it was wanted in
   * (assembly `boundary`).
   */
  readonly side?: "system";
  /** Where `text` shows less: all of it, which can be recalled. */
  readonly original?: Text;
  /** Of a skill: its folder, which may be read while it is in force, wherever it lies. */
  readonly folder?: string;
};

export type AttachmentName = Pick<Attachment, "kind" | "name">;

export type AttachmentEntry =
  /** Joins the prompt with the next request, or stands in front of the epoch that opens first. One of the same name is in force no more. */
  | { readonly type: "text-attached"; readonly attachment: Attachment }
  /** Wanted again for the turn under way, while the prompt shows them: they are not sent twice. */
  | { readonly type: "attachments-used"; readonly names: readonly AttachmentName[] }
  /** A skill is finished, a file is gone: the text leaves with the next epoch. */
  | {
      readonly type: "attachment-ended";
      readonly kind: AttachmentKind;
      readonly name: string;
      readonly why: string;
    };

/** By `attachmentKey`; what an epoch left behind is in it no more. */
export type Attachments = Readonly<Record<string, Attached>>;

export type Attached = Attachment & {
  /** Of the block that shows it (`Piece.id`). */
  readonly piece: string;
  /** Turns are counted from 1. */
  readonly fromTurn: number;
  readonly usedTurn: number;
  /** Why it is over; null: it is in force. */
  readonly ended: string | null;
};

/** As it was attached. */
export function attachmentOf({
  piece: _piece,
  fromTurn: _from,
  usedTurn: _used,
  ended: _ended,
  ...one
}: Attached): Attachment {
  return one;
}

export function attachmentKey({ kind, name }: AttachmentName): string {
  return `${kind}\n${name}`;
}

/** A text that was in the prompt stays recallable, whatever becomes of its file (law 3). */
export function attachmentHandle({ text, original = text }: Pick<Attachment, "text" | "original">): Handle {
  return handleOf(typeof original === "string" ? hashOf(original) : original.blob);
}

/** `turn`: the one it is for. */
export function withAttached(all: Attachments, attachment: Attachment, piece: string, turn: number): Attachments {
  return {
    ...all,
    [attachmentKey(attachment)]: { ...attachment, piece, fromTurn: turn, usedTurn: turn, ended: null },
  };
}

export function withUsed(all: Attachments, names: readonly AttachmentName[], turn: number): Attachments {
  const used = names.flatMap((name): readonly (readonly [string, Attached])[] => {
    const one = all[attachmentKey(name)];
    return one === undefined ? [] : [[attachmentKey(name), { ...one, usedTurn: turn }]];
  });
  return used.length === 0 ? all : { ...all, ...Object.fromEntries(used) };
}

export function withEnded(all: Attachments, name: AttachmentName, why: string): Attachments {
  const one = all[attachmentKey(name)];
  return one === undefined || one.ended !== null ? all : { ...all, [attachmentKey(name)]: { ...one, ended: why } };
}

/** What an epoch shows anew in its front; the rest left with its block, but for what limits the turn under way, `turn`. */
export function afterEpoch(
  all: Attachments,
  shown: readonly Attachment[],
  { seq, turn }: { readonly seq: number; readonly turn: number },
): Attachments {
  const left = shown.map((attachment, at): readonly [string, Attached] => {
    const piece = frontPiece(seq, at);
    const before = all[attachmentKey(attachment)];
    const turns = { fromTurn: before?.fromTurn ?? 1, usedTurn: before?.usedTurn ?? 1 };
    return [attachmentKey(attachment), { ...attachment, piece, ...turns, ended: null }];
  });
  return withLimiting(Object.fromEntries(left), all, turn);
}

/** Limits hold for the whole turn they were called in, though their text may leave in the middle of it (CASES C-095). */
function withLimiting(left: Attachments, all: Attachments, turn: number): Attachments {
  const limiting = Object.entries(all).filter(
    ([key, { limits, usedTurn }]) => limits !== undefined && usedTurn >= turn && left[key] === undefined,
  );
  const over = limiting.map(([key, one]) => [key, { ...one, ended: one.ended ?? "its text left" }] as const);
  return { ...left, ...Object.fromEntries(over) };
}

/**
 * Behind a break that changed some pieces and left the front: each by the piece that shows it now. What none shows any more is
 * no longer attached, so that it is sent again where it is wanted.
 */
export function afterEdits(all: Attachments, pieces: readonly Piece[], turn: number): Attachments {
  const shown = pieces.filter((piece) => piece.role === "user" && piece.kind === "attached");
  const left = Object.entries(all).flatMap(([key, one]): readonly (readonly [string, Attached])[] => {
    if (one.side === "system") return [[key, one]];
    const showing = shown.filter(({ block }) => block.type === "text" && isSame(block.text, one.text));
    if (showing.some(({ id }) => id === one.piece)) return [[key, one]];
    const piece = showing.at(-1)?.id;
    if (piece !== undefined) return [[key, { ...one, piece }]];
    return one.ended === null ? [] : [[key, one]];
  });
  return withLimiting(Object.fromEntries(left), all, turn);
}

function isSame(one: Text, other: Text): boolean {
  return typeof one === "string" || typeof other === "string" ? one === other : one.blob === other.blob;
}

export function isFrontPiece(id: string): boolean {
  return /\.attached-\d+$/.test(id);
}

export function frontPiece(seq: number, at: number): string {
  return `${seq}.attached-${at}`;
}
