import type { ClearNumbers } from "../log/entry.ts";
import type { Candidate } from "./candidates.ts";
import { clearLimits, recallRisk } from "./clear-table.ts";
import { type Batch, batchesOf, bestBatch, type Due } from "./cost-rule.ts";
import { type Costs, ratesOf } from "./costs.ts";
import { overMark } from "./mark.ts";
import type { Sizes } from "./sizes.ts";

/**
 * Why a batch goes. `cold`: the cache was certainly gone (DESIGN 6 (a)); `rent`: what goes has cost its price (b);
 * `pressure`: the hard line (c); `tier`: a dearer price was reached (d).
 */
type ClearReason = ClearNumbers["reason"];

/** What goes, and what it is worth. */
export type Chosen = { readonly batch: Batch; readonly going: readonly Candidate[]; readonly reason: ClearReason };

/** Under pressure: what brings the request down to the mark, or where nothing else is left, all there is. */
export type Aim = "mark" | "all";

/** The batch to clear before the next request; null: none is worth it. */
export function chooseBatch(pool: readonly Candidate[], sizes: Sizes, costs: Costs, aim: Aim): Chosen | null {
  if (pool.length === 0) return null;
  if (costs.pressure !== "none") return underPressure(pool, sizes, costs, aim);
  if (costs.cache === "cold") return whenDue("cold", pool, sizes, costs);
  return beforeTier(pool, sizes, costs) ?? whenDue("rent", pool, sizes, costs);
}

/** (a), where all of the prompt is written anyway, and (b). */
function whenDue(reason: "cold" | "rent", pool: readonly Candidate[], sizes: Sizes, costs: Costs): Chosen | null {
  // What a cold prompt keeps is paid for at once, so things go sooner; but not what the newest answer has just asked for.
  const isCold = reason === "cold";
  const due = pool.filter(
    ({ ageSteps, dueSteps }) => dueSteps > 0 || (isCold && ageSteps > 0 && dueSteps > -clearLimits.coldSteps),
  );
  const { coldBatchTokensMin, batchTokensMin } = clearLimits;
  return chosenOf(reason, due, bestBatch(batchesFor(due, sizes, costs), isCold ? coldBatchTokensMin : batchTokensMin));
}

/** (c): the newest cut that brings the request down to the mark. Where none does, finished work is collapsed or folded instead. */
function underPressure(pool: readonly Candidate[], sizes: Sizes, costs: Costs, aim: Aim): Chosen | null {
  const older = withoutNewest(pool, costs);
  const over = overMark(sizes.totalTokens, costs);
  const batches = batchesFor(older, sizes, costs);
  const enough = batches.find(({ savedTokens, reasoningTokens }) => savedTokens + reasoningTokens >= over);
  return chosenOf("pressure", older, enough ?? (aim === "all" ? batches.at(-1) : null));
}

/** (d): the newest cut that stays below the dearer price for so many steps that it pays. */
function beforeTier(pool: readonly Candidate[], sizes: Sizes, costs: Costs): Chosen | null {
  const { tier, prices } = costs;
  if (tier === null || prices.type === "local" || tier.promptTokens < tier.fromTokens) return null;
  const older = withoutNewest(pool, costs);
  const dearerStep = (tier.factor - 1) * prices.rates.read * tier.promptTokens;
  const batch = batchesFor(older, sizes, costs).find(({ savedTokens, reasoningTokens, price, recalls }) => {
    const room = savedTokens + reasoningTokens - (tier.promptTokens - tier.fromTokens);
    return room >= clearLimits.batchTokensMin && (room / sizes.stepTokens) * dearerStep >= price + recalls;
  });
  return chosenOf("tier", older, batch);
}

/** Where something has to go, younger things go as well, but of the newest results only what was overtaken. */
function withoutNewest(pool: readonly Candidate[], { lineTokens }: Costs): readonly Candidate[] {
  const { keptResults, keptTokensMax, keptShareMax } = clearLimits;
  let results = 0;
  let left = Math.min(keptTokensMax, lineTokens * keptShareMax);
  const last = pool.findLastIndex(({ as, savedTokens }) => {
    if (as === "input" || as === "over") return false;
    left -= savedTokens;
    return ++results > keptResults || left < 0;
  });
  return pool.filter(({ as, dueSteps }, at) => at <= last || (as !== "oldest" && dueSteps > 0));
}

function batchesFor(list: readonly Candidate[], sizes: Sizes, costs: Costs): readonly Batch[] {
  const { prices, cache, headTokens } = costs;
  const rates = ratesOf(prices);
  const due = list.map(({ at, as, work, savedTokens, dueSteps }): Due => {
    const expectedRecalls = (recallRisk[as === "oldest" ? work : as] * savedTokens) / 1_000;
    return { savedTokens, dueSteps, expectedRecalls, ...sizes.behind(at) };
  });
  const { recallOutputTokens, recalledTokens } = clearLimits;
  const step = (headTokens + sizes.totalTokens) * rates.read + recallOutputTokens * rates.output;
  return batchesOf(due, { rates, recallCost: step + recalledTokens * rates.write, cache });
}

function chosenOf(reason: ClearReason, list: readonly Candidate[], batch: Batch | null | undefined): Chosen | null {
  return batch == null ? null : { batch, going: list.slice(batch.from), reason };
}
