import type { ClearNumbers } from "../log/entry.ts";
import type { FoldGoal, KeptReasoning, SlidingWindow } from "./fold-goal.ts";

/** What a decision is measured against; all sizes as our estimate counts them. */
export type Costs = {
  /** The hard line the whole request must come under. */
  readonly lineTokens: number;
  /** Tools and system, where they are not among the segments. */
  readonly headTokens: number;
  readonly closeLoop: boolean;
  readonly reasoning: KeptReasoning;
  /**
   * `hard`: the request is over the line, so something has to go. `near`: it is over the auto line (`lineShares`), so what
   * brings it down to the mark goes. `none`: only what pays.
   */
  readonly pressure: "none" | "near" | "hard";
  /** What may be cleared: nothing, results, or the large inputs of calls as well. */
  readonly clearing: "off" | "results" | "all";
  /** Left out: finished spans are collapsed under pressure. */
  readonly collapsing?: "off";
  /** Left out: finished work is folded under pressure. */
  readonly folding?: "off";
  readonly prices: Prices;
  /** `cold`: certainly, by the provider's own word (`isCertainlyCold`). */
  readonly cache: "warm" | "cold";
  /** A longer request is dearer as a whole from here on; null: no price of this model is. */
  readonly tier: Tier | null;
  /** A compaction that is decided: the fold is made now, with what is given of its goal. */
  readonly compaction?: Compaction;
  /** Left out: work is appended until the lines say that something has to go. */
  readonly window?: SlidingWindow;
};

/** `forced`: whatever the lines say, and nothing else is done first. */
export type Compaction = { readonly forced: boolean; readonly goal: Partial<FoldGoal> };

/** In units of a plain input token of the model, writes at the price of the lifetime that is asked for. */
export type Rates = ClearNumbers["rates"];

/** `assumed`: the model's price is unknown. `local`: no money, so only pressure is a reason. */
export type Prices = { readonly type: "known" | "assumed"; readonly rates: Rates } | { readonly type: "local" };

export type Tier = {
  /** Of the next request, and from where on it is dearer. */
  readonly promptTokens: number;
  readonly fromTokens: number;
  /** Prices from there on, as a multiple of those below. */
  readonly factor: number;
};

export const assumedPrices: Prices = { type: "assumed", rates: { read: 0.1, write: 1.25, output: 5 } };

/** Without money: tokens evaluated again (DESIGN 6). */
export function ratesOf(prices: Prices): Rates {
  return prices.type === "local" ? { read: 0, write: 1, output: 0 } : prices.rates;
}

/** A documented end of life, counted from the start of the last request that read the prefix, and a tenth on top. */
export function isCertainlyCold(idleMs: number | null, lifetimeMs: number | null): boolean {
  return idleMs !== null && lifetimeMs !== null && idleMs > lifetimeMs * 1.1;
}
