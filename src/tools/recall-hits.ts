import { plainText } from "../kernel/plain-text.ts";
import { placeOf } from "./recall-words.ts";
import { windowAround } from "./window.ts";

/** Where a line holds words: the first of them, for a window around it; null: none. */
export function wordsIn(line: string, words: readonly string[], needed: number): WordsFound | null {
  const plain = plainText(line);
  const places = words.flatMap((word) => {
    const at = placeOf(plain, word);
    return at < 0 ? [] : [{ at, word }];
  });
  const [first] = places;
  if (first === undefined || places.length < needed) return null;
  // Where comparing made the line longer or shorter, the place is no longer known: then its beginning is shown.
  const from = plain.length === line.length ? first.at : 0;
  return { from, to: plain.length === line.length ? from + first.word.length : 0, count: places.length };
}

type WordsFound = { readonly from: number; readonly to: number; readonly count: number };

/** The lines of a text that hold most of the words, as a list of several texts shows them: few and short. */
export function linesOfHit(text: string, words: readonly string[]): readonly string[] {
  const best: { readonly number: number; readonly row: string; readonly count: number }[] = [];
  let number = 0;
  for (let start = 0; start < text.length; ) {
    number += 1;
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? text.length : end);
    const found = wordsIn(line, words, 1);
    const worst = best.length < linesMax ? 0 : Math.min(...best.map(({ count }) => count));
    if (found !== null && found.count > worst) {
      if (best.length >= linesMax)
        best.splice(
          best.findLastIndex(({ count }) => count === worst),
          1,
        );
      best.push({ number, row: windowAround(line.trimEnd(), found.from, found.to), count: found.count });
    }
    start = end < 0 ? text.length : end + 1;
  }
  return best.map((one) => `  ${one.number}\t${one.row}`);
}

const linesMax = 3;
