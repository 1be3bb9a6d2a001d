import { limitBytes } from "../digest/first-form.ts";
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
  const lines = splitLines(text);
  const from = range.startLine ?? 1;
  if (from > lines.length)
    return { type: "failed", why: `has ${countOf(lines.length, "line")}; startLine is ${from}.` };
  if (range.column !== undefined) return renderWithin(lines[from - 1] ?? "", from, range.column);
  const to = Math.min(range.endLine ?? lines.length, lines.length);
  const named = range.startLine !== undefined || range.endLine !== undefined;
  const notes = named ? [`[lines ${from}-${to} of ${lines.length}]`] : [];
  const asked = lines.slice(from - 1, to);
  const whole = numbered(asked, from);
  if (fitsBytes(whole, limitBytes("range"))) return { type: "text", text: whole, notes };
  return {
    type: "text",
    text: numbered(
      asked.map((line, index) => shortened(line, from + index)),
      from,
    ),
    notes,
  };
}

/**
 * Lines end with `\n` or `\r\n`; a `\r` elsewhere is data, unless the file has no `\n` at all: then it ends lines. The end
 * of the file ends its last line.
 */
export function splitLines(text: string): readonly string[] {
  const lines = text.split(text.includes("\n") ? /\r?\n/ : "\r");
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines;
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
