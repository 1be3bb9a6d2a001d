import { bounds } from "../kernel/bounds.ts";
import type { Hash } from "../kernel/ids.ts";
import type { EntryBody, PermissionMode, Verbosity } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import { proposals, rulesIn } from "../memory/fact-proposals.ts";
import { changeText, type Observation, reminderText } from "../prompt/context.ts";
import { type Assembly, modeTexts, verbosityTexts } from "../prompt/sections.ts";
import type { AgentConfig } from "./config.ts";
import { alwaysRevealed } from "./declared.ts";
import type { Effects } from "./effects.ts";
import { projectNews } from "./facts.ts";
import { learned, touchedIn } from "./knowledge.ts";
import type { TextCache } from "./texts.ts";

/** Looks outside once per message: what changed becomes entries before anything renders it (M-52, M-53). */
export async function newsOf(
  state: State,
  fx: Effects,
  given: Pick<AgentConfig, "assembly" | "serverTools"> & { readonly texts: TextCache; readonly message: string },
): Promise<readonly EntryBody[]> {
  const { observed: before, epoch } = state;
  const { assembly, texts, message, serverTools } = given;
  const facts = await projectNews(state, fx);
  const changes = (await fx.observe()).filter(({ key, text }) => before[key] !== text);
  const entries = changes.map(({ key, text }): EntryBody => ({ type: "context-observed", key, text }));
  const told = await learned(state, fx, texts, { message, touched: touchedIn(state) });
  const known = [...(await alwaysRevealed(state, serverTools, texts)), ...told];
  if (epoch === null) return [...facts, ...entries, ...known];
  const news = assembly === "append" ? said("context", changes) : [];
  return [...facts, ...entries, ...news, ...known, ...(await filesChanged(state, fx))];
}

/** Rules that the user's own words state, as proposals. */
export function proposedIn({ facts }: State, typed: string): readonly EntryBody[] {
  return proposals(facts, rulesIn(typed), "user");
}

function said(source: string, changes: readonly Observation[]): readonly EntryBody[] {
  return changes.length === 0 ? [] : [{ type: "reminder-added", source, text: changeText(changes) }];
}

/** A mode chosen in mid-session: our own words, so they may stand on the system side (DESIGN 4, Trust). */
export function modeReminder({ epoch }: State, mode: PermissionMode, assembly: Assembly): readonly EntryBody[] {
  if (epoch === null || assembly === "boundary") return [];
  return [{ type: "reminder-added", source: "mode", text: modeTexts[mode], side: "system" }];
}

export function verbosityReminder({ epoch }: State, verbosity: Verbosity, assembly: Assembly): readonly EntryBody[] {
  if (epoch === null || assembly === "boundary") return [];
  return [{ type: "reminder-added", source: "verbosity", text: verbosityTexts[verbosity], side: "system" }];
}

/**
 * The todo list was forgotten: said once, with an answer that goes on, so that it stands behind the results the next request
 * brings. Shown up to the next message only, and without a word of the items, which are the model's own.
 */
export function todoReminder({ todos, todosAge }: State): readonly EntryBody[] {
  const isOpen = todos.some(({ status }) => status !== "done");
  // The answer at hand is not counted yet.
  if (!isOpen || todosAge + 1 < bounds.stepsBetweenTodoRemindersMin) return [];
  const text = `The todo list has open items and has not changed for ${todosAge + 1} steps. Bring it up to date with TodoWrite if it is behind; else go on.`;
  return [{ type: "reminder-added", source: "todos", text, side: "system", until: "next-message" }];
}

/** Files in the context that are no longer what the model saw: each change is said once. */
async function filesChanged(state: State, fx: Effects): Promise<readonly EntryBody[]> {
  const seen = Object.entries(state.files).slice(-bounds.filesWatchedMax);
  const found = await Promise.all(seen.map(async ([path, file]) => ({ path, file, now: await fx.fileHash(path) })));
  const changed = found.filter(({ file, now }) => (now ?? "gone") !== (file.announced ?? file.hash));
  if (changed.length === 0) return [];
  const lines = changed.map(({ path, file, now }) => `${path} ${whatHappened(now, file.hash)}`);
  const entries = changed.map(({ path, now }): EntryBody => ({ type: "file-changed", path, hash: now }));
  return [...entries, { type: "reminder-added", source: "files", text: reminderText(lines.join("\n")) }];
}

function whatHappened(now: Hash | null, seen: Hash): string {
  if (now === null) return "is gone since you last saw it.";
  return now === seen ? "is again as you last saw it." : "changed on disk since you last saw it.";
}
