import { promptTokensOf, type Usage } from "../kernel/usage.ts";
import { datelessId } from "./model-id.ts";
import type { PriceRow, PriceTier, Rates, Terms } from "./price-row.ts";
import { priceTable } from "./price-table.ts";

/** What a request costs at its time and length; never silently zero. */
export type Price =
  | {
      readonly type: "known";
      readonly model: string;
      readonly rates: Rates;
      readonly source: string;
      readonly read: string;
    }
  /** No money: the unit is tokens evaluated (DESIGN 6). */
  | { readonly type: "local" }
  | { readonly type: "unknown"; readonly why: string };

export type Money =
  | { readonly type: "usd"; readonly usd: number }
  | { readonly type: "evaluated-tokens"; readonly tokens: number }
  | { readonly type: "unknown"; readonly why: string };

/** How the request was served. `local` has no price; `regional` and `batch` multiply it. */
export type PriceTerms = "standard" | "regional" | "batch" | "local";

export type PriceOptions = {
  /** The user's rows (`parseModelFile`) are looked at first. */
  readonly overrides?: readonly PriceRow[];
  readonly terms?: PriceTerms;
};

/** Rates for one request. `promptTokens` counts cached tokens too: a tier prices the whole request. */
export function priceOf(model: string, atMs: number, promptTokens: number, options: PriceOptions = {}): Price {
  const { overrides = [], terms = "standard" } = options;
  if (terms === "local") return { type: "local" };
  const row = priceRowFor(model, atMs, overrides);
  if (row === null) return { type: "unknown", why: `no price is known for "${model}"` };
  const { price, source, read } = row;
  if (price.type !== "listed") return { type: "unknown", why: `the price of "${model}" is not public (${source})` };
  const factor = terms === "standard" ? 1 : price[terms];
  if (factor === null) return { type: "unknown", why: `no ${terms} price is known for "${model}"` };
  const rates = multiplied(tierFor(row, price, promptTokens), factor * peakFactor(price, atMs));
  return { type: "known", model: row.id, rates, source, read };
}

/** The row that holds at that time, the user's first; where a model is billed as another, that one's. null: none. */
export function priceRowFor(model: string, atMs: number, overrides: readonly PriceRow[] = []): PriceRow | null {
  let id = model;
  for (let hop = 0; hop <= hopsMax; hop++) {
    const row = rowIn(id, atMs, overrides) ?? rowIn(id, atMs, priceTable);
    if (row?.price.type !== "billed-as") return row;
    id = row.price.id;
  }
  return null;
}

/** What a reported usage costs. Reasoning is a part of output and is not counted again. */
export function costOf(usage: Usage, price: Price): Money {
  if (price.type === "unknown") return price;
  if (price.type === "local")
    return { type: "evaluated-tokens", tokens: promptTokensOf(usage) - usage.cacheRead + usage.output };
  const { rates } = price;
  const sum =
    usage.uncached * rates.input +
    usage.cacheRead * rates.read +
    usage.cacheWrite5m * rates.write5m +
    usage.cacheWrite1h * rates.write1h +
    usage.cacheWriteOther * rates.writeOther +
    usage.output * rates.output;
  return { type: "usd", usd: sum / million };
}

/** The same prompt and answer had nothing been cached: what savings are measured against. */
export function uncachedCostOf(usage: Usage, price: Price): Money {
  const prompt = promptTokensOf(usage);
  return costOf(
    { ...usage, uncached: prompt, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheWriteOther: 0 },
    price,
  );
}

/** `a` less `b`; unknown when either is, or when they are not of one unit. May be negative and is then shown so. */
export function lessMoney(a: Money, b: Money): Money {
  if (a.type === "usd" && b.type === "usd") return { type: "usd", usd: a.usd - b.usd };
  if (a.type === "evaluated-tokens" && b.type === "evaluated-tokens") return { ...a, tokens: a.tokens - b.tokens };
  return a.type === "unknown" ? a : b.type === "unknown" ? b : { type: "unknown", why: "two different units" };
}

/** For people: `$0.0123`, `-$0.0004`, `1,200 evaluated tokens`, `unknown`. */
export function moneyText(money: Money): string {
  if (money.type === "unknown") return "unknown";
  if (money.type === "evaluated-tokens") return `${money.tokens.toLocaleString("en-US")} evaluated tokens`;
  const digits = Math.abs(money.usd) >= 1 ? 2 : 4;
  return `${money.usd < 0 ? "-" : ""}$${Math.abs(money.usd).toFixed(digits)}`;
}

const million = 1_000_000;

/** Names that lead to names: more than these lead in a circle. */
const hopsMax = 4;

/**
 * By exact id, then without a snapshot's date. Not by less: `openrouter/...` is another seller with other prices, and
 * a wrong price is worse than "unknown".
 */
function rowIn(model: string, atMs: number, rows: readonly PriceRow[]): PriceRow | null {
  const day = new Date(atMs).toISOString().slice(0, 10);
  const holds = ({ from, until }: PriceRow) => (from ?? "") <= day && (until === null || day < until);
  for (const id of [model, datelessId(model)]) {
    const row = rows.find((one) => one.id === id && holds(one));
    if (row !== undefined) return row;
  }
  return null;
}

function tierFor(row: PriceRow, { tiers }: Terms, promptTokens: number): PriceTier {
  const tier = tiers.findLast(({ promptTokensFrom }) => promptTokensFrom <= promptTokens);
  if (tier === undefined) throw new Error(`price row of ${row.id} (${row.source}): no tier for ${promptTokens} tokens`);
  return tier;
}

function peakFactor({ peak }: Terms, atMs: number): number {
  if (peak === null) return 1;
  const at = new Date(atMs);
  if (!peak.days.includes(at.getUTCDay()) || peak.exceptDates.includes(at.toISOString().slice(0, 10))) return 1;
  const hour = at.getUTCHours();
  return peak.hours.some(([from, until]) => from <= hour && hour < until) ? peak.factor : 1;
}

function multiplied(rates: Rates, factor: number): Rates {
  return {
    input: rates.input * factor,
    read: rates.read * factor,
    write5m: rates.write5m * factor,
    write1h: rates.write1h * factor,
    writeOther: rates.writeOther * factor,
    output: rates.output * factor,
  };
}
