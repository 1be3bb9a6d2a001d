import { type JsonForm, jsonForm, lossless } from "./json.ts";
import { indexLines } from "./line-index.ts";
import { contentNote } from "./notes.ts";
import { charsOf } from "./text.ts";
import { type Cut, underCap } from "./under-cap.ts";

/** JSON as JSON: the whole text, or one line of it behind the lines that a harness puts in front. null: it is none. */
export function cutJson({ input, size, asked }: Cut): string | null {
  const { text } = input;
  const start = jsonStart(text);
  if (start === null) return null;
  const header = text.slice(0, start);
  const value = text.slice(start);
  let made: JsonForm | null = null;
  const lines = indexLines(text).count;
  const whole = `${lines} ${lines === 1 ? "line" : "lines"}, ${charsOf(text)} characters`;
  const formOf = jsonForm(value, asked);
  const shown = underCap(size, ({ bytesAim }) => {
    made = formOf(Math.floor(bytesAim));
    return made === null
      ? ""
      : `${header}${made.text}\n[${whole} in all; the rest: recall handle=${input.handle} startLine=1 endLine=${lines}; ${made.said === lossless ? "" : "truncated: "}shown as JSON, ${made.said}; ${contentNote(input)}]`;
  });
  return made === null ? null : shown;
}

/** Where the JSON begins: nothing else may stand behind it. */
function jsonStart(text: string): number | null {
  if (/^\s*[[{]/.test(text.slice(0, headerCharsMax))) return 0;
  const begins = /^(?:[^\n]*\n){1,8}?(?=[[{])/.exec(text.slice(0, headerCharsMax));
  if (begins === null) return null;
  const start = begins[0].length;
  const end = text.indexOf("\n", start);
  return end < 0 || text.slice(end).trim() === "" ? start : null;
}

const headerCharsMax = 1_000;
