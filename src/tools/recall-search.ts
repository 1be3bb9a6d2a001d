import { indexLines, type Lines } from "../digest/line-index.ts";
import { cutBefore, utf8Bytes } from "../digest/text.ts";
import { bounds } from "../kernel/bounds.ts";
import { windowAround } from "./window.ts";

/**
 * `N<tab>line` of each line that holds the text; of long lines the surroundings of the text. What few matches leave free
 * goes to the lines around them, as `N-<tab>line`: who looks for a line mostly needs the place, too.
 */
export function searchLines(text: string, wanted: string): string {
  const lines = indexLines(text);
  const matches = new Map<number, string>();
  let count = 0;
  for (let at = text.indexOf(wanted); at >= 0; ) {
    const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
    const end = text.indexOf("\n", at + wanted.length);
    if (++count <= bounds.matchesDefault) {
      const line = text.slice(start, end < 0 ? text.length : end);
      matches.set(lines.lineAt(start), windowAround(line, at - start, at - start + wanted.length));
    }
    at = end < 0 ? -1 : text.indexOf(wanted, end);
  }
  if (count === 0) return `[no line holds ${JSON.stringify(wanted.slice(0, 200))}]`;
  if (count === matches.size) return withSurroundings(lines, matches).join("\n");
  return [...alone(matches), `[${matches.size} of ${count} lines shown; search for more of the text]`].join("\n");
}

/** Lines around each match that are tried at most. */
const radiusMax = 400;
/** The matches and what stands around them; below what an output may show, so that nothing of it is cut. */
const shownBytesMax = 7_800;
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
  return `${index + 1}-\t${line.length > contextLineMax ? `${line.slice(0, cutBefore(line, contextLineMax))}…` : line}`;
}
