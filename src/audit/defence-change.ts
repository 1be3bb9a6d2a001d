import type { LineName } from "./defence-line.ts";

/**
 * What a line did to one request. `amount`: tokens; of `recall`, which part of the answer asked for what the line had taken
 * away; of `summary`, 1. `-new`: with this request for the first time.
 */
export type Change = {
  readonly line: LineName;
  readonly what:
    | "kept-out-new"
    | "kept-out"
    | "added-new"
    | "added"
    | "rewritten"
    | "reasoning-lost"
    | "recall"
    | "summary";
  readonly amount: number;
};
