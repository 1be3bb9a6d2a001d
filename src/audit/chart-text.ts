import { visibleOf } from "../secrets/visible.ts";

/** A text from a log as one line: no control characters, nothing that XML refuses or that turns the direction of a line. */
export function lineText(raw: string): string {
  const { text } = visibleOf(raw.slice(0, lookedAtMax).toWellFormed());
  return text.replace(refused, "").replace(/\s+/g, " ").trim();
}

/** Labels are short; of a text that is not, the rest is not even looked at. */
const lookedAtMax = 2_000;

/** Marks of direction, and what is no character in XML 1.0. */
const refused = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff\ufff9-\ufffb]|\p{Co}|\p{Cn}/gu;

/** Cut so that it fits, with a mark that something is missing. */
export function fitted(text: string, px: number, size: number): string {
  if (widthOf(text, size) <= px) return text;
  const room = px - widthOf("…", size);
  let used = 0;
  let kept = "";
  for (const { segment } of graphemes.segment(text)) {
    used += widthOf(segment, size);
    if (used > room) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * How wide a text may become, in the widest of the common interface fonts: which one a reader has is not known, so
 * room is kept for all of them.
 */
export function widthOf(text: string, size: number): number {
  let ems = 0;
  for (const point of text) ems += emsOf(point);
  return ems * size;
}

function emsOf(point: string): number {
  if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(point)) return 0.1;
  if (/\p{Emoji_Presentation}/u.test(point)) return 1.4;
  if (wide.test(point)) return 1.05;
  if (/[ .,:;'|!ijl]/.test(point)) return 0.34;
  if (/[()[\]frtI/-]/.test(point)) return 0.43;
  if (/[mwMW@%#+<>=→…—]/.test(point)) return 1;
  if (/\p{Lu}/u.test(point)) return 0.78;
  if (/[\x21-\x7e\xa0-\u024f]/.test(point)) return 0.65;
  return 0.95;
}

const wide =
  /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f000}-\u{1faff}]|[\u{20000}-\u{3ffff}]/u;

/** A text of a log beside our own words: a name written from right to left must not turn what follows. */
export function apart(text: string): string {
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
}

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]/;
