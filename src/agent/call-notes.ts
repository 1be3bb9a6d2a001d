import { estimate } from "../budget/count.ts";
import type { CallId } from "../kernel/ids.ts";
import { own } from "../kernel/own.ts";
import type { EntryBody, EntryOf } from "../log/entry.ts";
import { proposals } from "../memory/fact-proposals.ts";
import { textOf } from "../prompt/render.ts";
import type { ToolNote, ToolOutcome } from "../tools/tool.ts";
import { keptTools } from "./declared.ts";
import { learned, touchedIn } from "./knowledge.ts";
import type { Lane } from "./lane.ts";

/** How a call ended, whoever ended it. */
export type Outcome = Omit<ToolOutcome, "ending"> & { readonly ending: EntryOf<"tool-returned">["ending"] };

/** What a result brings beside itself: what the call said of the session, and what applies where it worked. */
export async function besideResult(callId: CallId, outcome: Outcome, lane: Lane): Promise<readonly EntryBody[]> {
  const noted = await Promise.all((outcome.notes ?? []).map((note) => entriesOfNote(note, callId, lane)));
  return [...noted.flat(), ...usedThrough(callId, outcome, lane), ...(await learnedBy(outcome, lane))];
}

/** A tool that is called through another one is in use, too: the result's own entry names only that one. */
function usedThrough(callId: CallId, { served }: Outcome, { state }: Lane): readonly EntryBody[] {
  const { revealed, turns, calls } = state();
  const found = served === undefined ? undefined : own(revealed, served.name);
  const isByName = calls.some((call) => call.callId === callId && call.tool === served?.name);
  if (found === undefined || isByName || found.usedTurn >= turns) return [];
  const { usedTurn: _, ...tool } = found;
  return [{ type: "tools-revealed", callId: null, tools: [tool] }];
}

/** For the cost cards: what a server's answer was, and what of it the prompt shows. */
export function noteCost(
  { served, ending, output }: Outcome,
  form: readonly EntryBody[],
  { config, texts }: Lane,
): void {
  if (served === undefined) return;
  const [fixed] = form;
  const shown = fixed?.type === "form-fixed" ? textOf(fixed.text, texts) : output;
  const { name: _, ...of } = served;
  config.serverTools?.noted({ ...of, ending, rawTokens: roughly(output), shownTokens: estimate(shown) });
}

/** A card needs no exact figure, and nobody's turn waits for the count of a text that no window holds. */
function roughly(text: string): number {
  if (text.length <= countedCharsMax) return estimate(text);
  return Math.round((estimate(text.slice(0, countedCharsMax)) / countedCharsMax) * text.length);
}

const countedCharsMax = 2_000_000;

/** What applies where a file was read or written comes into the conversation with it. */
async function learnedBy({ files }: Outcome, lane: Lane): Promise<readonly EntryBody[]> {
  if (files.length === 0) return [];
  const touched = new Set([...touchedIn(lane.state()), ...files.map(({ path }) => path)]);
  return await learned(lane.state(), lane.fx, lane.texts, { message: null, touched: [...touched] });
}

/** What a call said of the session itself. Its result tells the model, so nothing more is said. */
async function entriesOfNote(note: ToolNote, callId: CallId, { texts, state }: Lane): Promise<readonly EntryBody[]> {
  if (note.type === "todos") return [{ type: "todos-written", todos: note.todos }];
  if (note.type === "mode") return [{ type: "mode-chosen", mode: note.mode, by: "model" }];
  if (note.type === "fact") return proposals(state().facts, [note.text], "agent");
  if (note.type === "revealed") return [{ type: "tools-revealed", callId, tools: await keptTools(note.tools, texts) }];
  if (note.type === "attached") return note.entries;
  return [{ type: "background-started", task: note.task, callId, command: note.command }];
}
