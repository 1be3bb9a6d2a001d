import { laneReport } from "../src/agent/context-of.ts";
import { type Money, priceOf } from "../src/budget/prices.ts";
import { brand, mainLane } from "../src/kernel/ids.ts";
import { promptTokensOf } from "../src/kernel/usage.ts";
import type { LedgerRow } from "../src/ledger/row.ts";
import type { Stores } from "../src/ports/store.ts";
import { codecFor } from "../src/provider/codecs.ts";
import { rounded } from "./timing.ts";

/** What the breaks of one reason came to, from the ledger. */
type Reduction = {
  times: number;
  /** The prompt behind it against the prompt before, as predicted for both. */
  tokensSaved: number;
  /** What had to be written again, as the provider reported it. */
  missTokens: number;
  missUsd: number;
  /** What was not read again by the requests of the epochs it opened. */
  readUsdSaved: number;
};

/** The money of a long session and of each of its reductions, all in dollars of the price table, simulated. */
export type LedgerFigures = {
  readonly rows: number;
  readonly usd: number;
  /** Against the same requests with nothing cached. */
  readonly usdSavedByCache: number;
  /** Requests whose price or usage is not known: in none of the sums. */
  readonly unknown: number;
  readonly cacheReadShare: number;
  readonly reductions: Readonly<Record<string, Reduction>>;
  readonly misses: Readonly<Record<string, number>>;
};

export async function ledgerFigures(stores: Stores, session: string): Promise<LedgerFigures> {
  return figuresOf(await ledgerRows(stores, session));
}

export async function ledgerRows({ log, blobs }: Stores, session: string): Promise<readonly LedgerRow[]> {
  const stream = { type: "lane", session: brand<"SessionId">(session), lane: mainLane } as const;
  const getBlob: Parameters<typeof laneReport>[1]["getBlob"] = async (hash) => {
    const bytes = await blobs.get(stream, hash);
    return bytes === null ? null : new TextDecoder().decode(bytes);
  };
  const options = { prices: {}, windowFor: () => null, now: 0 };
  const { rows } = await laneReport(log.read(stream, null), { codecFor, getBlob }, options);
  return rows;
}

export function figuresOf(rows: readonly LedgerRow[]): LedgerFigures {
  const misses: Record<string, number> = {};
  let [usd, saved, unknown, prompt, read] = [0, 0, 0, 0, 0];
  for (const row of rows) {
    usd += usdOf(row.cost);
    saved += usdOf(row.saved);
    if (row.cost.type !== "usd") unknown += 1;
    if (row.reported !== "unknown") {
      prompt += promptTokensOf(row.reported);
      read += row.reported.cacheRead;
    }
    if (typeof row.miss !== "string") misses[row.miss.cause] = (misses[row.miss.cause] ?? 0) + 1;
  }
  const sums = { usd: rounded(usd), usdSavedByCache: rounded(saved), cacheReadShare: rounded(read / prompt) };
  return { rows: rows.length, ...sums, unknown, reductions: reductionsOf(rows), misses };
}

function reductionsOf(rows: readonly LedgerRow[]): Readonly<Record<string, Reduction>> {
  const found: Record<string, Reduction> = {};
  let before = 0;
  let last: { readonly of: Reduction; readonly tokens: number } | null = null;
  // A break is settled by the first answer behind it; an attempt that failed has it still before itself.
  for (const row of rows.filter(({ purpose, ending }) => purpose === "step" && ending === "received")) {
    const { promptTokens } = row.predicted;
    const reason = row.breaks.at(-1);
    if (reason !== undefined) {
      const none = { times: 0, tokensSaved: 0, missTokens: 0, missUsd: 0, readUsdSaved: 0 };
      const of = found[reason] ?? none;
      found[reason] = of;
      const tokens = before - promptTokens;
      of.times += 1;
      of.tokensSaved += tokens;
      if (typeof row.miss !== "string") {
        of.missTokens += row.miss.tokens;
        of.missUsd += usdOf(row.miss.cost);
      }
      last = { of, tokens };
    } else if (last !== null) {
      const price = priceOf(row.model, row.at, promptTokens);
      if (price.type === "known") last.of.readUsdSaved += (last.tokens * price.rates.read) / 1_000_000;
    }
    before = promptTokens;
  }
  for (const one of Object.values(found)) {
    one.missUsd = rounded(one.missUsd);
    one.readUsdSaved = rounded(one.readUsdSaved);
  }
  return found;
}

function usdOf(money: Money): number {
  return money.type === "usd" ? money.usd : 0;
}
