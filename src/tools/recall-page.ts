import { estimate } from "../budget/count.ts";
import type { Lines } from "../digest/line-index.ts";
import { charsOf, cutBefore, endWithin, fitsBytes, indexOfChar, utf8Bytes } from "../digest/text.ts";
import { bounds } from "../kernel/bounds.ts";

/** What one call gives back at most; `null` where nobody has to pay for it: everything at once. */
export type PageLimit = { readonly bytes: number; readonly tokens: number } | null;

export const promptPage: PageLimit = { bytes: bounds.readTokensMax * 4, tokens: bounds.readTokensMax };

/** Kept free for the note behind a part. */
const noteBytes = 400;

/** The lines from `first` up to `end` (from 0, exclusive), or the part of them that fits and a note with the call that goes on. */
export function linesPage(
  text: string,
  lines: Lines,
  { first, end, isOpen }: { readonly first: number; readonly end: number; readonly isOpen: boolean },
  next: (place: string) => string,
  limit: PageLimit,
): string {
  const asked = text.slice(lines.startOf(first), lines.startOf(end));
  if (fits(asked, limit)) return asked;
  const last = lastFitting(lines, first, end, limit);
  if (last === first) return columnPage(lines, first, 1, next, limit);
  const rest = next(`startLine=${last + 1}${isOpen ? "" : ` endLine=${end}`}`);
  return `${text.slice(lines.startOf(first), lines.startOf(last))}[lines ${first + 1}-${last} of ${lines.count}; ${rest}]`;
}

/** As much of one line from that character (from 1) on as fits. */
export function columnPage(
  lines: Lines,
  index: number,
  column: number,
  next: (place: string) => string,
  limit: PageLimit,
): string {
  const line = lines.at(index);
  const from = indexOfChar(line, column - 1);
  const part = line.slice(from, partEnd(line, from, limit));
  const last = column - 1 + charsOf(part);
  const total = charsOf(line);
  const place = last < total ? `startLine=${index + 1} column=${last + 1}` : `startLine=${index + 2}`;
  const rest = last < total || index + 1 < lines.count ? `; ${next(place)}` : "";
  return `${part}\n[line ${index + 1}: characters ${column}-${last} of ${total}${rest}]`;
}

function fits(text: string, limit: PageLimit): boolean {
  return limit === null || (fitsBytes(text, limit.bytes) && estimate(text) <= limit.tokens);
}

/** The line behind the last one that fits; `first`: not even one does. */
function lastFitting(lines: Lines, first: number, end: number, limit: PageLimit): number {
  let bytes = (limit?.bytes ?? 0) - noteBytes;
  let tokens = (limit?.tokens ?? 0) - noteBytes / 4;
  for (let index = first; index < end; index++) {
    const line = lines.at(index);
    // A line far too long is not measured to its end.
    if (line.length > bytes) return index;
    bytes -= utf8Bytes(line) + 1;
    // A line end between two parts costs what it costs in them, and at most a token more.
    tokens -= estimate(line) + 1;
    if (bytes < 0 || tokens < 0) return index;
  }
  return end;
}

function partEnd(line: string, from: number, limit: PageLimit): number {
  if (limit === null) return line.length;
  let end = endWithin(line, from, limit.bytes - noteBytes);
  for (let tokens = estimate(line.slice(from, end)); tokens > limit.tokens - noteBytes / 4; ) {
    const shorter = from + Math.floor(((end - from) * limit.tokens * 0.9) / tokens);
    end = Math.max(cutBefore(line, shorter), endWithin(line, from, 1));
    if (end <= from + 2) break;
    tokens = estimate(line.slice(from, end));
  }
  return end;
}
