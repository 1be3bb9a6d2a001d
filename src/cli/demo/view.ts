import { stripVTControlCharacters } from "node:util";
import { isRecord } from "../../kernel/canonical.ts";
import type { BrainPart, BrainRequest } from "../../testing/simulate/brain.ts";

/** What the demo's engineer can see: the request it received, read in order, and nothing else. */
export type View = {
  /** Its own messages, oldest first, with what came back for their calls. */
  readonly turns: readonly Turn[];
  /** Every text that is not its own and no result: the task, context, reminders, a fold. */
  readonly notes: readonly string[];
  /** Names of the tools that can be called. */
  readonly tools: readonly string[];
  /** Places of files that are in view, newest first, with the visible edits applied. */
  passages(path: string): readonly string[];
};

export type Turn = { readonly text: string; readonly calls: readonly Call[] };

export type Call = {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** null: no answer in view yet. */
  readonly result: { readonly text: string; readonly isError: boolean } | null;
};

export function viewOf(request: BrainRequest): View {
  const parts = request.messages.flatMap((message) => message.parts.map((part) => ({ role: message.role, part })));
  const results = resultsById(parts.map(({ part }) => part));
  const turns: { text: string; calls: Call[] }[] = [];
  const notes: string[] = [];
  for (const { role, part } of parts) {
    if (part.type === "text" && role === "assistant") turns.push({ text: part.text, calls: [] });
    else if (part.type === "text") notes.push(part.text);
    else if (part.type === "call") {
      if (turns.length === 0) turns.push({ text: "", calls: [] });
      const input = isRecord(part.input) ? part.input : {};
      turns.at(-1)?.calls.push({ tool: part.tool, input, result: results.get(part.id) ?? null });
    }
  }
  const calls = turns.flatMap((turn) => turn.calls);
  return { turns, notes, tools: request.tools.map(({ name }) => name), passages: (path) => passagesOf(calls, path) };
}

/** Did a change fail? The chat wire has no error flag, so what a change says when it is done counts as well. */
export function hasFailed(call: Call): boolean {
  if (call.result === null) return true;
  return call.result.isError || !/^\W*(edited|created|overwrote|wrote|cleared)/i.test(call.result.text);
}

/** Was the call cut short, so that nobody knows what it did? A command that ends with an error has run. */
export function isUnknown(call: Call): boolean {
  return (
    call.result === null || /^\W*(interrupted|not run|aborted|(the )?outcome[ -](is )?unknown)/i.test(call.result.text)
  );
}

/** The handle that stands in a shortened result or in a fold's line. */
export function handleIn(text: string): string | null {
  const named = /handle[ =:"']+([a-z0-9]{4,})/i.exec(text) ?? /recall[ :("']+([a-z0-9]*\d[a-z0-9]*)/i.exec(text);
  return named?.[1] ?? null;
}

function resultsById(
  parts: readonly BrainPart[],
): ReadonlyMap<string, { readonly text: string; readonly isError: boolean }> {
  return new Map(
    parts.flatMap((part) =>
      part.type === "result" ? [[part.id, { text: stripVTControlCharacters(part.text), isError: part.isError }]] : [],
    ),
  );
}

function passagesOf(calls: readonly Call[], path: string): readonly string[] {
  return calls.filter((call) => call.input.path === path).reduce<readonly string[]>(afterCall, []);
}

function afterCall(known: readonly string[], call: Call): readonly string[] {
  const { tool, input } = call;
  if (tool === "Read") return [...numberedLines(call.result?.text ?? ""), ...known];
  if (tool !== "Edit" && tool !== "Write") return known;
  // After a write that may or may not have happened, nothing that was seen before counts.
  if (hasFailed(call)) return [];
  if (tool === "Write") return typeof input.content === "string" ? [input.content] : [];
  const { old, new: next } = input;
  if (typeof old !== "string" || typeof next !== "string") return [];
  return known.map((text) => (text.includes(old) ? text.replace(old, () => next) : text));
}

/** Runs of consecutive `N<tab>line` lines, as the file's own text; what was cut out between them splits them. */
function numberedLines(text: string): readonly string[] {
  const runs: string[][] = [];
  let expected = -1;
  for (const line of text.split("\n")) {
    const found = /^\s*(\d+)\t(.*)$/.exec(line);
    if (found === null) continue;
    const number = Number(found[1]);
    if (number === expected) runs.at(-1)?.push(found[2] ?? "");
    else runs.push([found[2] ?? ""]);
    expected = number + 1;
  }
  return runs.map((run) => `${run.join("\n")}\n`);
}
