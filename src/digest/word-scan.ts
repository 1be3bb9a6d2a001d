/**
 * Finds the first of many words at or behind a place, in small or capital ASCII letters; of words that overlap, any.
 * Only every third place is looked at: of a word of five characters or more, three in a row stand at one of them, and few
 * places hold three of any word. A pattern of as many alternatives costs many times more, and outputs of megabytes are
 * looked through.
 */
export function wordScanner(words: readonly string[]): (part: Scanned, from: number) => number {
  const byKey = Map.groupBy(words.flatMap(piecesOf), ({ key }) => key);
  const groups: readonly (readonly Piece[])[] = [[], ...byKey.values()];
  const groupOf = new Uint16Array(1 << keyBits);
  for (const [at, key] of [...byKey.keys()].entries()) groupOf[key] = at + 1;
  return (part, from) => {
    const { bytes, length } = part;
    for (let at = from; at + step <= length; at += step) {
      const group = groupOf[keyOf(bytes.getInt32(at, true))] ?? 0;
      if (group === 0) continue;
      const start = wordAt(groups[group] ?? [], part, at, from);
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

/** Three units of a word, and where in it. */
type Piece = {
  readonly word: string;
  readonly offset: number;
  readonly key: number;
  /** Of its first four units and its last. */
  readonly head: number;
  readonly tail: number;
};

const step = 3;
const keyBits = 14;

/** The three pieces in a row that are least like other text. */
function piecesOf(text: string): readonly Piece[] {
  const word = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const shares = Array.from({ length: word.length }, (_, at) => {
    const rank = signs.indexOf(word.charAt(at));
    return 1 / (2 + (rank < 0 ? signs.length : rank));
  });
  const chance = (at: number) => shares.slice(at, at + step).reduce((product, one) => product * one, 1);
  const cost = (start: number) => chance(start) + chance(start + 1) + chance(start + 2);
  const starts = Array.from({ length: word.length - step - 1 }, (_, start) => start);
  const rarest = starts.reduce((best, start) => (cost(start) < cost(best) ? start : best), 0);
  const [head, tail] = [fourAt(word, 0) & letters, fourAt(word, word.length - 4) & letters];
  return [rarest, rarest + 1, rarest + 2].map((offset) => {
    return { word, offset, key: keyOf(fourAt(word, offset)), head, tail };
  });
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

/** A number for the three lower bytes; letters that differ in case have the same, and others may. */
function keyOf(four: number): number {
  return Math.imul(four & letters & 0xffffff, 0x9e3779b1) >>> (32 - keyBits);
}

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
