import type { ClearNumbers } from "../log/entry.ts";
import type { Rates } from "./costs.ts";

/** One thing that could go: what each step pays for it, for how long it has been due, and what is behind it. */
export type Due = {
  readonly savedTokens: number;
  readonly dueSteps: number;
  /** How often it will be asked for again. */
  readonly expectedRecalls: number;
  /** Behind its place: what the cache holds, and the reasoning that a change here makes worthless. */
  readonly behindTokens: number;
  readonly reasoningTokens: number;
};

export type Terms = {
  readonly rates: Rates;
  /** What one recall costs: a step, and what it brings. */
  readonly recallCost: number;
  readonly cache: "warm" | "cold";
};

/**
 * What goes from one cut on, in the numbers that the log keeps of it. `rent`: paid so far for what goes, step by step; where
 * the cache is gone, what it would cost to write it again as well. `price`: of acting, since what is behind the cut is written
 * instead of read, and reasoning is lost.
 */
export type Batch = Omit<ClearNumbers, "reason" | "prices" | "rates"> & {
  /** Index of its first one: it and all behind it go. */
  readonly from: number;
};

/** Every way to act, newest cut first. A break does the pending work behind its cut, never before it (DESIGN 6). */
export function batchesOf(due: readonly Due[], { rates, recallCost, cache }: Terms): readonly Batch[] {
  const { read, write } = rates;
  const batches: Batch[] = [];
  let [saved, rent, recalls] = [0, 0, 0];
  for (let from = due.length - 1; from >= 0; from--) {
    const one = due[from];
    if (one === undefined) continue;
    saved += one.savedTokens;
    rent += one.savedTokens * (read * Math.max(0, one.dueSteps) + (cache === "cold" ? write : 0));
    recalls += one.expectedRecalls * recallCost;
    const behindTokens = Math.max(0, one.behindTokens - one.reasoningTokens - saved);
    const rewritten = cache === "cold" ? 0 : Math.max(0, write - read) * behindTokens;
    const price = rewritten + write * one.reasoningTokens;
    const { reasoningTokens } = one;
    batches.push({ from, savedTokens: saved, behindTokens, reasoningTokens, rent, price, recalls });
  }
  return batches;
}

/**
 * Ski rental: the batch whose rent exceeds its price by most; null: the rent of none has reached it. It is known from the
 * conversation alone, so that nothing has to be kept for it.
 */
export function bestBatch(batches: readonly Batch[], savedTokensMin: number): Batch | null {
  const gainOf = ({ rent, price, recalls }: Batch) => rent - price - recalls;
  const isPaying = (batch: Batch) => batch.rent > 0 && gainOf(batch) >= 0;
  const paying = batches.filter((batch) => batch.savedTokens >= savedTokensMin && isPaying(batch));
  // Of equals the newest: less is written again.
  return paying.reduce<Batch | null>(
    (best, batch) => (best === null || gainOf(batch) > gainOf(best) ? batch : best),
    null,
  );
}
