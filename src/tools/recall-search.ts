import { indexLines, type Lines } from "../digest/line-index.ts";
import { beginning, utf8Bytes } from "../digest/text.ts";
import { bounds } from "../kernel/bounds.ts";
import { windowAround } from "./window.ts";

/** A stretch of whole lines with a match: where it begins and ends in the text, and the match within it. */
export type Match = { readonly start: number; readonly end: number; readonly from: number; readonly to: number };

/** How a list of matches that goes on is told to go on from that line. */
export type GoOn = (startLine: number) => string;

/**
 * `N<tab>line` of each line that holds the text; of long lines the surroundings of the text. What few matches leave free
 * goes to the lines around them, as `N-<tab>line`: who looks for a line mostly needs the place, too.
 */
export function searchLines(text: string, wanted: string): string {
  const shown = shownMatches(
    text,
    literalMatches(text, wanted, 0, text.length),
    (line) => `go on with startLine=${line}`,
  );
  return shown ?? `[no line holds ${JSON.stringify(wanted.slice(0, 200))}]`;
}

/** The matches as `searchLines` shows them; null: there are none. Without a way to go on all of them are shown. */
export function shownMatches(text: string, matches: Iterable<Match>, goOn: GoOn | null): string | null {
  const lines = indexLines(text);
  const shown = new Map<number, string>();
  let [count, bytes, next] = [0, 0, 0];
  for (const { start, end, from, to } of matches) {
    count += 1;
    if (next > 0) continue;
    const line = lines.lineAt(start);
    const row = windowAround(text.slice(start, end), from, to);
    bytes += utf8Bytes(row) + numberBytes;
    const isFull = shown.size > 0 && (shown.size >= bounds.matchesDefault || bytes > shownBytesMax);
    if (goOn !== null && isFull) next = line + 1;
    else shown.set(line, row);
  }
  if (count === 0) return null;
  if (goOn === null || next === 0) return withSurroundings(lines, shown).join("\n");
  return [...alone(shown), `[${shown.size} of ${count} lines shown; ${goOn(next)}]`].join("\n");
}

/** Lines that hold the text, within a stretch of it. */
export function* literalMatches(text: string, wanted: string, from: number, to: number): Iterable<Match> {
  for (let at = text.indexOf(wanted, from); at >= 0 && at < to; ) {
    const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
    const found = text.indexOf("\n", at + wanted.length);
    const end = found < 0 ? text.length : found;
    yield { start, end, from: at - start, to: at - start + wanted.length };
    at = found < 0 ? -1 : text.indexOf(wanted, end);
  }
}

/** Lines in which something is found, within a stretch of the text, until it is over. */
export function* lineMatches(
  text: string,
  find: (line: string) => { readonly from: number; readonly to: number } | null,
  stretch: { readonly from: number; readonly to: number },
  isOver: () => boolean = () => false,
): Iterable<Match> {
  for (let start = stretch.from; start < stretch.to && !isOver(); ) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    const match = find(text.slice(start, end));
    if (match !== null) yield { start, end, from: match.from, to: match.to };
    start = end + 1;
  }
}

/** Lines around each match that are tried at most. */
const radiusMax = 400;
/** The matches and what stands around them: 2,000 tokens, as any search. */
const shownBytesMax = 7_800;
/** A line's number, a tab, a line end. */
const numberBytes = 9;
const contextLineMax = 400;
/** As many lines around each match as fit: what is left unused here may cost a further recall. */
function withSurroundings(lines: Lines, matches: ReadonlyMap<number, string>): readonly string[] {
  let shown = alone(matches);
  for (let low = 1, high = radiusMax; low <= high; ) {
    const radius = Math.floor((low + high) / 2);
    const rows = around(lines, matches, radius);
    if (rows === null) high = radius - 1;
    else {
      shown = rows;
      low = radius + 1;
    }
  }
  return shown;
}

function alone(matches: ReadonlyMap<number, string>): readonly string[] {
  return [...matches].map(([line, shown]) => `${line + 1}\t${shown}`);
}

/** null: more than may be shown. Gaps between groups are marked as grep marks them. */
function around(lines: Lines, matches: ReadonlyMap<number, string>, radius: number): readonly string[] | null {
  const rows: string[] = [];
  let bytes = 0;
  let next = 0;
  for (const match of matches.keys()) {
    const from = Math.max(next, match - radius);
    if (from > next && rows.length > 0) rows.push("--");
    for (next = from; next < Math.min(lines.count, match + radius + 1); next++) {
      const row = rowOf(lines, matches, next);
      bytes += utf8Bytes(row) + 1;
      if (bytes > shownBytesMax) return null;
      rows.push(row);
    }
  }
  return rows;
}

function rowOf(lines: Lines, matches: ReadonlyMap<number, string>, index: number): string {
  const match = matches.get(index);
  if (match !== undefined) return `${index + 1}\t${match}`;
  const line = lines.at(index);
  return `${index + 1}-\t${beginning(line, contextLineMax)}`;
}
