import { estimate } from "../budget/count.ts";
import { plainText } from "../kernel/plain-text.ts";
import { stemOf } from "../memory/retrieval-stem.ts";
import { wordsOf } from "../memory/retrieval-terms.ts";
import type { Fragment, ProjectFound } from "../ports/project-index.ts";
import { shownPath } from "../workspace/path.ts";
import { countOf } from "./read-lines.ts";
import { windowAround } from "./window.ts";

type Asked = {
  readonly words: string;
  readonly cwd: string;
  /** What the whole text may take; null: whatever it needs, for people. */
  readonly tokensMax: number | null;
};

/** What a search found, as text: each fragment under its place, with its lines' numbers; what it cost, and what the whole would. */
export function searchText(found: ProjectFound, asked: Asked): string {
  const notes = [searchedText(found), ...found.notes.map((note) => `[${note}]`)];
  if (found.fragments.length === 0) return [nothing(found, asked), ...notes].join("\n");
  const { texts, shown } = within(found.fragments, asked);
  const tokens = estimate(texts.join("\n"));
  const rest = found.fragments.length - shown.length;
  const more =
    rest === 0 ? [] : [`[${countOf(rest, "more fragment")} would not fit: narrow the query, or lower limit]`];
  return [...texts, ...more, costText(shown, tokens), ...notes].join("\n");
}

/** What the notes at the end take. */
const endTokens = 250;
/** A fragment in fewer tokens says nothing. */
const fragmentTokensMin = 80;

function within(
  fragments: readonly Fragment[],
  asked: Asked,
): { texts: readonly string[]; shown: readonly Fragment[] } {
  const texts: string[] = [];
  const shown: Fragment[] = [];
  let left = asked.tokensMax === null ? Number.POSITIVE_INFINITY : asked.tokensMax - endTokens;
  for (const [at, fragment] of fragments.entries()) {
    if (left < fragmentTokensMin) break;
    // The better ones may take more than their share, as long as each that follows has enough for a few lines.
    const share = left - (fragments.length - at - 1) * fragmentTokensMin;
    const text = fragmentText(fragment, asked, Math.max(fragmentTokensMin, Math.min(left, share, left * largestShare)));
    left -= estimate(text) + 1;
    texts.push(text);
    shown.push(fragment);
  }
  return { texts, shown };
}

const largestShare = 0.5;

function fragmentText(fragment: Fragment, asked: Asked, tokensMax: number): string {
  const { startLine, text } = fragment;
  const stems = stemsOf(asked.words);
  const rows = text.split("\n").map((line, at) => `${startLine + at}\t${shortened(line, stems)}`);
  const range = fitting(rows, text.split("\n"), stems, tokensMax - headTokens);
  return [
    headOf(fragment, asked.cwd, startLine + range.from, startLine + range.to - 1),
    ...rows.slice(range.from, range.to),
  ].join("\n");
}

const headTokens = 40;
const titleCharsMax = 100;

function headOf({ place, title, startLine, endLine }: Fragment, cwd: string, from: number, to: number): string {
  const line = title.replaceAll(/\s+/g, " ").trim();
  const about = line.length <= titleCharsMax ? line : `${line.slice(0, titleCharsMax).toWellFormed()}…`;
  const part = from === startLine && to === endLine ? "" : ` (part of ${startLine}-${endLine})`;
  if (place.type === "file")
    return `${shownPath(cwd, place.path)}:${from}-${to}${part}${about === "" ? "" : `  ${about}`}`;
  const session = place.isOwn ? "this session" : `session ${place.session}`;
  return `[${place.handle}] ${session}, entry ${place.seq}, lines ${from}-${to}${part}: ${place.tool} ${about}`.trimEnd();
}

/** The lines around the one that holds most of the words, as many as fit. */
function fitting(
  rows: readonly string[],
  lines: readonly string[],
  stems: readonly string[],
  tokensMax: number,
): { readonly from: number; readonly to: number } {
  if (estimate(rows.join("\n")) <= tokensMax) return { from: 0, to: rows.length };
  const counts = lines.map((line) => countIn(plainText(line), stems));
  const best = counts.reduce((at, count, line) => (count > (counts[at] ?? 0) ? line : at), 0);
  let [from, to] = [best, best + 1];
  let left = tokensMax - estimate(rows[best] ?? "");
  for (;;) {
    const before = from > 0 ? estimate(rows[from - 1] ?? "") + 1 : Number.POSITIVE_INFINITY;
    const after = to < rows.length ? estimate(rows[to] ?? "") + 1 : Number.POSITIVE_INFINITY;
    if (Math.min(before, after) > left) return { from, to };
    // A little of what stands before, then what follows: that says more, in prose and in code.
    const isBefore = before <= left && (after > left || best - from < linesBefore);
    left -= isBefore ? before : after;
    if (isBefore) from -= 1;
    else to += 1;
  }
}

const linesBefore = 3;

function shortened(line: string, stems: readonly string[]): string {
  const plain = plainText(line);
  const places = stems.map((stem) => plain.indexOf(stem)).filter((place) => place >= 0);
  const at = plain.length === line.length && places.length > 0 ? Math.min(...places) : 0;
  return windowAround(line.trimEnd(), at, at);
}

function countIn(plain: string, stems: readonly string[]): number {
  return stems.filter((stem) => plain.includes(stem)).length;
}

function stemsOf(words: string): readonly string[] {
  const all = wordsOf(words).flatMap(({ parts }) => parts.map(stemOf));
  return [...new Set(all.filter((stem) => stem.length > 2 || /[^\0-\x7f]/.test(stem)))];
}

/** The ways to the whole, and what they would cost beside this. */
function costText(shown: readonly Fragment[], tokens: number): string {
  const wholes = new Map(
    shown.map(({ place, wholeTokens }) => [place.type === "file" ? place.path : place.handle, wholeTokens]),
  );
  const whole = [...wholes.values()].reduce((sum, one) => sum + one, 0);
  const types = new Set(shown.map(({ place }) => place.type));
  const ways = [
    ...(types.has("file") ? ["Read a path with startLine and endLine"] : []),
    ...(types.has("session") ? ["recall a handle"] : []),
  ];
  const beside = whole > tokens ? `; ~${rounded(whole)} for all of ${countOf(wholes.size, "source")}` : "";
  return `[~${rounded(tokens)} tokens here${beside}. For more: ${ways.join(", ")}]`;
}

function rounded(tokens: number): string {
  return (tokens < 1_000 ? Math.ceil(tokens / 10) * 10 : Math.ceil(tokens / 100) * 100).toLocaleString("en-US");
}

function searchedText({ searched: { files, pieces, sessions } }: ProjectFound): string {
  return `[searched ${countOf(files, "file")} and ${countOf(sessions, "session")}, ${countOf(pieces, "piece")}]`;
}

function nothing({ near }: ProjectFound, { words, cwd }: Asked): string {
  const query = JSON.stringify(words.slice(0, 200));
  if (near.length === 0) return `[nothing holds any of ${query}]`;
  const rows = near.map((fragment) => {
    const lacks = fragment.lacks.map((word) => JSON.stringify(word.slice(0, 40))).join(", ");
    return `${headOf(fragment, cwd, fragment.startLine, fragment.endLine)}  [lacks ${lacks || "nothing, but only in parts"}]`;
  });
  return [`[nothing holds enough of ${query}; nearest:]`, ...rows].join("\n");
}
