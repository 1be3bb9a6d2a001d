import { bounds } from "../kernel/bounds.ts";
import { failureHits } from "./failure-scan.ts";
import { lookedChars, reportsFrom } from "./failure-words.ts";
import type { Lines } from "./line-index.ts";

/**
 * The lines of a command's output that report a failure, in the order in which they are worth keeping: the first ones,
 * which are often the cause, then the first of each further kind, so that one among thousands of a kind that merely sounds
 * like failure is seen, then the newest. The newest are looked for from the end, block by block; of an output made of
 * failures only the beginning is looked through for kinds.
 */
export function failureLines(text: string, lines: Lines, count: number = bounds.failuresMax): readonly number[] {
  const all: number[] = [];
  const ofKind: number[] = [];
  const kinds = new Set<number>();
  for (const start of failuresIn(text, 0, text.length)) {
    const kind = kindOf(text, start);
    if (all.length >= firstKept && !kinds.has(kind)) ofKind.push(start);
    kinds.add(kind);
    all.push(start);
    if (all.length === bounds.failuresComparedMax || ofKind.length === kindsKept) break;
  }
  const first = all.slice(0, firstKept);
  const last = first.at(-1);
  if (last === undefined || first.length < firstKept) return first.map(lines.lineAt);
  const isAll = all.length < bounds.failuresComparedMax && ofKind.length < kindsKept;
  const newest = isAll ? all.slice(firstKept).reverse() : newestOf(text, last + 1, count);
  return [...new Set([...first, ...ofKind, ...newest.slice(0, count)])].map(lines.lineAt);
}

/** From the end backwards, as many as are asked for and a few more. */
function newestOf(text: string, behind: number, count: number): readonly number[] {
  const newest: number[] = [];
  for (let to = text.length; to > behind && newest.length < count; ) {
    const from = Math.max(text.lastIndexOf("\n", to - backChars) + 1, behind);
    newest.push(...[...failuresIn(text, from, to)].reverse());
    to = from;
  }
  return newest;
}

const backChars = 16 * 1024;

/** Starts of the lines that report a failure; `from` begins a line, or lies within one that is not meant. */
function* failuresIn(text: string, from: number, to: number): Iterable<number> {
  for (const hit of failureHits(text, from, to)) {
    const start = text.charCodeAt(hit) === newline ? hit + 1 : text.lastIndexOf("\n", hit) + 1;
    if (start < from) continue;
    const end = text.indexOf("\n", start);
    const line = text.slice(start, Math.min(end < 0 ? to : end, start + lookedChars * 4));
    if (reportsFrom(line, hit - start)) yield start;
  }
}

const firstKept = 3;
const kindsKept = 40;
const kindChars = 120;

/** A number for the plain words of a line: names, numbers, paths and times differ among lines of one kind. */
function kindOf(text: string, start: number): number {
  const end = Math.min(start + kindChars, text.length);
  let kind = 0;
  let word = 0;
  let isPlain = true;
  for (let at = start; at <= end; at++) {
    const unit = at === end ? newline : text.charCodeAt(at);
    if (unit === newline || unit === space || unit === tab) {
      if (isPlain && word !== 0) kind = (Math.imul(kind, 31) + word) | 0;
      if (unit === newline) break;
      word = 0;
      isPlain = true;
    } else {
      word = (Math.imul(word, 31) + unit) | 0;
      if (unit < 0x61 && notPlain[unit] === 1) isPlain = false;
    }
  }
  return kind;
}

const [newline, space, tab] = [0x0a, 0x20, 0x09];
const notPlain = Uint8Array.from({ length: 0x61 }, (_, unit) => Number(/[\d./_:\\-]/.test(String.fromCharCode(unit))));
