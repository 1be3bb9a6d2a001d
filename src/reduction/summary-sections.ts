import { summaryHeadings } from "./summary-request.ts";

/** A heading's line and what stands under it, up to the next one. */
export type SummarySection = { readonly heading: string; readonly body: string };

/**
 * The sections of a summary. Models write headings in the user's language and mark them as they like, so besides our own
 * words what is marked as a heading counts, and what is numbered from 1 on.
 */
export function summarySections(text: string): readonly SummarySection[] {
  const lines = text.split("\n");
  const starts = longest([known(lines), marked(lines), numbered(lines)]);
  return starts.map((at, index) => ({
    heading: lines[at] ?? "",
    body: lines.slice(at + 1, starts[index + 1] ?? lines.length).join("\n"),
  }));
}

/** Of equals the first: our own words are the surest. */
function longest(found: readonly (readonly number[])[]): readonly number[] {
  return found.reduce((best, one) => (one.length > best.length ? one : best), []);
}

/** Each of our headings where it comes first. */
function known(lines: readonly string[]): readonly number[] {
  const words = lines.map((line) => (isShort(line) ? wordsOf(line) : ""));
  const places = summaryHeadings.map((heading) => words.findIndex((line) => line.startsWith(wordsOf(heading))));
  return places.filter((at) => at >= 0).toSorted((a, b) => a - b);
}

function wordsOf(line: string): string {
  return line
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .replace(/^\s*\d+\s+/, "")
    .trim();
}

/** `## Heading` of the highest level there is, and lines that are bold as a whole. */
function marked(lines: readonly string[]): readonly number[] {
  const levels = lines.map((line) => /^ {0,3}(#{1,6})\s+\S/.exec(line)?.[1]?.length ?? null);
  const used = levels.filter((level) => level !== null);
  // A single title above the sections is none of them.
  const level = [1, 2, 3, 4, 5, 6].find((one) => used.filter((other) => other === one).length > 1);
  const titles = placesOf(levels, (one) => one !== null && one === level);
  const bold = placesOf(lines, (line) => isShort(line) && /^\s*\*\*[^*]+\*\*\s*[:：]?\s*$/.test(line));
  return longest([titles, bold]);
}

/** Those that count on from 1; a list inside a section begins anew and is none. */
function numbered(lines: readonly string[]): readonly number[] {
  const places: number[] = [];
  for (const [at, line] of lines.entries()) {
    if (isShort(line) && numberOf(line) === places.length + 1) places.push(at);
  }
  return places;
}

/** `1.`, `2)`, `（三）`, `4、`, `第五节`; null: the line begins with none. */
function numberOf(line: string): number | null {
  const start =
    /^\s{0,3}(?:[#*]+\s*)*[(（第【]?\s*([0-9０-９]{1,2}|[一二三四五六七八九])\s*[.．、):：）】节節部章]/.exec(
      line,
    )?.[1];
  if (start === undefined) return null;
  const han = hanDigits.indexOf(start);
  return han >= 0 ? han + 1 : Number(start.normalize("NFKC"));
}

const hanDigits = "一二三四五六七八九";

function isShort(line: string): boolean {
  return line.length <= lineCharsMax;
}

/** A longer line is no heading, whatever it begins with. */
const lineCharsMax = 1_000;

function placesOf<T>(list: readonly T[], is: (one: T) => boolean): readonly number[] {
  return list.flatMap((one, at) => (is(one) ? [at] : []));
}
