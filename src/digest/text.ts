import { beyondLatin, unitBits } from "./unit-bits.ts";

/** Measures and cuts of texts. "Characters" in what we say are code points: `😀` is one. */

/** UTF-8 bytes of a text. */
export function utf8Bytes(text: string): number {
  if (!beyondAscii.test(text)) return text.length;
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80) bytes += unit >= 0x800 && !isHalf(unit) ? 2 : 1;
  }
  return bytes;
}

/** The quickest way to know of most texts. */
const beyondAscii = /[\u0080-\uffff]/;

/** Whether the text is at most that long; cheap when it is far longer. */
export function fitsBytes(text: string, bytesMax: number): boolean {
  return text.length <= bytesMax && utf8Bytes(text) <= bytesMax;
}

/** With a line end behind it, unless it is empty. */
export function lineEnded(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

export function charsOf(text: string): number {
  let lows = 0;
  eachLow(text, () => {
    lows += 1;
  });
  return text.length - lows;
}

/** Calls for the second half of each pair. Most texts have none, and most parts of the others. */
export function eachLow(text: string, told: (at: number) => void): void {
  if (!beyondLatin.test(text)) return;
  for (const block of mayHold(text, 0, 8_192))
    for (const part of mayHold(block.text, block.from, 512)) eachLowIn(part.text, part.from, told);
}

type Block = { readonly text: string; readonly from: number };

/** The blocks of so many units that may hold halves of pairs. */
function* mayHold(text: string, from: number, units: number): Iterable<Block> {
  for (let at = 0; at < text.length; at += units) {
    const block = text.length <= units ? text : text.slice(at, at + units);
    if ((unitBits(block) & halfBits) === halfBits) yield { text: block, from: from + at };
  }
}

/** Any half of a pair has them. */
const halfBits = 0xd800;

/** A pattern finds the first of a run without a look at the rest from here; around one there are often more, which are told one by one. */
function eachLowIn(block: string, from: number, told: (at: number) => void): void {
  const next = new RegExp(halves, "g");
  for (let found = next.exec(block); found !== null; found = next.exec(block)) {
    let quiet = 0;
    let at = found.index;
    for (; at < block.length && quiet < quietUnits; at++) {
      const kind = block.charCodeAt(at) & 0xfc00;
      if (kind === 0xdc00) told(from + at);
      quiet = kind === 0xdc00 || kind === 0xd800 ? 0 : quiet + 1;
    }
    next.lastIndex = at;
  }
}

const quietUnits = 64;

/** The index at which character number `chars` (from 0) begins. */
export function indexOfChar(text: string, chars: number): number {
  if (!halves.test(text)) return Math.min(chars, text.length);
  let index = 0;
  for (let left = chars; left > 0 && index < text.length; left--) {
    index += isLowHalf(text.charCodeAt(index + 1)) ? 2 : 1;
  }
  return Math.min(index, text.length);
}

/** How far from `from` the text reaches within that many bytes, up to a place where it may be cut; at least a character. */
export function endWithin(text: string, from: number, bytesMax: number): number {
  let left = bytesMax;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    left -= unit < 0x80 ? 1 : unit < 0x800 || isHalf(unit) ? 2 : 3;
    if (left < 0) return Math.max(cutBefore(text, at), from + (isLowHalf(text.charCodeAt(from + 1)) ? 2 : 1));
  }
  return text.length;
}

/**
 * The last place at or before `index` where a cut parts nothing people see as one character: surrogate pairs, combining
 * marks, joined emoji, flags. Only the surroundings are looked at, so the cost does not depend on the text's length.
 */
export function cutBefore(text: string, index: number): number {
  if (index <= 0 || index >= text.length) return Math.max(0, Math.min(index, text.length));
  let from = Math.max(0, index - surroundings);
  // Flags are pairs of one kind of character: to pair them right, begin where their run begins.
  while (from > 0 && index - from < runMax && isFlagHalf(text, from)) from--;
  const cluster = segmenter.segment(text.slice(from, index + surroundings)).containing(index - from);
  if (cluster !== undefined && (cluster.index > 0 || from === 0)) return from + cluster.index;
  // It began before the surroundings: one "character" of so many marks may be parted, but not a pair.
  return isLowHalf(text.charCodeAt(index)) ? index - 1 : index;
}

/** All of it, or its beginning with a sign that there is more. */
export function beginning(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, cutBefore(text, lengthMax))}…`;
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const surroundings = 64;
const runMax = 4_096;

/** Surrogates of the regional indicators U+1F1E6 to U+1F1FF. */
function isFlagHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === 0xd83c || (unit >= 0xdde6 && unit <= 0xddff);
}

/** Most texts have none, and this is the quickest way to know. */
const halves = /[\ud800-\udfff]/;

function isLowHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function isHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
