import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import { cleaned } from "./clean.ts";
import { failureLines } from "./failures.ts";
import type { FirstForm, FormInput } from "./form.ts";
import { indexLines, type Lines } from "./line-index.ts";
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
  const lines = indexLines(shown);
  const isRange = input.form === "range";
  const chosen = chooseLines({
    lines,
    tokensMax: tokensMax[isRange ? "range" : "output"] * spent - noteTokens,
    // Code and data read on from the beginning; what matters of an output stands at its end.
    headShare: isRange ? 0.75 : 0.25,
    failureShare: 0.35,
    failures: isRange || listings.has(input.tool) ? [] : failureLines(shown, lines),
    costOf: estimate,
  });
  return [...withGaps(chosen, shown, lines), endNote(input, chosen, lines.count)].join("\n");
}

/** Results of searches quote other texts: a match that holds the word `error` is no failure. */
const listings: ReadonlySet<string> = new Set(["Grep", "Glob", "Read", "recall"]);

/** The estimate may be some percent low (budget/count.ts). */
const spent = 0.9;
/** Kept free for the note at the end. */
const noteTokens = 80;

function* withGaps(chosen: readonly Shown[], shown: string, lines: Lines): Iterable<string> {
  let next = 0;
  for (const { index, text } of chosen) {
    if (index > next) yield gapNote(shown, lines, next, index);
    yield text;
    next = index + 1;
  }
  if (next < lines.count) yield gapNote(shown, lines, next, lines.count);
}

/** Line ends are not counted as characters. */
function gapNote(shown: string, lines: Lines, from: number, to: number): string {
  const part = shown.slice(lines.startOf(from), lines.startOf(to));
  const ends = to - from - (to === lines.count && !shown.endsWith("\n") ? 1 : 0);
  const chars = charsOf(part) - ends;
  if (to - from === 1) return `[… line ${from + 1} left out: ${chars} characters …]`;
  return `[… lines ${from + 1}-${to} left out: ${to - from} lines, ${chars} characters …]`;
}

/** The whole size, and one call that brings back the largest part that is missing. */
function endNote(input: FormInput, chosen: readonly Shown[], count: number): string {
  const size = `${count} ${count === 1 ? "line" : "lines"}, ${charsOf(input.text)} characters`;
  return `[${size} in all; the rest: recall handle=${input.handle} ${restOf(chosen, count)}]`;
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
