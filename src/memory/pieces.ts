import type { Cuts } from "./piece-cuts.ts";
import { codeCuts } from "./pieces-code.ts";
import { docCuts } from "./pieces-doc.ts";

/** Lines of a document that belong together, by number from 1, both included; `title`: what they are part of. */
export type Piece = {
  readonly startLine: number;
  readonly endLine: number;
  readonly title: string;
  readonly text: string;
};

export type PieceKind = "docs" | "code" | "text";

/**
 * A document in pieces of at most `pieceLinesMax` lines and `pieceCharsMax` characters (a line that is longer is a piece of its
 * own), without overlaps: docs by headings, code by definitions, other text by blank lines. White space alone is in none.
 */
export function piecesOf(kind: PieceKind, text: string): readonly Piece[] {
  const lines = linesOf(text);
  const { parts, weigh } = cuts[kind](lines);
  const starts = parts[0]?.line === 0 ? parts : [{ line: 0, title: "" }, ...parts];
  return starts.flatMap(({ line, title }, at) =>
    within(lines, line, starts[at + 1]?.line ?? lines.length, title, weigh),
  );
}

/** As Read and recall number them. */
export function linesOf(text: string): readonly string[] {
  const lines = text.includes("\n") ? text.split(/\r?\n/) : text.split("\r");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

export const pieceLinesMax = 60;
export const pieceCharsMax = 2_000;

const cuts: Readonly<Record<PieceKind, (lines: readonly string[]) => Cuts>> = {
  docs: docCuts,
  code: codeCuts,
  text: (lines) => ({ parts: [], weigh: (line) => (lines[line - 1]?.trim() === "" ? 1 : 0) }),
};

/** The lines of one part; where they are too many, cut at the best place in the second half of what fits. */
function within(
  lines: readonly string[],
  from: number,
  to: number,
  title: string,
  weigh: Cuts["weigh"],
): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = from; at < to; ) {
    const most = fitting(lines, at, to);
    const end = most === to ? to : bestCut(at, most, weigh);
    const piece = pieceOf(lines, at, end, title);
    if (piece !== null) pieces.push(piece);
    at = end;
  }
  return pieces;
}

/** The line behind the last that fits; one line always does. */
function fitting(lines: readonly string[], from: number, to: number): number {
  let chars = 0;
  for (let at = from; at < to; at++) {
    chars += (lines[at] ?? "").length + 1;
    if (at > from && (chars > pieceCharsMax || at - from >= pieceLinesMax)) return at;
  }
  return to;
}

function bestCut(from: number, most: number, weigh: Cuts["weigh"]): number {
  let best = most;
  for (let at = most - 1; at > from + (most - from) / 3; at--) if (weigh(at) > weigh(best)) best = at;
  return best;
}

/** Blank lines at both ends are left out; null: there is nothing else. */
function pieceOf(lines: readonly string[], from: number, to: number, title: string): Piece | null {
  const isText = (at: number): boolean => (lines[at] ?? "").trim() !== "";
  let [first, last] = [from, to - 1];
  while (first <= last && !isText(first)) first += 1;
  while (last >= first && !isText(last)) last -= 1;
  if (first > last) return null;
  return { startLine: first + 1, endLine: last + 1, title, text: lines.slice(first, last + 1).join("\n") };
}
