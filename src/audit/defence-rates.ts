import { type PriceOptions, priceOf } from "../budget/prices.ts";
import { promptTokensOf, type Usage } from "../kernel/usage.ts";
import type { LedgerRow } from "../ledger/row.ts";

/** USD per token of one request, as it was billed. */
export type RequestRates = {
  readonly read: number;
  /** Of what was sent for the first time: what this request paid for all that it did not read. */
  readonly fresh: number;
  /** Of what had been sent before: read, unless the cache was lost for another reason than a line of defence. */
  readonly carried: number;
  readonly output: number;
};

/** null: the price is unknown, or there is none. */
export function requestRates(row: LedgerRow, usage: Usage, prices: PriceOptions): RequestRates | null {
  const promptTokens = promptTokensOf(usage);
  const price = priceOf(row.model, row.at, promptTokens, prices);
  if (price.type !== "known") return null;
  const { input, read, write5m, write1h, writeOther, output } = price.rates;
  const { uncached, cacheRead, cacheWrite5m, cacheWrite1h, cacheWriteOther } = usage;
  const paid = uncached * input + cacheWrite5m * write5m + cacheWrite1h * write1h + cacheWriteOther * writeOther;
  const unread = promptTokens - cacheRead;
  const fresh = unread === 0 ? input : paid / unread;
  const mean = promptTokens === 0 ? read : (paid + cacheRead * read) / promptTokens;
  const carried = isCacheLost(row, usage) ? mean : read;
  return { read: read / million, fresh: fresh / million, carried: carried / million, output: output / million };
}

/** For another reason than a line of defence: then what stands in the prompt is paid for again whatever a line did. */
export function isCacheLost({ miss, breaks }: LedgerRow, { cacheRead }: Usage): boolean {
  if (typeof miss === "object") return !isLines(miss.cause);
  return cacheRead === 0 && !breaks.some((reason) => isLines(`break:${reason}`));
}

function isLines(cause: string): boolean {
  return ["break:cleared", "break:collapsed", "break:compacted", "break:undone"].includes(cause);
}

const million = 1_000_000;
