import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import { cleaned } from "./clean.ts";
import { reportsFailure } from "./failures.ts";
import type { FirstForm, FormInput } from "./form.ts";
import { chooseLines, type Shown } from "./lines.ts";
import { charsOf, fitsBytes, utf8Bytes } from "./text.ts";

/**
 * How a result enters the prompt. The limit is in UTF-8 bytes, four to a token: 8,000 bytes for `output`, 32,000 for
 * `range`. Up to it the text is the original, byte for byte (CASES C-063), but for terminal codes, which are left out of
 * `output`. Above it: beginning, end, and of `output` every line that reports a failure, with notes that count what is
 * left out and the handle that brings it back. What is cut is also held under the cap in *estimated tokens*, since digits
 * and symbols cost more than four bytes to a token. Linear in the text; no vocabulary is loaded. Never larger than the
 * original, but for the line that says a failing exit code.
 */
export function firstForm(input: FormInput): FirstForm {
  const { text, form } = input;
  if (form === "whole") return { whole: true, text };
  const shown = form === "output" ? cleaned(text) : text;
  const body = fitsBytes(shown, limitBytes(form)) ? uncut(input, shown) : cut(input, shown);
  const smaller = body === text || body.length * 3 < text.length || utf8Bytes(body) <= utf8Bytes(text) ? body : text;
  const said = withExitCode(smaller, input.exitCode);
  return { whole: said === text, text: said };
}

/** Bytes up to which a result is shown as it is. */
export function limitBytes(form: "range" | "output"): number {
  return tokensMax[form] * bytesPerToken;
}

/** The line by which a result says a failing exit code; tools end their output with it. */
export function exitCodeLine(exitCode: number): string {
  return `[exit code ${exitCode}]`;
}

const bytesPerToken = 4;
const tokensMax = { range: bounds.readTokensMax, output: bounds.outputTokensMax } as const;

function uncut(input: FormInput, shown: string): string {
  return shown === input.text ? shown : `${lineEnded(shown)}[terminal codes left out; recall handle=${input.handle}]`;
}

function withExitCode(text: string, exitCode: number | null): string {
  if (exitCode === null || exitCode === 0 || text.includes(exitCodeLine(exitCode))) return text;
  return lineEnded(text) + exitCodeLine(exitCode);
}

function lineEnded(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function cut(input: FormInput, shown: string): string {
  const lines = linesOf(shown);
  const failing = input.form === "output" && !listings.has(input.tool) ? reportsFailure : () => false;
  const chosen = chooseLines({
    lines,
    tokensMax: tokensMax[input.form === "range" ? "range" : "output"] * spent - noteTokens,
    // Code and data read on from the beginning; what matters of an output stands at its end.
    headShare: input.form === "range" ? 0.75 : 0.25,
    failureShare: 0.35,
    isFailure: failing,
    costOf: estimate,
  });
  return [...withGaps(chosen, lines), endNote(input, chosen, lines)].join("\n");
}

/** Results of searches quote other texts: a match that holds the word `error` is no failure. */
const listings: ReadonlySet<string> = new Set(["Grep", "Glob", "Read", "recall"]);

/** The estimate may be some percent low (budget/count.ts). */
const spent = 0.9;
/** Kept free for the note at the end. */
const noteTokens = 80;

export function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function* withGaps(chosen: readonly Shown[], lines: readonly string[]): Iterable<string> {
  let next = 0;
  for (const { index, text } of chosen) {
    if (index > next) yield gapNote(lines, next, index);
    yield text;
    next = index + 1;
  }
  if (next < lines.length) yield gapNote(lines, next, lines.length);
}

function gapNote(lines: readonly string[], from: number, to: number): string {
  let chars = 0;
  for (let index = from; index < to; index++) chars += charsOf(lines[index] ?? "");
  const which = to - from === 1 ? `line ${from + 1}` : `lines ${from + 1}-${to}`;
  return `[… ${which} left out: ${to - from} lines, ${chars} characters …]`.replace(": 1 lines,", ":");
}

/** The whole size, and one call that brings back the largest part that is missing. */
function endNote(input: FormInput, chosen: readonly Shown[], lines: readonly string[]): string {
  const size = `${lines.length} ${lines.length === 1 ? "line" : "lines"}, ${charsOf(input.text)} characters`;
  return `[${size} in all; the rest: recall handle=${input.handle} ${restOf(chosen, lines.length)}]`;
}

function restOf(chosen: readonly Shown[], count: number): string {
  let largest = { from: 0, to: 0 };
  let next = 0;
  for (const index of [...chosen.map((line) => line.index), count]) {
    if (index - next > largest.to - largest.from) largest = { from: next, to: index };
    next = index + 1;
  }
  if (largest.to > largest.from) return `startLine=${largest.from + 1} endLine=${largest.to}`;
  const cutLine = chosen.find((line) => line.cutAt !== null);
  return `startLine=${(cutLine?.index ?? 0) + 1} column=${(cutLine?.cutAt ?? 0) + 1}`;
}
