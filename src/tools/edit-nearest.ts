import { bounds } from "../kernel/bounds.ts";
import { findMatches } from "./edit-match.ts";
import { textLines } from "./read-lines.ts";

/** Why `old` was not found, as far as can be told with a bounded look at the file: what to change in the call. */
export function whyNotFound(text: string, old: string): string {
  const unnumbered = old.replace(/^ *\d+\t/gm, "");
  if (unnumbered !== old && found(text, unnumbered)) {
    return "It holds the line numbers that Read shows; leave number and tab out.";
  }
  const lines = firstLines(text);
  const wanted = firstLines(old);
  const spaced = wanted.length > linesMax ? -1 : indexBySpacelessLines(lines, wanted);
  if (spaced >= 0) return `It differs only in white space from ${place(lines, spaced, wanted.length)}`;
  const best = mostSimilar(lines, wanted);
  return best < 0
    ? "Nothing similar is in the file."
    : `The most similar place is ${place(lines, best, wanted.length)}`;
}

function firstLines(text: string): readonly string[] {
  const lines = textLines(text);
  return Array.from({ length: Math.min(lines.count, bounds.nearestLinesMax) }, (_, index) => lines.at(index));
}

/** Lines of `old` that are compared one by one. */
const linesMax = 200;

function found(text: string, old: string): boolean {
  return old !== "" && findMatches(text, old)?.length !== 0;
}

function place(lines: readonly string[], from: number, count: number): string {
  const shown = lines.slice(from, from + Math.min(count, shownMax));
  const text = shown.map(
    (line, index) => `${from + index + 1}\t${line.length > 200 ? `${line.slice(0, 200)}…` : line}`,
  );
  return `line ${from + 1}:\n${text.join("\n")}`;
}

const shownMax = 8;

function indexBySpacelessLines(lines: readonly string[], wanted: readonly string[]): number {
  const bare = wanted.map(spaceless);
  if (bare.every((line) => line === "")) return -1;
  return lines.findIndex((_line, from) => bare.every((line, index) => spaceless(lines[from + index] ?? "\0") === line));
}

function spaceless(line: string): string {
  return line.length > lineMax ? line : line.replace(/\s+/g, "");
}

const lineMax = 1_000;

/** By shared pairs of characters with the longest of the first wanted lines; below a third they are strangers. */
function mostSimilar(lines: readonly string[], wanted: readonly string[]): number {
  const key = wanted.slice(0, 5).reduce((best, line) => (line.trim().length > best.trim().length ? line : best), "");
  const pairs = pairsOf(key);
  if (pairs.size === 0) return -1;
  let best = { index: -1, score: 1 / 3 };
  lines.forEach((line, index) => {
    const score = likeness(pairs, pairsOf(line));
    if (score > best.score) best = { index, score };
  });
  return best.index < 0 ? -1 : Math.max(0, best.index - Math.max(0, wanted.indexOf(key)));
}

function pairsOf(line: string): ReadonlySet<string> {
  const text = line.trim().slice(0, 300);
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return a.size + b.size === 0 ? 0 : (2 * a.intersection(b).size) / (a.size + b.size);
}
