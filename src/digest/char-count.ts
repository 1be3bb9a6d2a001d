import { charsOf, eachLow } from "./text.ts";

/** Characters of any part of a text, after one look at all of it. */
export type CharCount = {
  readonly all: number;
  between(from: number, to: number): number;
};

export function countChars(text: string): CharCount {
  /** Pairs that end in front of each block, where there are any. */
  let before: Uint32Array | null = null;
  eachLow(text, (at) => {
    before ??= new Uint32Array(Math.ceil(text.length / blockUnits) + 1);
    const block = Math.floor(at / blockUnits) + 1;
    before[block] = (before[block] ?? 0) + 1;
  });
  const sums = before === null ? null : summed(before);
  const upTo = (at: number): number => {
    if (sums === null) return at;
    const block = Math.floor(at / blockUnits);
    return block * blockUnits - (sums[block] ?? 0) + charsOf(text.slice(block * blockUnits, at));
  };
  return { all: upTo(text.length), between: (from, to) => upTo(to) - upTo(from) };
}

const blockUnits = 1_024;

function summed(counts: Uint32Array): Uint32Array {
  let sum = 0;
  return counts.map((count) => {
    sum += count;
    return sum;
  });
}
