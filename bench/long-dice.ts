/** Reproducible chance: the same seed throws the same. */
export type Dice = {
  /** A whole number from 0 to `n` - 1. */
  below(n: number): number;
  of<T>(list: readonly [T, ...T[]]): T;
};

export function diceOf(seed: number): Dice {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0 || 1;
  const below = (n: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % n;
  };
  // The index is below the length, which is at least one.
  const of = <T>(list: readonly [T, ...T[]]): T => list[below(list.length)] ?? list[0];
  return { below, of };
}
