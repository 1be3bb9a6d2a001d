/** A text without what only steers a terminal, and where each of its characters stood before. */
export type Visible = { readonly text: string; at(index: number): number };

/** What a terminal shows of a text. */
export function visibleOf(raw: string): Visible {
  return without(raw, invisible);
}

/**
 * The ways to read a text that holds escape sequences: as a terminal does; without what is surely one; and with all but the
 * control characters. A stray one would else hide the beginning of a secret from us and from nobody else.
 */
export function readingsOf(raw: string): readonly Visible[] {
  if (!hasEscape.test(raw)) return [visibleOf(raw)];
  return [visibleOf(raw), without(raw, sureEscapes), without(raw, controls)];
}

/** Linear. Line feeds and tabs are visible; carriage returns and characters without width are not. */
function without(raw: string, hidden: RegExp): Visible {
  if (!hasInvisible.test(raw)) return { text: raw, at: (index) => index };
  const parts: string[] = [];
  const positions = new Uint32Array(raw.length + 1);
  let kept = 0;
  let from = 0;
  const keep = (to: number): void => {
    parts.push(raw.slice(from, to));
    for (let at = from; at < to; at += 1) positions[kept++] = at;
  };
  for (const { 0: removed, index } of raw.matchAll(hidden)) {
    keep(index);
    from = index + removed.length;
  }
  keep(raw.length);
  return { text: parts.join(""), at: (index) => (index < kept ? (positions[index] ?? raw.length) : raw.length) };
}

/** Where an escape sequence begins that the text's end cuts off; the text's length when there is none. */
export function cutEscapeAt(raw: string): number {
  const at = raw.lastIndexOf("\x1b");
  if (at < 0 || raw.length - at > escapeCharsMax) return raw.length;
  return cutEscape.test(raw.slice(at)) ? at : raw.length;
}

/** A longer "title" is no sequence that anybody means. */
const escapeCharsMax = 1_000;

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what this file is about
const hasInvisible = /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]/;

const hasEscape = /[\x1b\x80-\x9f]/;
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]+/g;

const sureEscapes =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]/g;

/** CSI (colours, cursor), OSC (titles, links; never over a line), the two-character ones, then single characters. */
const invisible =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-Z\\-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]/g;

const cutEscape = /^\x1b(?:\[[0-?]*[ -/]*|\][^\x07\n]*|[ -/]*)$/;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above
