import type { Move, PlannedCall, Step } from "./plan.ts";
import { type Call, handleIn, type View } from "./view.ts";

/** Something that must be in view before a step can be done: a name, an address, the ref of an element. */
export type Need = {
  readonly find: (view: View) => string | null;
  /** What is missing, as it is said. */
  readonly missing: string;
  /** What brings it into view. */
  readonly source: (view: View) => readonly PlannedCall[];
};

export type BrowserCall = { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

type Use = {
  readonly needs?: readonly Need[];
  readonly calls: (found: readonly string[]) => readonly BrowserCall[];
};

/** A step in the browser. Its tools are found as any others are: declared, or shown by a search before. */
export function browse(say: string, { needs = [], calls }: Use, think?: string): Step {
  const act = (view: View): Move => {
    const found = needs.map((need) => need.find(view));
    const missing = needs.filter((_, at) => found[at] === null);
    if (missing.length > 0) {
      const why = missing.map((need) => need.missing).join(", ");
      return { type: "look", why, calls: missing.flatMap((need) => need.source(view)) };
    }
    const wanted = calls(found.map(String));
    const unknown = wanted.filter(({ tool }) => callFor(view, tool, {}) === null);
    if (unknown.length > 0) return { type: "look", why: "how to call it is not in view", calls: [searchFor(unknown)] };
    return { type: "do", calls: wanted.flatMap(({ tool, input }) => callFor(view, tool, input) ?? []) };
  };
  return { kind: "look", say, ...(think === undefined ? {} : { think }), act };
}

/** What the newest background task printed, and the tools of a browser as far as they are not declared. */
export function findTools(say: string, tools: readonly string[]): Step {
  const act = (view: View): Move => {
    const unknown = tools.filter((tool) => callFor(view, tool, {}) === null);
    const search = unknown.length === 0 ? [] : [searchFor(unknown.map((tool) => ({ tool, input: {} })))];
    const task = taskIn(view);
    const calls = [...search, ...(task === null ? [] : [outputOf(task)])];
    return calls.length === 0 ? { type: "skip" } : { type: "do", calls };
  };
  return { kind: "look", say, act };
}

/** An element of the page by its role and name, as the newest snapshot that has it shows it: its ref. */
export function element(role: string, name: string): Need {
  const label = `${role} ${JSON.stringify(name)}`;
  return {
    find: (view) => firstOf(browserResults(view), (text) => refIn(text, label)),
    missing: `${label} is not in view`,
    source: (view) => {
      const handle = firstOf(browserResults(view), (text) => (isSnapshot(text) ? handleIn(text) : null));
      const recall = { tool: "recall", input: { handle, grep: asPattern(name) } };
      return [handle === null || wasAsked(view, recall) ? callOrSearch(view, snapshot()) : recall];
    },
  };
}

/** What has to be there after what was done last; looked for again, with `source`, where it is not in view. */
export function seen(text: string, source: BrowserCall = snapshot()): Need {
  return {
    find: (view) => (browserResults(view, 2).some((result) => result.includes(text)) ? text : null),
    missing: `${text} is not in view`,
    source: (view) => [callOrSearch(view, source)],
  };
}

/** The page, or the part of it that a selector names. */
export function snapshot(target?: string): BrowserCall {
  return { tool: "browser_snapshot", input: target === undefined ? {} : { target } };
}

/** What the newest background task printed. */
export function printed(pattern: RegExp, missing: string): Need {
  return {
    find: (view) => firstOf(resultsIn(view), (text) => pattern.exec(text)?.[1] ?? null),
    missing,
    source: (view) => {
      const task = taskIn(view);
      return task === null ? [] : [outputOf(task)];
    },
  };
}

function outputOf(task: string): PlannedCall {
  return { tool: "TaskOutput", input: { task, waitMs: 2_000 } };
}

/** The name of the newest background task. */
export function taskIn(view: View): string | null {
  return firstOf(resultsIn(view), (text) => /Started as (\w+)\./.exec(text)?.[1] ?? null);
}

/** A declared tool is called by its name, one that a search has shown through CallTool; null: neither. */
function callFor(view: View, tool: string, input: BrowserCall["input"]): PlannedCall | null {
  const declared = view.tools.find((name) => name.endsWith(`__${tool}`));
  if (declared !== undefined) return { tool: declared, input };
  const shown = searchResults(view).flatMap((text) => new RegExp(`\\bmcp__\\w+__${tool}\\b`).exec(text) ?? []);
  return shown[0] === undefined || !view.tools.includes("CallTool")
    ? null
    : { tool: "CallTool", input: { tool: shown[0], input } };
}

function callOrSearch(view: View, call: BrowserCall): PlannedCall {
  return callFor(view, call.tool, call.input) ?? searchFor([call]);
}

function searchFor(calls: readonly BrowserCall[]): PlannedCall {
  const names = [...new Set(calls.map(({ tool }) => tool))];
  return { tool: "ToolSearch", input: { query: `select:${names.join(",")}`, limit: names.length } };
}

function searchResults(view: View): readonly string[] {
  const calls = view.turns.flatMap((turn) => turn.calls).filter(({ tool }) => tool === "ToolSearch");
  return calls.flatMap((call) => call.result?.text ?? []);
}

/** Newest first. */
function resultsIn(view: View): readonly string[] {
  return view.turns.flatMap((turn) => turn.calls.flatMap((call) => call.result?.text ?? [])).toReversed();
}

/** What the browser said and did not fail at, newest first; of so many of the newest turns with a browser in them. */
function browserResults(view: View, newest = view.turns.length): readonly string[] {
  const turns = view.turns.map((turn) => turn.calls.filter(isOfBrowser)).filter((calls) => calls.length > 0);
  const results = turns.slice(-newest).flatMap((calls) => calls.flatMap((call) => call.result ?? []));
  const good = results.filter(({ text, isError }) => !isError && !/^\W*error/i.test(text));
  return good.map(({ text }) => text).toReversed();
}

function isOfBrowser({ tool, input }: Call): boolean {
  return tool === "recall" || tool.includes("__browser_") || String(input.tool).includes("__browser_");
}

function refIn(text: string, label: string): string | null {
  const line = text.split("\n").find((one) => one.includes(label) && /\bref=e\d+/.test(one));
  return /\bref=(e\d+)/.exec(line ?? "")?.[1] ?? null;
}

function asPattern(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function isSnapshot(text: string): boolean {
  return /\bref=e\d+/.test(text);
}

function wasAsked(view: View, { tool, input }: PlannedCall): boolean {
  const wanted = JSON.stringify(input);
  const calls = view.turns.flatMap((turn) => turn.calls);
  return calls.some((call) => call.result !== null && call.tool === tool && JSON.stringify(call.input) === wanted);
}

function firstOf<T>(items: readonly string[], of: (item: string) => T | null): T | null {
  for (const item of items) {
    const found = of(item);
    if (found !== null) return found;
  }
  return null;
}
