import { costOf, type Price, priceOf, uncachedCostOf } from "../budget/prices.ts";
import { promptTokensOf, type Usage } from "../kernel/usage.ts";

/** A call's money, and what one token of its prompt cost by whether the cache was read. */
export type Rated = {
  readonly usd: number;
  readonly promptUsd: number;
  readonly outputUsd: number;
  readonly uncachedUsd: number;
  readonly readUsdPerToken: number;
  readonly freshUsdPerToken: number;
};

/** At the call's own time; null: no price is known, or no time or model was recorded. */
export function ratedBy(model: string | null, at: number | null, usage: Usage): Rated | null {
  if (model === null || at === null) return null;
  const prompt = promptTokensOf(usage);
  const price = priceOf(model, at, prompt);
  if (price.type !== "known") return null;
  const outputUsd = (usage.output * price.rates.output) / million;
  const usd = usdOf(usage, price);
  const readUsdPerToken = price.rates.read / million;
  const fresh = prompt - usage.cacheRead;
  const promptUsd = usd - outputUsd;
  const freshUsd = promptUsd - usage.cacheRead * readUsdPerToken;
  return {
    usd,
    promptUsd,
    outputUsd,
    uncachedUsd: moneyOf(uncachedCostOf(usage, price)),
    readUsdPerToken,
    freshUsdPerToken: fresh > 0 ? Math.max(0, freshUsd) / fresh : price.rates.input / million,
  };
}

const million = 1_000_000;

function usdOf(usage: Usage, price: Price): number {
  return moneyOf(costOf(usage, price));
}

function moneyOf(money: ReturnType<typeof costOf>): number {
  if (money.type !== "usd") throw new Error(`a known price gives money, not ${money.type}`);
  return money.usd;
}
