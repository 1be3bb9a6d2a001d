import type { EntryBody } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { LookAt, Told } from "../ports/knowledge.ts";
import { reminderText } from "../prompt/context.ts";
import { attachedEntries, endedEntries } from "./attach.ts";
import type { Effects } from "./effects.ts";
import type { TextCache } from "./texts.ts";

/** What project and user keep for the agent, as entries: what is new or changed, and what is gone, which is said once. */
export async function learned(
  state: State,
  fx: Pick<Effects, "knowledge" | "note">,
  texts: TextCache,
  at: LookAt,
): Promise<readonly EntryBody[]> {
  if (fx.knowledge === null) return [];
  const told = await fx.knowledge.look(at);
  for (const note of told.notes) fx.note(note);
  return [...(await attachedEntries(state, told.attachments, texts)), ...gone(state, told)];
}

function gone(state: State, { covers, attachments }: Told): readonly EntryBody[] {
  const ended = endedEntries(state, covers, attachments, "it is there no more");
  if (ended.length === 0 || state.epoch === null) return ended;
  const names = ended.flatMap((entry) => (entry.type === "attachment-ended" ? [entry.name] : []));
  const text = reminderText(`No longer in force, for it is gone: ${names.join(", ")}`);
  return [...ended, { type: "reminder-added", source: "attachments", text }];
}

export function touchedIn({ files }: Pick<State, "files">): readonly string[] {
  return Object.keys(files);
}
