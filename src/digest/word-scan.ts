/**
 * Finds the first of many words at or behind a place in UTF-8, in small or capital ASCII letters; of words that overlap, any.
 * Only every third place is looked at: of a word of five bytes or more, three bytes in a row stand at one of them, and few
 * places hold three bytes of any word. A pattern of as many alternatives costs many times more, and outputs of megabytes
 * are looked through. Four bytes are read at once, so the last byte before `to` must not be the view's last.
 */
export function wordScanner(words: readonly string[]): (bytes: DataView, from: number, to: number) => number {
  const byKey = Map.groupBy(words.flatMap(partsOf), ({ key }) => key);
  const groups: readonly (readonly Part[])[] = [[], ...byKey.values()];
  const groupOf = new Uint16Array(1 << keyBits);
  for (const [at, key] of [...byKey.keys()].entries()) groupOf[key] = at + 1;
  return (bytes, from, to) => {
    for (let at = from; at + step <= to; at += step) {
      const group = groupOf[keyOf(bytes.getInt32(at, true))] ?? 0;
      if (group === 0) continue;
      const start = wordAt(groups[group] ?? [], bytes, at, from, to);
      if (start >= 0) return start;
    }
    return -1;
  };
}

/** Three bytes of a word, and where in it. */
type Part = { readonly word: Uint8Array; readonly offset: number; readonly key: number };

const encoder = new TextEncoder();
const step = 3;
const keyBits = 15;

/** The three parts in a row that are least like other text. */
function partsOf(text: string): readonly Part[] {
  const word = encoder.encode(text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
  const common = Array.from(word, (byte) => Number(byte < 0x80 && "aeinorst ".includes(String.fromCharCode(byte))));
  const starts = Array.from({ length: word.length - step - 1 }, (_, start) => start);
  const cost = (start: number) => common.slice(start, start + step + 2).reduce((sum, one) => sum + one, 0);
  const rarest = starts.reduce((best, start) => (cost(start) < cost(best) ? start : best), 0);
  return [rarest, rarest + 1, rarest + 2].map((offset) => {
    const [one = 0, two = 0, three = 0] = word.subarray(offset, offset + step);
    return { word, offset, key: keyOf(one | (two << 8) | (three << 16)) };
  });
}

/** A number for the three lower bytes; letters that differ in case have the same, and others may. */
function keyOf(four: number): number {
  return Math.imul((four & 0xffffff) | 0x202020, 0x9e3779b1) >>> (32 - keyBits);
}

/** Where the word begins that has such a part at that place, the first of several; -1: it only looked like it. */
function wordAt(parts: readonly Part[], bytes: DataView, at: number, from: number, to: number): number {
  let first = -1;
  for (const { word, offset } of parts) {
    const start = at - offset;
    if (start < from || start + word.length > to || (first >= 0 && start >= first)) continue;
    if (holds(bytes, word, start)) first = start;
  }
  return first;
}

function holds(bytes: DataView, word: Uint8Array, start: number): boolean {
  for (let at = 0; at < word.length; at++) {
    const byte = bytes.getUint8(start + at);
    if ((byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte) !== word[at]) return false;
  }
  return true;
}
