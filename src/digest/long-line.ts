import { bounds } from "../kernel/bounds.ts";
import { charsOf, cutBefore, utf8Bytes } from "./text.ts";

/** A line that is shown: as it is, or with its middle left out from character `cutAt` on. */
export type Shown = { readonly index: number; readonly text: string; readonly cutAt: number | null };

/** As much of a line as fits, beginning and end; null when that is too little to tell anything. */
export function cutLine(line: string, index: number, bytesMax: number): Shown | null {
  const total = charsOf(line);
  for (let length: number = bounds.lineCharsMax; length >= partCharsMin; length = Math.floor(length * 0.75)) {
    const shown = withoutMiddle(line, index, Math.min(length, line.length), total);
    if (shown !== null && utf8Bytes(shown.text) <= bytesMax) return shown;
  }
  return null;
}

/** Less than this of a line tells nothing. */
const partCharsMin = 60;

function withoutMiddle(line: string, index: number, length: number, total: number): Shown | null {
  const headEnd = cutBefore(line, Math.ceil(length * 0.6));
  const tailStart = cutBefore(line, line.length - Math.floor(length * 0.4));
  if (tailStart <= headEnd) return null;
  const cutAt = charsOf(line.slice(0, headEnd));
  const tailChars = charsOf(line.slice(tailStart));
  const note = `[… line ${index + 1} cut at ${cutAt} of ${total} characters, ${total - cutAt - tailChars} left out …]`;
  return { index, text: line.slice(0, headEnd) + note + line.slice(tailStart), cutAt };
}
