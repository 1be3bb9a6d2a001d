import { bounds } from "../kernel/bounds.ts";
import {
  type Attached,
  type Attachment,
  type AttachmentKind,
  type AttachmentName,
  attachmentKey,
  attachmentKinds,
  attachmentOf,
} from "../log/attached.ts";
import type { EntryBody } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { Offered } from "../ports/knowledge.ts";
import type { TextCache } from "./texts.ts";

/** What of it is not in force yet, or otherwise than it is outside now; what is wanted again is said to be used. */
export async function attachedEntries(
  { attached }: Pick<State, "attached">,
  offered: readonly Offered[],
  texts: TextCache,
): Promise<readonly EntryBody[]> {
  const fresh = offered.filter((one) => !isAttached(one, attached));
  const again = offered.filter((one) => isAttached(one, attached) && leavesUnused.has(one.kind));
  const entries = fresh.map(async (one): Promise<EntryBody> => {
    const { original, ...rest } = one;
    const all = original === undefined ? {} : { original: await texts.keep(original) };
    return { type: "text-attached", attachment: { ...rest, text: await texts.keep(one.text), ...all } };
  });
  const names = again.map(({ kind, name }) => ({ kind, name }));
  const used: readonly EntryBody[] = names.length === 0 ? [] : [{ type: "attachments-used", names }];
  return [...(await Promise.all(entries)), ...used];
}

/** Results that come at once may bring the same text each: the second one finds it standing there (CASES C-097). */
export function isThereAlready(entry: EntryBody, { attached }: Pick<State, "attached">): boolean {
  if (entry.type !== "text-attached" || leavesUnused.has(entry.attachment.kind)) return false;
  return isAttached(entry.attachment, attached);
}

/** That very content, and it is not over. */
function isAttached(one: AttachmentName & Pick<Attachment, "hash">, attached: State["attached"]): boolean {
  const known = attached[attachmentKey(one)];
  return known !== undefined && known.ended === null && known.hash === one.hash;
}

/** Those of these kinds that nothing outside offers any more. */
export function endedEntries(
  { attached }: Pick<State, "attached">,
  kinds: readonly AttachmentKind[],
  offered: readonly AttachmentName[],
  why: string,
): readonly EntryBody[] {
  const there = new Set(offered.map(attachmentKey));
  return Object.values(attached).flatMap(({ kind, name, ended }): readonly EntryBody[] =>
    kinds.includes(kind) && ended === null && !there.has(attachmentKey({ kind, name }))
      ? [{ type: "attachment-ended", kind, name, why }]
      : [],
  );
}

/** What an epoch that opens now shows in its front, in order. */
export function attachedFront(state: Pick<State, "attached" | "turns">): readonly Attachment[] {
  const stay = Object.values(state.attached).filter((one) => isInForce(one, state));
  return attachmentKinds.flatMap((kind) => stay.filter((one) => one.kind === kind).map(attachmentOf));
}

/** Whether it stays for the next epoch. */
export function isInForce(one: Attached, { turns }: Pick<State, "turns">): boolean {
  if (one.side === "system") return one.ended === null && one.usedTurn >= turns;
  return one.ended === null && stays[one.kind](one, turns);
}

/** What is for the work at hand stays as long as it is wanted; what is for all of it, until it ends. */
const stays: Readonly<Record<AttachmentKind, (one: Attached, turns: number) => boolean>> = {
  instructions: () => true,
  rule: () => true,
  style: () => true,
  "memory-index": () => true,
  server: () => true,
  skills: () => true,
  skill: ({ usedTurn }, turns) => turns - usedTurn < bounds.skillIdleTurnsMax,
  command: ({ usedTurn }, turns) => usedTurn >= turns,
  memory: ({ usedTurn }, turns) => usedTurn >= turns,
  hook: ({ usedTurn }, turns) => usedTurn >= turns,
};

const leavesUnused: ReadonlySet<AttachmentKind> = new Set(["skill", "command", "memory", "hook"]);
