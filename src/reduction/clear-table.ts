import type { Work } from "./use-work.ts";

/** Why a candidate may go, in the order of the pool (DESIGN 6). */
export type ClearedAs = "superseded" | "stale" | "settled" | "over" | "oldest" | "input";

/** What a candidate is cleared as: the work of its call, or a call's own large input. */
export type Clearable = Exclude<Work, "kept"> | "input";

/**
 * Answers after its last use for which a result is kept, whatever its rent. Fitted with `npm run -s bench -- replay` on the
 * even sessions at read 0.1: longer costs more, shorter brings more steps to fetch what was cleared too soon.
 */
export const keptSteps: Readonly<Record<Clearable, number>> = {
  read: 12,
  "shell-read": 10,
  search: 6,
  command: 3,
  edit: 2,
  recall: 10,
  other: 1,
  input: 1,
};

/**
 * Recalls to expect for each 1,000 tokens of what goes: `npm run -s bench -- risk`, even sessions (read 0.19, stale 0.18, search
 * 0.13, command 0.02, edits and settled failures none). By size, since a whole file is asked for piece by piece, and a few
 * lines of one hardly ever. Of other tools, reading in a shell and recalled texts these sessions hold too few to tell: taken
 * between a command's and a file's.
 */
export const recallRisk: Readonly<Record<Clearable | Exclude<ClearedAs, "oldest">, number>> = {
  read: 0.2,
  "shell-read": 0.05,
  search: 0.13,
  command: 0.02,
  edit: 0.01,
  recall: 0.1,
  other: 0.05,
  superseded: 0.01,
  stale: 0.18,
  settled: 0.01,
  over: 0.01,
  input: 0,
};

export const clearLimits = {
  /** A longer string of a call's input is a content, not a name. */
  inputCharsMax: 200,
  /** Less is not worth the words that take its place. */
  savedTokensMin: 50,
  /** Kept steps of a file that was edited since: what an edit changed, the edit says. */
  staleSteps: 3,
  /** Smallest batch, and where the cache is gone. */
  batchTokensMin: 6_000,
  coldBatchTokensMin: 2_000,
  /** Where the cache is gone: so many answers sooner. */
  coldSteps: 3,
  /** Of what was last used for an earlier request of the user: so many answers sooner. */
  earlierRequestSteps: 15,
  /** Below so much history, or this share of what is usable, nothing is cleared (law 8). */
  smallTokens: 20_000,
  smallShare: 0.5,
  /** Newest results that stay under pressure: so many, or so many tokens, or this share of the line. */
  keptResults: 10,
  keptTokensMax: 20_000,
  keptShareMax: 0.25,
  /** What one recall is taken to write and to bring. */
  recallOutputTokens: 150,
  recalledTokens: 1_500,
} as const;
