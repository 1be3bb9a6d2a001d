/** A few neighbouring characters; in ASCII as one number, since a catalogue has hundreds of thousands of them. */
export type Run = number | string;

/** Each of words written together; none of languages whose words are pairs of characters already. */
export function runsOf(words: readonly string[]): readonly Run[] {
  const text = words.filter((word) => !unspacedPair.test(word)).join("");
  const runs: Run[] = [];
  let [packed, ascii] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    packed = ((packed << asciiBits) | code) & runMask;
    ascii = code < 1 << asciiBits ? ascii + 1 : 0;
    if (at >= runChars - 1) runs.push(ascii >= runChars ? packed : text.slice(at - runChars + 1, at + 1));
  }
  return runs;
}

const runChars = 4;
const asciiBits = 7;
const runMask = (1 << (runChars * asciiBits)) - 1;
const unspacedPair = /^[^\0-\x7f]{1,2}$/;
