import { type PriceOptions, priceOf, priceRowFor } from "../budget/prices.ts";
import type { LedgerMemo } from "../ledger/ledger.ts";
import { cacheRuleOf, lifetimesMs } from "../ledger/rules.ts";
import type { ModelChoice } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import { assumedPrices, type Costs, isCertainlyCold, type Prices, type Tier } from "../reduction/costs.ts";
import type { Lane } from "./lane.ts";
import type { Prompt } from "./prompt.ts";

/** What acting now is measured against: the model's prices at this time, what the cache holds, and a dearer tier. */
export function moneyOf(
  prompt: Prompt,
  lane: Pick<Lane, "config" | "fx" | "ledger" | "state">,
): Pick<Costs, "prices" | "cache" | "tier"> {
  const now = lane.fx.clock.now();
  const { model, forecast } = { model: prompt.doc.model, forecast: prompt.forecast };
  const { prices } = lane.config;
  return {
    prices: pricesOf(model, now, forecast.promptTokens, prices),
    cache: isCold(model, lane) ? "cold" : "warm",
    tier: tierOf(model, now, forecast.promptTokens, prices),
  };
}

export function pricesOf(
  { wire, model }: ModelChoice,
  now: number,
  promptTokens: number,
  options: PriceOptions,
): Prices {
  const price = priceOf(model, now, promptTokens, options);
  if (price.type === "local") return { type: "local" };
  if (price.type === "unknown" || price.rates.input <= 0) return assumedPrices;
  const { input, read, write5m, writeOther, output } = price.rates;
  const write = wire === "anthropic" ? write5m : cacheRuleOf(wire, model).type === "marked" ? writeOther : input;
  const of = (rate: number) => rate / input;
  return { type: "known", rates: { read: of(read), write: Math.max(of(read), of(write)), output: of(output) } };
}

/** The tier that the next request is in, where it is dearer than the first; null: it is not. */
function tierOf({ model }: ModelChoice, now: number, promptTokens: number, { overrides }: PriceOptions): Tier | null {
  const price = priceRowFor(model, now, overrides)?.price;
  if (price?.type !== "listed") return null;
  const [first] = price.tiers;
  const tier = price.tiers.findLast(({ promptTokensFrom }) => promptTokensFrom <= promptTokens);
  if (first === undefined || tier === undefined || tier === first || first.input <= 0) return null;
  return { promptTokens, fromTokens: tier.promptTokensFrom, factor: tier.input / first.input };
}

/** Only where the provider documents a hard end: Anthropic's, counted from the start of the request (PROTOCOLS A.2). */
export function isCold({ wire }: ModelChoice, { fx, ledger, state }: Pick<Lane, "fx" | "ledger" | "state">): boolean {
  const read = readAt(ledger(), state());
  return wire === "anthropic" && read !== null && isCertainlyCold(fx.clock.now() - read, lifetimesMs["5m"]);
}

/** When the prefix was last read, at the latest; null: nobody knows. */
function readAt({ lane }: LedgerMemo, { newest, sent, summary }: State): number | null {
  if (lane.previous !== null) return Math.max(lane.previous.at, ...lane.entries.map(({ startedAt }) => startedAt));
  // Right after a session was opened the ledger knows nothing yet. Of what the log says, a request without an answer may
  // have been read at any time.
  if (newest === null || newest.request !== sent?.request) return null;
  return Math.max(newest.receivedAt, summary.endedAt ?? 0);
}
