/** The lines of defence of DESIGN 6, in the order in which they act. */
export type LineName = "first-forms" | "pointers" | "clear" | "collapse" | "compact";

export const lineNames: readonly LineName[] = ["first-forms", "pointers", "clear", "collapse", "compact"];

/** What a line did in a session and what that was worth; null: the price is unknown. */
export type LineOfDefence = {
  readonly line: LineName;
  /** Results in a shorter form; breaks. */
  readonly times: number;
  /** Each token once, however many requests went without it; net of what stands in its place. */
  readonly tokensKeptOut: number;
  readonly savedUsd: number | null;
  readonly spentUsd: number | null;
  /** Saved less spent; a loss is shown as one (law 9). */
  readonly worthUsd: number | null;
};
