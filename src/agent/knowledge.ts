import type { EntryBody } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { LookAt, Told } from "../ports/knowledge.ts";
import { reminderText } from "../prompt/context.ts";
import { inLine } from "../workspace/path.ts";
import { attachedEntries, endedEntries } from "./attach.ts";
import type { Effects } from "./effects.ts";
import type { TextCache } from "./texts.ts";

/** What project and user keep for the agent, as entries: what is new or changed, and what is gone, which is said once. */
export async function learned(
  state: State,
  fx: Pick<Effects, "knowledge" | "note">,
  texts: TextCache,
  at: Omit<LookAt, "held">,
): Promise<readonly EntryBody[]> {
  if (fx.knowledge === null) return [];
  const inForce = Object.values(state.attached).filter(({ ended }) => ended === null);
  const held = inForce.map(({ kind, name, source, hash }) => ({ kind, name, source, hash }));
  const told = await fx.knowledge.look({ ...at, held });
  for (const note of told.notes) fx.note(note);
  return [...(await attachedEntries(state, told.attachments, texts)), ...gone(state, told)];
}

function gone(state: State, { covers, attachments, kept = [], ended = [] }: Told): readonly EntryBody[] {
  const over = [
    ...endedEntries(state, covers, [...attachments, ...kept], "it is gone"),
    ...ended.map((one): EntryBody => ({ type: "attachment-ended", ...one })),
  ];
  if (over.length === 0 || state.epoch === null) return over;
  const names = over.flatMap((entry) =>
    entry.type === "attachment-ended" ? [inLine(`${entry.name} (${entry.why})`)] : [],
  );
  const text = reminderText(`No longer in force: ${names.join(", ")}`);
  return [...over, { type: "reminder-added", source: "attachments", text }];
}

export function touchedIn({ files }: Pick<State, "files">): readonly string[] {
  return Object.keys(files);
}
