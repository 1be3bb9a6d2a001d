/**
 * Finds the first of many words at or behind a place, in small or capital ASCII letters, without a look at most characters
 * (Wu and Manber): the last two characters of a window say how far the window may move. A pattern of as many alternatives
 * costs several times more, and outputs of megabytes are looked through for words of failure.
 */
export function wordScanner(words: readonly string[]): (text: string, from: number) => number {
  const lowered = words.map((word) => word.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
  const width = Math.min(...lowered.map((word) => word.length));
  const shifts = new Uint8Array(pairs).fill(width - 1);
  for (const word of lowered)
    for (let at = 1; at < width; at++) {
      const pair = pairOf(word.charCodeAt(at - 1), word.charCodeAt(at));
      shifts[pair] = Math.min(shifts[pair] ?? 0, width - 1 - at);
    }
  const ending = Map.groupBy(lowered, (word) => pairOf(word.charCodeAt(width - 2), word.charCodeAt(width - 1)));
  return (text, from) => {
    for (let end = from + width - 1; end < text.length; ) {
      const pair = pairOf(text.charCodeAt(end - 1), text.charCodeAt(end));
      const shift = shifts[pair] ?? 0;
      if (shift > 0) {
        end += shift;
        continue;
      }
      const start = end - width + 1;
      for (const word of ending.get(pair) ?? []) if (holds(text, word, start)) return start;
      end += 1;
    }
    return -1;
  };
}

const pairs = 1 << 14;

/** Characters that differ only in case, or by more than 7 bits, may share a pair: then the word itself is compared. */
function pairOf(first: number, second: number): number {
  return ((first & 0x5f) << 7) | (second & 0x5f);
}

function holds(text: string, word: string, start: number): boolean {
  for (let at = 0; at < word.length; at++) {
    const unit = text.charCodeAt(start + at);
    const lower = unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit;
    if (lower !== word.charCodeAt(at)) return false;
  }
  return true;
}
