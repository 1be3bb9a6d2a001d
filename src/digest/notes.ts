import type { CharCount } from "./char-count.ts";
import type { FormInput } from "./form.ts";
import type { Lines } from "./line-index.ts";
import type { Shown } from "./long-line.ts";
import { shapedChars, shapeOf } from "./shape.ts";
import { utf8Bytes } from "./text.ts";

export type Parts = {
  readonly input: FormInput;
  /** Of `input.text`. */
  readonly lines: Lines;
  readonly chars: CharCount;
  readonly lineAt: (index: number) => string;
  readonly chosen: readonly Shown[];
  /** What else is to be said of what is left out; null: nothing. */
  readonly leftOut: string | null;
};

/** The chosen lines with a note for each gap between them, and one at the end that says what is missing in all. */
export function assembled(parts: Parts): string {
  const { lines, chosen } = parts;
  const out: string[] = [];
  const gaps: Gap[] = [];
  let next = 0;
  const gap = (to: number) => {
    if (to <= next) return;
    const filled = shortGap(parts, next, to);
    if (filled !== null) out.push(...filled);
    else {
      gaps.push({ from: next, to });
      out.push(gapNote(parts, next, to));
    }
  };
  for (const { index, text } of chosen) {
    gap(index);
    out.push(text);
    next = index + 1;
  }
  gap(lines.count);
  return [...out, ...(parts.leftOut === null ? [] : [parts.leftOut]), endNote(parts, gaps)].join("\n");
}

type Gap = { readonly from: number; readonly to: number };

/** The lines themselves, where a note would be no shorter. */
function shortGap({ lineAt }: Parts, from: number, to: number): readonly string[] | null {
  let left = plainNote(from, to).length;
  const inside: string[] = [];
  for (let index = from; index < to; index++) {
    const line = lineAt(index);
    left -= utf8Bytes(line) + 1;
    if (left < 0) return null;
    inside.push(line);
  }
  return inside;
}

function gapNote(parts: Parts, from: number, to: number): string {
  const count = to - from;
  if (isMoreOfTheSame(parts, from, to)) return `[… lines ${from + 1}-${to} left out: ${count} lines more like it …]`;
  if (count < describedLinesMin && to - from !== parts.lines.count) return plainNote(from, to);
  const size = `${count} ${count === 1 ? "line" : "lines"}, ${charsIn(parts, from, to)} characters`;
  return `[… line${count === 1 ? ` ${to}` : `s ${from + 1}-${to}`} left out: ${size} …]`;
}

/** Whether all that is left out differs from the line in front only in numbers. */
function isMoreOfTheSame({ lineAt }: Parts, from: number, to: number): boolean {
  const count = to - from;
  if (from === 0 || count < alikeMin || count > alikeMax) return false;
  const shape = shapeOf(lineAt(from - 1));
  for (let index = from - 1; index < to; index++) {
    const line = lineAt(index);
    if (line.length > shapedChars || shapeOf(line) !== shape) return false;
  }
  return true;
}

const alikeMin = 3;
const alikeMax = 10_000;

/** Shorter gaps are told by their numbers alone; the note at the end has their sum. */
const describedLinesMin = 20;

function plainNote(from: number, to: number): string {
  return to - from === 1 ? `[… ${from + 1} …]` : `[… ${from + 1}-${to} …]`;
}

/** Line ends are not counted as characters. */
function charsIn({ input: { text }, lines, chars }: Parts, from: number, to: number): number {
  const [start, end] = [lines.startOf(from), lines.startOf(to)];
  return chars.between(start, end) - (to - from) + (to === lines.count && !text.endsWith("\n") ? 1 : 0);
}

/** The whole size, what is missing of it, and one call that brings back the largest part of that. */
function endNote(parts: Parts, gaps: readonly Gap[]): string {
  const { input, lines, chars } = parts;
  const size = `${lines.count} ${lines.count === 1 ? "line" : "lines"}, ${chars.all} characters`;
  return `[${size} in all; the rest: recall handle=${input.handle} ${restOf(parts, gaps)}; ${contentNote(input)}]`;
}

/** Of a form's lines, blank ones apart: those that are its original's, and how many that has; null: the form does not say. */
export function originalLines(lines: readonly string[]): {
  readonly lines: readonly string[];
  readonly of: number | null;
} {
  const size = endNotePattern.exec(lines.at(-1) ?? "")?.[1];
  if (size === undefined) return { lines, of: null };
  return { lines: lines.slice(0, -1).filter((line) => !line.startsWith("[… ")), of: Number(size) };
}

const endNotePattern = /^\[(\d+) lines?, \d+ characters in all; /;

/** Equal handles are equal contents, which can be checked where a text comes again. */
export function contentNote({ handle }: FormInput): string {
  return `sha256 ${handle}`;
}

function restOf({ chosen }: Parts, gaps: readonly Gap[]): string {
  const missing = gaps.reduce((sum, { from, to }) => sum + to - from, 0);
  const largest = gaps.reduce<Gap>((best, one) => (one.to - one.from > best.to - best.from ? one : best), {
    from: 0,
    to: 0,
  });
  if (missing > 0)
    return `startLine=${largest.from + 1} endLine=${largest.to}; truncated: ${missing} ${missing === 1 ? "line" : "lines"} left out at […]`;
  const cut = chosen.find((line) => line.cutAt !== null);
  return `startLine=${(cut?.index ?? 0) + 1} column=${(cut?.cutAt ?? 0) + 1}`;
}
