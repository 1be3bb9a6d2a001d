/** A small seeded generator (mulberry32): a case is its number, on every machine. */
export type Dice = { below(limit: number): number; pick<T>(list: readonly T[]): T };

export function diceOf(seed: number): Dice {
  let state = seed;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  const pick = <T>(list: readonly T[]): T => {
    const found = list[below(list.length)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  };
  return { below, pick };
}
