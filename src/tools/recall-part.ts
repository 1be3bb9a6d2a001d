import { indexLines, type Lines } from "../digest/line-index.ts";
import { charsOf } from "../digest/text.ts";
import { automatonOf } from "../kernel/automaton.ts";
import { bounds } from "../kernel/bounds.ts";
import { compilePattern } from "../kernel/pattern.ts";
import { countOf } from "./read-lines.ts";
import { wordsIn } from "./recall-hits.ts";
import { valueAtPath } from "./recall-json.ts";
import { columnPage, linesPage, type PageLimit } from "./recall-page.ts";
import { type GoOn, lineMatches, literalMatches, shownMatches } from "./recall-search.ts";
import { wordsOf } from "./recall-words.ts";

/** Which part of an original: of the value at `jsonPath`, of these lines, from that character on or those that match. */
export type Wanted = {
  readonly startLine: number | undefined;
  readonly endLine: number | undefined;
  readonly column: number | undefined;
  readonly jsonPath: string | undefined;
  readonly grep: string | undefined;
  readonly search: string | undefined;
};

/** `none`: asked well, and nothing is there. `bad`: it cannot be asked. */
export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "none"; readonly why: string }
  | { readonly type: "bad"; readonly why: string };

/** A part of an original, exactly as it stands there. What does not fit the limit ends with the call that goes on. */
export function partOf(handle: string, original: string, wanted: Wanted, limit: PageLimit): Part {
  const { jsonPath, grep, search } = wanted;
  const value = jsonPath === undefined ? null : valueAtPath(original, jsonPath);
  if (value?.type === "none") return { type: "bad", why: `${handle}: ${value.why}` };
  const text = value?.text ?? original;
  const lines = indexLines(text);
  const { startLine = 1, endLine = lines.count } = wanted;
  if (startLine > Math.max(1, lines.count))
    return { type: "bad", why: `${handle} has ${countOf(lines.count, "line")}; startLine is ${startLine}.` };
  const stretch: Stretch = { text, lines, from: lines.startOf(startLine - 1), to: lines.startOf(endLine) };
  const next = (place: string) => `next: ${callText({ handle, jsonPath, grep, search }, place)}`;
  const goOn = (line: number) => next(`startLine=${line}${wanted.endLine === undefined ? "" : ` endLine=${endLine}`}`);
  if (grep !== undefined) return grepped(stretch, grep, goOn, limit);
  if (search !== undefined) return searched(stretch, search, limit === null ? null : goOn);
  if (wanted.column !== undefined) return columns(handle, stretch, startLine, wanted.column, next, limit);
  return page(stretch, wanted, next, limit);
}

/** A call as the notes of first forms spell it. */
export function callText(
  call: {
    readonly handle?: string;
    readonly jsonPath?: string | undefined;
    readonly grep?: string | undefined;
    readonly search?: string | undefined;
  },
  place: string,
): string {
  const fields = Object.entries(call).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${worded(value)}`],
  );
  return ["recall", ...fields, ...(place === "" ? [] : [place])].join(" ");
}

function worded(value: string): string {
  return /^[\w.$[\]*:-]+$/.test(value) ? value : JSON.stringify(value);
}

type Stretch = { readonly text: string; readonly lines: Lines; readonly from: number; readonly to: number };

function page(stretch: Stretch, wanted: Wanted, next: (place: string) => string, limit: PageLimit): Part {
  const { text, lines } = stretch;
  const { startLine, endLine } = wanted;
  const isWhole = startLine === undefined && endLine === undefined;
  if (isWhole && text === "") return { type: "text", text: "[the result was empty]" };
  const first = (startLine ?? 1) - 1;
  const end = Math.min(endLine ?? lines.count, lines.count);
  const shown = linesPage(text, lines, { first, end, isOpen: endLine === undefined }, next, limit);
  if (isWhole) return { type: "text", text: shown };
  const asked = shown.replace(/\n$/, "");
  return { type: "text", text: asked === "" ? "[only empty lines]" : asked };
}

function columns(
  handle: string,
  { lines }: Stretch,
  startLine: number,
  column: number,
  next: (place: string) => string,
  limit: PageLimit,
): Part {
  const chars = charsOf(lines.at(startLine - 1));
  if (column > Math.max(1, chars))
    return {
      type: "bad",
      why: `${handle} has ${countOf(chars, "character")} in line ${startLine}; column is ${column}.`,
    };
  return { type: "text", text: columnPage(lines, startLine - 1, column, next, limit) };
}

function grepped({ text, lines, from, to }: Stretch, source: string, goOn: GoOn, limit: PageLimit): Part {
  const pattern = compilePattern(source);
  if (pattern.type === "bad")
    return { type: "bad", why: `grep: ${JSON.stringify(source.slice(0, 80))}: ${pattern.why}.` };
  const automaton = automatonOf(pattern.program, bounds.patternWorkMax);
  let at = from;
  const find = (line: string) => {
    at += line.length + 1;
    const end = automaton.endIn(line.endsWith("\r") ? line.slice(0, -1) : line);
    return end < 0 ? null : { from: end, to: end };
  };
  const matches = lineMatches(text, find, { from, to }, automaton.isOver);
  const shown = shownMatches(text, matches, limit === null ? null : goOn);
  const stopped = automaton.isOver() ? stoppedNote(lines, at, to, goOn) : null;
  if (shown === null && stopped === null)
    return { type: "none", why: `[no line matches ${JSON.stringify(source.slice(0, 200))}]` };
  return { type: "text", text: [shown, stopped].filter((part) => part !== null).join("\n") };
}

/** The work was over within the line that ends there. */
function stoppedNote(lines: Lines, at: number, to: number, goOn: GoOn): string {
  const line = lines.lineAt(at - 1) + 1;
  const rest = at < to ? `; ${goOn(line + 1)}` : "";
  return `[the search stopped within line ${line}: the pattern takes too much work there${rest}]`;
}

/** The text itself where it stands there; else lines with all of its words, else with any of them. */
function searched({ text, from, to }: Stretch, search: string, goOn: GoOn | null): Part {
  const literal = shownMatches(text, literalMatches(text, search, from, to), goOn);
  if (literal !== null) return { type: "text", text: literal };
  const words = wordsOf(search);
  for (const needed of new Set([words.length, 1])) {
    const shown =
      words.length === 0
        ? null
        : shownMatches(
            text,
            lineMatches(text, (line) => wordsIn(line, words, needed), { from, to }),
            goOn,
          );
    if (shown === null) continue;
    const note =
      needed === words.length
        ? ""
        : `[no line holds all of ${JSON.stringify(search.slice(0, 200))}; these hold some of it]\n`;
    return { type: "text", text: note + shown };
  }
  return { type: "none", why: `[no line holds ${JSON.stringify(search.slice(0, 200))}]` };
}
