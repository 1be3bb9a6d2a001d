/**
 * Finds the first of many words at or behind a place, in small or capital ASCII letters; of words that overlap, any.
 * Only every fourth place is looked at: of a word of five characters or more, three in a row stand at one of them, and few
 * places hold three of any word. A pattern of as many alternatives costs many times more, and outputs of megabytes are
 * looked through.
 */
export function wordScanner(words: readonly string[]): (part: Scanned, from: number) => number {
  const byKey = new Map<number, Piece[]>();
  for (const piece of words.flatMap(piecesOf))
    for (const key of keysAt(piece.word, piece.offset)) byKey.set(key, [...(byKey.get(key) ?? []), piece]);
  const { first, last } = filtersOf([...byKey.values()].flat());
  return (part, from) => {
    const { bytes, length } = part;
    for (let at = from & -step; at < length; at += step) {
      const four = bytes.getInt32(at, true);
      if ((((first[rowOf(four)] ?? 0) >>> four) & ((last[rowOf(four >>> 8)] ?? 0) >>> (four >>> 8)) & 1) === 0)
        continue;
      const start = wordAt(byKey.get(keyOf(four)) ?? [], part, at, from);
      if (start >= 0) return start;
    }
    return -1;
  };
}

/**
 * A part of a text with the lower byte of each of its units, which tells most places from words. Four bytes are read at once,
 * so there must be one more than `length`. Where the part reaches beyond the text, line ends stand.
 */
export type Scanned = {
  readonly text: string;
  /** Where in the text the part begins. */
  readonly at: number;
  readonly length: number;
  readonly bytes: DataView;
};

/** Four units in a row at a place that is looked at, three of which at least are a word's. */
type Piece = {
  readonly word: string;
  /** Where in the word it begins: -1, one unit in front of it. */
  readonly offset: number;
  /** Of its first four units and its last. */
  readonly head: number;
  readonly tail: number;
};

const step = 4;

/** Four pieces in a row, those that are least like other text: one of them stands at a place that is looked at. */
function piecesOf(text: string): readonly Piece[] {
  const word = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const share = (at: number) => {
    const rank = signs.indexOf(word.charAt(at));
    return word.charAt(at) === "" ? 1 : 1 / (2 + (rank < 0 ? signs.length : rank));
  };
  const chance = (at: number) => [0, 1, 2, 3].reduce((product, one) => product * share(at + one), 1);
  const cost = (start: number) => [0, 1, 2, 3].reduce((sum, one) => sum + chance(start + one), 0);
  const starts = Array.from({ length: word.length - step }, (_, at) => at - 1);
  const rarest = starts.reduce((best, start) => (cost(start) < cost(best) ? start : best), -1);
  const [head, tail] = [fourAt(word, 0) & letters, fourAt(word, word.length - 4) & letters];
  return [0, 1, 2, 3].map((behind) => ({ word, offset: rarest + behind, head, tail }));
}

/** From common to rare. */
const signs = " etaoinsrhldcumfpgwybvkxjqz";

/** The lower bytes of four units. */
function fourAt(word: string, at: number): number {
  const unit = (offset: number) => (word.charCodeAt(at + offset) & 0xff) << (8 * offset);
  return unit(0) | unit(1) | unit(2) | unit(3);
}

/** What letters have in common that differ in case only. */
const letters = 0x1f1f1f1f;

/** Whether three units in a row, in five bits each, may be a piece's: its first three, and its last. */
function filtersOf(pieces: readonly Piece[]): { readonly first: Int32Array; readonly last: Int32Array } {
  const [first, last] = [new Int32Array(1 << 10), new Int32Array(1 << 10)];
  for (const { word, offset } of pieces)
    for (const [filter, from] of [
      [first, offset],
      [last, offset + 1],
    ] as const)
      for (const key of keysAt(word, from)) filter[key >>> 5] = (filter[key >>> 5] ?? 0) | (1 << (key & 31));
  return { first, last };
}

/** The second and third of them. */
function rowOf(four: number): number {
  return ((four >>> 8) & 31) | ((four >>> 11) & 0x3e0);
}

/** Of three units one number; letters that differ in case have the same, and others may. */
function keyOf(four: number): number {
  return (four & 31) | (rowOf(four) << 5);
}

/** Beside the word any unit may stand. */
function keysAt(word: string, from: number): readonly number[] {
  const [a = [], b = [], c = []] = [from, from + 1, from + 2].map((at) =>
    at < 0 || at >= word.length ? any : [word.charCodeAt(at) & 31],
  );
  return a.flatMap((one) => b.flatMap((two) => c.map((three) => one | (two << 5) | (three << 10))));
}

const any = Array.from({ length: 32 }, (_, unit) => unit);

/** Where the word begins that has such a piece at that place, the first of several; -1: it only looked like it. */
function wordAt(
  pieces: readonly Piece[],
  { text, at: base, length, bytes }: Scanned,
  at: number,
  from: number,
): number {
  let first = -1;
  for (const { word, offset, head, tail } of pieces) {
    const start = at - offset;
    const end = start + word.length;
    if (start < from || end > length || (first >= 0 && start >= first)) continue;
    const isLike =
      (bytes.getInt32(start, true) & letters) === head && (bytes.getInt32(end - 4, true) & letters) === tail;
    if (isLike && holds(text, base + start, word)) first = start;
  }
  return first;
}

function holds(text: string, start: number, word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const place = start + at;
    const unit = place < 0 || place >= text.length ? newline : text.charCodeAt(place);
    if ((unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit) !== word.charCodeAt(at)) return false;
  }
  return true;
}

const newline = 0x0a;
