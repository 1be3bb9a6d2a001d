import { expect, test } from "vitest";
import { guessAged, guessesDropped, guessRefuted, type Limits, limitLearned } from "../../src/log/limits.ts";

const learned = (limits: Limits, inputTokensMax: number, basis?: "guess") =>
  limitLearned(limits, {
    type: "limit-learned",
    seq: 1,
    at: 1,
    model: "m",
    inputTokensMax,
    from: "413",
    ...(basis === undefined ? {} : { basis }),
  });

const named = learned({}, 90_000);
const guessed = learned(named, 40_000, "guess");

test("a guess leaves the number that was named before, and a number that is named ends a guess", () => {
  expect(guessed).toEqual({ m: { named: 90_000, guess: { tokens: 40_000, age: "new" } } });
  expect(learned(guessed, 30_000)).toEqual({ m: { named: 30_000, guess: null } });
});

test("a guess holds over the compaction it was made for, and the next one drops it", () => {
  const held = guessAged(guessed, "m");
  expect(held.m?.guess).toEqual({ tokens: 40_000, age: "held" });
  expect(guessAged(held, "m")).toEqual(named);
  expect(guessAged(named, "m")).toBe(named);
  expect(guessAged(guessed, "another")).toBe(guessed);
  // A refusal since then is a guess anew.
  expect(learned(held, 35_000, "guess").m?.guess).toEqual({ tokens: 35_000, age: "new" });
});

test("a longer prompt that was taken refutes a guess, never a number that was named", () => {
  expect(guessRefuted(guessed, "m", 40_000)).toBe(guessed);
  expect(guessRefuted(guessed, "m", 40_001)).toEqual(named);
  expect(guessRefuted(named, "m", 99_000)).toBe(named);
});

test("another model ends all guesses", () => {
  expect(guessesDropped(guessed)).toEqual(named);
  expect(guessesDropped(named)).toBe(named);
});
