import { bounds } from "../kernel/bounds.ts";

/** A place in the file's text; `to` is exclusive. */
export type Match = { readonly from: number; readonly to: number };

/**
 * All places where `old` stands, whatever line ends the file has there (CASES C-071): models write `\n`, files hold
 * `\r\n`, both, or `\r` alone. null: more places than one edit may change.
 */
export function findMatches(text: string, old: string): readonly Match[] | null {
  const next = finderOf(text, old);
  const matches: Match[] = [];
  for (let match = next(0); match !== null; match = next(match.to)) {
    if (matches.length >= bounds.replacementsMax) return null;
    matches.push(match);
  }
  return matches;
}

/** Whether `old` also stands at a place that begins within this one: then it is not clear which of them is meant. */
export function isOverlapped(text: string, old: string, match: Match): boolean {
  const other = finderOf(text, old)(match.from + 1);
  return other !== null && other.from < match.to;
}

/**
 * `replacement` with the line ends that belong at this place. Lines that stay as they are at the beginning and end of
 * the match keep theirs; new ones take that of the line they replace, else of the line they stand in, else of the line
 * before.
 */
export function fitted(text: string, match: Match, replacement: string): string {
  const old = piecesOf(text, text.slice(match.from, match.to));
  const lines = withPlainEnds(text, replacement).split("\n");
  const fallback = endNear(text, match);
  let same = 0;
  while (same < old.length && same < lines.length && old[same]?.line === lines[same]) same++;
  // From here on the ends are counted from the back, so that the unchanged last lines keep their own.
  const shift = old.length - lines.length;
  let sameAtEnd = 0;
  while (
    sameAtEnd < Math.min(old.length, lines.length) - same &&
    old[old.length - 1 - sameAtEnd]?.line === lines[lines.length - 1 - sameAtEnd]
  ) {
    sameAtEnd++;
  }
  const endOf = (index: number): string => {
    const kept = index >= lines.length - sameAtEnd ? old[index + shift] : old[index];
    return kept === undefined || kept.end === ""
      ? (old.findLast((piece) => piece.end !== "")?.end ?? fallback)
      : kept.end;
  };
  return lines.map((line, index) => (index === lines.length - 1 ? line : line + endOf(index))).join("");
}

/** 1-based numbers of the lines on which the first places begin. */
export function lineNumbersOf(text: string, matches: readonly Match[], countMax: number): readonly number[] {
  const lineEnd = hasLf(text) ? "\n" : "\r";
  const numbers: number[] = [];
  let line = 1;
  let at = 0;
  for (const match of matches.slice(0, countMax)) {
    for (let end = text.indexOf(lineEnd, at); end >= 0 && end < match.from; end = text.indexOf(lineEnd, end + 1)) {
      line++;
      at = end + 1;
    }
    numbers.push(line);
  }
  return numbers;
}

function hasLf(text: string): boolean {
  return text.includes("\n");
}

/** A `\r` alone ends lines only in files that have no `\n` at all; elsewhere it is data and stays. */
function withPlainEnds(text: string, part: string): string {
  const plain = part.replaceAll("\r\n", "\n");
  return hasLf(text) || !text.includes("\r") ? plain : plain.replaceAll("\r", "\n");
}

/** The first place at or behind an index. */
function finderOf(text: string, old: string): (from: number) => Match | null {
  const wanted = withPlainEnds(text, old);
  if (wanted.includes("\n") && text.includes("\r")) return byPattern(text, wanted);
  return (from) => {
    const at = text.indexOf(wanted, from);
    return at < 0 ? null : { from: at, to: at + wanted.length };
  };
}

/** A `\n` that ends a `\r\n` is not a line end of its own, or one would match as two. */
function byPattern(text: string, wanted: string): (from: number) => Match | null {
  const lineEnd = hasLf(text) ? "(?:\\r\\n|(?<!\\r)\\n)" : "\\r";
  const pattern = wanted
    .split("\n")
    .map((line) => line.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"))
    .join(lineEnd);
  const search = new RegExp(pattern, "g");
  return (from) => {
    search.lastIndex = from;
    const found = search.exec(text);
    return found === null ? null : { from: found.index, to: found.index + found[0].length };
  };
}

type Piece = { readonly line: string; readonly end: string };

function piecesOf(text: string, part: string): readonly Piece[] {
  const split = part.split(hasLf(text) ? /(\r?\n)/ : /(\r)/);
  return split.flatMap((line, index) => (index % 2 === 0 ? [{ line, end: split[index + 1] ?? "" }] : []));
}

function endNear(text: string, match: Match): string {
  if (!hasLf(text)) return text.includes("\r") ? "\r" : "\n";
  const behind = text.indexOf("\n", match.to);
  const at = behind >= 0 ? behind : text.lastIndexOf("\n", match.from - 1);
  if (at < 0) return "\n";
  return text[at - 1] === "\r" ? "\r\n" : "\n";
}
