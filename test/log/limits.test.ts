import { expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { guessAged, guessAnswered, guessesDropped, type Limits, limitLearned } from "../../src/log/limits.ts";

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
  expect(guessed).toEqual({ m: { named: 90_000, guess: { tokens: 40_000, age: "new", answers: 0 } } });
  expect(learned(guessed, 30_000)).toEqual({ m: { named: 30_000, guess: null } });
});

test("a guess holds over the compaction it was made for, and the next one drops it", () => {
  const held = guessAged(guessed, "m");
  expect(held.m?.guess).toEqual({ tokens: 40_000, age: "held", answers: 0 });
  expect(guessAged(held, "m")).toEqual(named);
  expect(guessAged(named, "m")).toBe(named);
  expect(guessAged(guessed, "another")).toBe(guessed);
  // A refusal since then is a guess anew.
  expect(learned(held, 35_000, "guess").m?.guess).toEqual({ tokens: 35_000, age: "new", answers: 0 });
});

test("a longer prompt that was taken refutes a guess, never a number that was named", () => {
  expect(guessAnswered(guessed, "m", 40_000).m?.guess?.tokens).toBe(40_000);
  expect(guessAnswered(guessed, "m", 40_001)).toEqual(named);
  expect(guessAnswered(named, "m", 99_000)).toBe(named);
});

test("a guess holds over bounds.guessAnswersMax answers, with their lengths reported or not, and a new one as long", () => {
  const answered = (limits: Limits, times: number) =>
    Array.from({ length: times }).reduce<Limits>(
      (next, _, at) => guessAnswered(next, "m", at % 2 === 0 ? 9 : null),
      limits,
    );
  const near = answered(guessed, bounds.guessAnswersMax - 1);
  expect(near.m?.guess?.tokens).toBe(40_000);
  expect(answered(near, 1)).toEqual(named);
  expect(answered(learned(near, 35_000, "guess"), bounds.guessAnswersMax - 1).m?.guess?.tokens).toBe(35_000);
  expect(guessAnswered(guessed, "another", 99_000)).toBe(guessed);
});

test("another model ends all guesses", () => {
  expect(guessesDropped(guessed)).toEqual(named);
  expect(guessesDropped(named)).toBe(named);
});
