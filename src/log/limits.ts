import { own } from "../kernel/own.ts";
import type { EntryOf } from "./entry.ts";

/** What refusals said of models' input limits, by model. */
export type Limits = Readonly<Record<string, LearnedLimit>>;

export type LearnedLimit = {
  /** null: no refusal named a number. */
  readonly named: number | null;
  /** For a refusal without a number; null: none, or it was dropped. */
  readonly guess: Guess | null;
};

/** It holds over the compaction that it brings about, and no longer: the refusal may have been an accident. */
type Guess = { readonly tokens: number; readonly age: "new" | "held" };

export function limitLearned(limits: Limits, { model, inputTokensMax, basis }: EntryOf<"limit-learned">): Limits {
  const known = own(limits, model) ?? { named: null, guess: null };
  const next: LearnedLimit =
    basis === "guess"
      ? { ...known, guess: { tokens: inputTokensMax, age: "new" } }
      : { named: inputTokensMax, guess: null };
  return { ...limits, [model]: next };
}

/** The provider took a longer prompt. */
export function guessRefuted(limits: Limits, model: string, promptTokens: number): Limits {
  const { guess } = own(limits, model) ?? { guess: null };
  return guess === null || promptTokens <= guess.tokens ? limits : withoutGuess(limits, model);
}

/** A compaction: the first is the one that the guess was made for. */
export function guessAged(limits: Limits, model: string): Limits {
  const known = own(limits, model);
  if (known === undefined || known.guess === null) return limits;
  if (known.guess.age === "held") return withoutGuess(limits, model);
  return { ...limits, [model]: { ...known, guess: { ...known.guess, age: "held" } } };
}

/** Another model: should the former come back, it begins without. */
export function guessesDropped(limits: Limits): Limits {
  return Object.keys(limits).reduce(withoutGuess, limits);
}

function withoutGuess(limits: Limits, model: string): Limits {
  const known = own(limits, model);
  return known === undefined || known.guess === null ? limits : { ...limits, [model]: { ...known, guess: null } };
}
