import { indexLines } from "../digest/line-index.ts";
import { handleOf, hashOf } from "../kernel/hash.ts";
import { parseJson } from "../kernel/json.ts";
import { linesPage, promptPage } from "../tools/recall-page.ts";
import { searchLines } from "../tools/recall-search.ts";

/**
 * What `recall` returns to a model that is about to make a call and has only its arguments to ask with: the lines around
 * the longest of them that the original holds and the model does not see, or all of it. `input` is the call's JSON, or a
 * text that is none.
 */
export function recalledText(original: string, input: string, isInSight: (text: string) => boolean): string {
  const wanted = queriesOf(input).find((query) => original.includes(query) && !isInSight(query));
  return wanted === undefined ? recalledWhole(original) : recalledFor(original, wanted);
}

/** What it returns to one who asks for that very string. */
export function recalledFor(original: string, wanted: string): string {
  return searchLines(original, wanted);
}

/** As much of it as one call gives. */
function recalledWhole(original: string): string {
  const lines = indexLines(original);
  const all = { first: 0, end: lines.count, isOpen: true };
  const next = (place: string) => `next: recall handle=${handleOf(hashOf(original))} ${place}`;
  return linesPage(original, lines, all, next, promptPage);
}

/** Lines first, then ends of paths, then names; of each kind the longest first: the longer, the fewer places it finds. */
function queriesOf(input: string): readonly string[] {
  const parsed = parseJson(input);
  const values = parsed.type === "ok" ? [...stringsIn(parsed.value)] : [input];
  // A patch marks its lines with a sign that the file does not have.
  const rows = values.flatMap((value) => value.split("\n").flatMap((line) => [line.trim(), line.slice(1).trim()]));
  const paths = values.flatMap((value) => (value.match(path) ?? []).flatMap(pathEnds));
  const names = values.flatMap((value) => value.match(name) ?? []);
  return [rows, paths, names].flatMap((kind) => longestFirst(kind.filter((query) => query.length >= queryCharsMin)));
}

const path = /(?:[\w@.-]+\/)+[\w@.-]+/g;
const name = /[A-Za-z_][A-Za-z0-9_]{5,}/g;
/** Shorter ones stand everywhere. */
const queryCharsMin = 6;
/** Of each kind that are tried. */
const queriesMax = 200;

function pathEnds(whole: string): readonly string[] {
  const parts = whole.split("/");
  return [whole, parts.slice(-2).join("/"), parts.slice(-1).join("")];
}

function longestFirst(queries: readonly string[]): readonly string[] {
  return [...new Set(queries)].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).slice(0, queriesMax);
}

function* stringsIn(value: unknown): Iterable<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) yield* stringsIn(part);
}
