import { bounds } from "../kernel/bounds.ts";
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

/**
 * It holds over the compaction that it brings about, or for so many answers where clearing puts the compaction off, and no
 * longer: the refusal may have been an accident.
 */
type Guess = { readonly tokens: number; readonly age: "new" | "held"; readonly answers: number };

export function limitLearned(limits: Limits, { model, inputTokensMax, basis }: EntryOf<"limit-learned">): Limits {
  const known = own(limits, model) ?? { named: null, guess: null };
  const next: LearnedLimit =
    basis === "guess"
      ? { ...known, guess: { tokens: inputTokensMax, age: "new", answers: 0 } }
      : { named: inputTokensMax, guess: null };
  return { ...limits, [model]: next };
}

/** An answer came. A longer prompt that was taken refutes a guess; `promptTokens` null: its length was not reported. */
export function guessAnswered(limits: Limits, model: string, promptTokens: number | null): Limits {
  const known = own(limits, model);
  if (known === undefined || known.guess === null) return limits;
  const answers = known.guess.answers + 1;
  if (answers >= bounds.guessAnswersMax || (promptTokens ?? 0) > known.guess.tokens) return withoutGuess(limits, model);
  return { ...limits, [model]: { ...known, guess: { ...known.guess, answers } } };
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
