import { limitBytes } from "../digest/first-form.ts";
import { indexLines, type Lines } from "../digest/line-index.ts";
import { charsOf, cutBefore, endWithin, fitsBytes, indexOfChar } from "../digest/text.ts";
import { bounds } from "../kernel/bounds.ts";

export type Range = {
  readonly startLine: number | undefined;
  readonly endLine: number | undefined;
  /** Character of the line, from 1, where reading starts. */
  readonly column: number | undefined;
};

export type Rendered =
  | { readonly type: "text"; readonly text: string; readonly notes: readonly string[] }
  | { readonly type: "failed"; readonly why: string };

/** The asked part as `N<tab>line`. Line ends are not shown; editing finds them again by itself. */
export function renderText(text: string, range: Range): Rendered {
  if (text === "") return { type: "text", text: "", notes: ["[the file is empty]"] };
  const lines = textLines(text);
  const from = range.startLine ?? 1;
  if (from > lines.count) return { type: "failed", why: `has ${countOf(lines.count, "line")}; startLine is ${from}.` };
  if (range.column !== undefined) return renderWithin(lines.at(from - 1), from, range.column);
  const asked = Math.min(range.endLine ?? lines.count, lines.count);
  const to = lastShown(lines, from, asked);
  const rows = Array.from({ length: to - from + 1 }, (_, index) => lines.at(from - 1 + index));
  const whole = numbered(rows, from);
  const fits = to === asked && fitsBytes(whole, limitBytes("range"));
  const shown = fits
    ? whole
    : numbered(
        rows.map((row, index) => shortened(row, from + index)),
        from,
      );
  return { type: "text", text: shown, notes: rangeNotes(range, from, to, asked, lines.count) };
}

/** A part of a file that is larger than a read may give ends with the last line that fits; a cut line counts as cut. */
function lastShown(lines: Lines, from: number, to: number): number {
  let left: number = bounds.readBytesMax;
  for (let line = from; line <= to; line++) {
    left -= Math.min(lines.at(line - 1).length, bounds.lineCharsMax) + numberBytes;
    if (left < 0) return Math.max(from, line - 1);
  }
  return to;
}

/** A line number, a tab, a line end. */
const numberBytes = 9;

function rangeNotes(range: Range, from: number, to: number, asked: number, count: number): readonly string[] {
  if (to < asked)
    return [`[lines ${from}-${to} of ${count}: more than one read gives; go on with startLine=${to + 1}]`];
  const named = range.startLine !== undefined || range.endLine !== undefined;
  return named ? [`[lines ${from}-${to} of ${count}]`] : [];
}

/**
 * Lines end with `\n` or `\r\n`; a `\r` elsewhere is data, unless the file has no `\n` at all: then it ends lines. The end
 * of the file ends its last line.
 */
export function textLines(text: string): Lines {
  if (!text.includes("\n")) return indexLines(text, "\r");
  const lines = indexLines(text);
  const at = (index: number): string => {
    const line = lines.at(index);
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  };
  return { ...lines, at };
}

export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function numbered(lines: readonly string[], from: number): string {
  return lines.map((line, index) => `${from + index}\t${line}`).join("\n");
}

/** Only where the whole does not fit anyway: a line that fits is never cut. */
function shortened(line: string, number: number): string {
  if (line.length <= bounds.lineCharsMax) return line;
  const end = cutBefore(line, bounds.lineCharsMax);
  const shown = charsOf(line.slice(0, end));
  return `${line.slice(0, end)} [line ${number} cut at ${shown} of ${charsOf(line)} characters; go on with startLine=${number} column=${shown + 1}, or Grep]`;
}

/** Kept free for the note behind it. */
const noteBytes = 300;

function renderWithin(line: string, number: number, column: number): Rendered {
  const total = charsOf(line);
  if (column > Math.max(total, 1)) {
    return { type: "failed", why: `has ${countOf(total, "character")} in line ${number}; column is ${column}.` };
  }
  const [part, note] = renderColumn(line, number, column);
  return { type: "text", text: `${number}\t${part}`, notes: [note] };
}

/** As much of the line from that character on as a range may show, and the note that says which part it is. */
export function renderColumn(line: string, number: number, column: number): readonly [part: string, note: string] {
  const from = indexOfChar(line, column - 1);
  const part = line.slice(from, endWithin(line, from, limitBytes("range") - noteBytes));
  const last = column - 1 + charsOf(part);
  return [part, `[line ${number}: characters ${column}-${last} of ${charsOf(line)}]`];
}
