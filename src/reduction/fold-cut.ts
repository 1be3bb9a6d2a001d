import { estimate } from "../budget/count.ts";
import { cutBefore } from "../digest/text.ts";
import type { Handle } from "../kernel/ids.ts";

/** The text, or its beginning with the way to all of it. */
export function cutToTokens(text: string, tokensMax: number, handle: Handle): string {
  if (estimate(text) <= tokensMax) return text;
  const mark = (chars: number) => `… (${text.length - chars} more characters; recall handle=${handle})`;
  const room = tokensMax - estimate(mark(0));
  let [low, high] = [0, Math.min(text.length, Math.max(0, room) * charsPerTokenMax)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (estimate(text.slice(0, middle)) <= room) low = middle;
    else high = middle - 1;
  }
  const chars = cutBefore(text, low);
  return `${text.slice(0, chars)}${mark(chars)}`;
}

/** Of rows of one sign; of all else far fewer. What is beyond is not even looked at. */
const charsPerTokenMax = 64;

/** On one line, and its beginning where it is long. */
export function short(text: string, charsMax: number): string {
  // Only as much as could be shown is looked at closely.
  const line = oneLine(text.slice(0, charsMax * 4).toWellFormed());
  if (line.length <= charsMax && text.length <= charsMax * 4) return line;
  const shown = line.slice(0, cutBefore(line, charsMax));
  return `${shown}… (${text.length - shown.length} more characters)`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
