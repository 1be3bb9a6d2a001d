import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { Segment } from "../prompt/segment.ts";
import { resultsIn } from "./call-results.ts";
import { outcomeOf } from "./clear-outcome.ts";
import { short } from "./fold-cut.ts";
import { callStart, type Told } from "./fold-text.ts";
import type { Memo } from "./memo.ts";
import { type Kept, type Left, noWork, type WorkItems } from "./summary-items.ts";
import { commandIn, useOf } from "./use.ts";
import { namesIn } from "./use-names.ts";
import { isShell, type Work, wordsOf, workOf } from "./use-work.ts";

/**
 * What must outlive a compaction, read off the work that goes and off what older blocks among it kept: newest last, each
 * thing once. Pure, and linear in the work.
 */
export function workItems(work: readonly Segment[], told: readonly Told[], memo: Memo): WorkItems {
  const older = told.filter(({ segment }) => memo.kindOf(segment) === "fold").map((block) => block.work);
  const messages = work.filter((segment) => isMessage(segment, memo)).map(({ text }) => text ?? "");
  const files = filesOf(work, memo);
  const changed = newestOf([...entriesOf(older, "changed"), ...files.changed]);
  const isChanged = new Set(changed);
  const read = newestOf([...entriesOf(older, "read"), ...files.read]);
  const kept = (kind: keyof WorkItems, entries: readonly string[]): Kept => ({ entries, left: leftIn(older, kind) });
  return {
    messages: kept("messages", [...entriesOf(older, "messages"), ...messages]),
    changed: kept("changed", changed),
    read: kept(
      "read",
      read.filter((path) => !isChanged.has(path)),
    ),
    done: kept("done", doneOf(told, entriesOf(older, "done"), memo)),
  };
}

function isMessage(segment: Segment, memo: Memo): boolean {
  return segment.role === "user" && memo.kindOf(segment) === "message" && (segment.text ?? "").trim() !== "";
}

function entriesOf(older: readonly WorkItems[], kind: keyof WorkItems): readonly string[] {
  return older.flatMap((work) => work[kind].entries);
}

function leftIn(older: readonly WorkItems[], kind: keyof WorkItems): Left {
  return older.map((work) => work[kind].left).reduce(bothLeft, noWork[kind].left);
}

function bothLeft(a: Left, b: Left): Left {
  if (b.count === 0) return a;
  return a.count === 0 ? b : { count: a.count + b.count, handles: [...new Set([...a.handles, ...b.handles])] };
}

/** Each once, in the place of its newest mention. */
function newestOf(list: readonly string[]): readonly string[] {
  return [...new Set(list.toReversed())].toReversed();
}

type Files = { readonly read: readonly string[]; readonly changed: readonly string[] };

/** Of calls that did not fail; whether a change without a result was made, nobody knows, so it counts. */
function filesOf(work: readonly Segment[], memo: Memo): Files {
  const results = resultsIn(work);
  const touched = work.flatMap((call): readonly { readonly how: keyof Files; readonly path: string }[] => {
    const how = call.kind === "tool-call" ? touches[useOf(call).work] : null;
    if (how === null) return [];
    const result = results.get(call.callId);
    const isFailed = result !== undefined && outcomeOf(result, memo).type === "failed";
    if (isFailed || (result === undefined && how === "read")) return [];
    return pathsOf(call).map((path) => ({ how, path: short(path, pathCharsMax) }));
  });
  const pathsBy = (wanted: keyof Files) => touched.filter(({ how }) => how === wanted).map(({ path }) => path);
  return { read: pathsBy("read"), changed: pathsBy("changed") };
}

const pathCharsMax = 300;

const touches: Readonly<Record<Work, keyof Files | null>> = {
  read: "read",
  "shell-read": "read",
  edit: "changed",
  search: null,
  command: null,
  recall: null,
  other: null,
  kept: null,
};

/** As the call names them: in a field for it, in the lines of a patch, or as words of a command. */
function pathsOf(call: Segment): readonly string[] {
  const text = call.text ?? "";
  const parsed = parseJson(text);
  const input = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : null;
  const named =
    input === null ? [] : pathFields.map((field) => input[field]).filter((path) => typeof path === "string");
  if (named.length > 0) return named;
  const strings = input === null ? [text] : Object.values(input).filter((value) => typeof value === "string");
  const patched = [...strings.join("\n").matchAll(patchHeader)].map(([, path]) => path ?? "");
  if (patched.length > 0) return patched;
  const words = input === null ? [] : (commandIn(input).slice(0, commandCharsMax).match(pathLike) ?? []);
  const paths = words.filter((word) => namesIn(word).length > 0);
  return paths.length > 0 ? paths : useOf(call).names;
}

const commandCharsMax = 2_000;
const pathLike = /[\p{L}\p{N}_@./~+-]+/gu;
const pathFields = ["path", "file_path", "filePath", "notebook_path", "target_file", "filename", "file"] as const;
const patchHeader = /^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ b\/)(.{1,400})$/gm;

/**
 * Commands and whatever else may have had an effect, one line each with its newest outcome. What collapsed work names in its
 * one line is kept as that line.
 */
function doneOf(told: readonly Told[], older: readonly string[], memo: Memo): readonly string[] {
  const lines = new Map<string, string>();
  const put = (start: string, line: string) => {
    lines.delete(start);
    lines.set(start, line);
  };
  const fresh = new Set(told.flatMap(({ segment }) => (isDeed(segment) ? [callStart(segment)] : [])));
  const carried = told.flatMap(({ segment, lines: own }) =>
    memo.kindOf(segment) === "fold" ? own.filter(isDeedLine) : [],
  );
  // In front of all that came later: these are of older blocks.
  for (const line of [...older, ...carried]) put(startIn(line, fresh), line);
  for (const { segment, lines: own } of told) if (isDeed(segment)) put(callStart(segment), own[0] ?? "");
  return [...lines.values()];
}

function isDeed(segment: Segment): boolean {
  if (segment.kind !== "tool-call") return false;
  const tool = segment.tool ?? "";
  return hasEffect(useOf(segment).work, tool);
}

function hasEffect(work: Work, tool: string): boolean {
  if (work === "kept") return wordsOf(tool).some((word) => word === "ask" || word === "question");
  return work === "command" || work === "other";
}

/** As `fold-text.ts` and `collapse-text.ts` write them. */
function isDeedLine(line: string): boolean {
  if (line.startsWith("[Finished work, ")) return true;
  const [, tool, rest] = /^- (\S+) (.*)$/.exec(line) ?? [];
  if (tool === undefined || rest === undefined) return false;
  return hasEffect(workOf(tool, isShell(tool) ? rest : ""), tool);
}

/** What a carried line begins with, where the same was done again; else itself. */
function startIn(line: string, fresh: ReadonlySet<string>): string {
  for (let at = line.indexOf(": "); at >= 0; at = line.indexOf(": ", at + 1)) {
    const start = line.slice(0, at + 2);
    if (fresh.has(start)) return start;
  }
  return line;
}
