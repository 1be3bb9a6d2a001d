import type { PriceOptions } from "../budget/prices.ts";
import type { LedgerRow } from "../ledger/row.ts";
import type { Entry } from "../log/entry.ts";
import { reduceAll } from "../log/reduce.ts";
import { emptyState } from "../log/state.ts";
import { type Texts, textOf } from "../prompt/render.ts";
import type { LineOfDefence } from "./defence-line.ts";
import { pricedLines } from "./defence-money.ts";
import { defenceWork } from "./defence-work.ts";
import { pieceTokens } from "./piece-tokens.ts";

/**
 * What each line of defence was worth: every act of it is held against the same session without that act.
 *
 * Saved: tokens it kept out, once at the price of what is new in a request where they would have been sent for the first time
 * (first forms and pointers), and at read price in every later request, until they would have left anyway: another line took
 * what stands in their place. Then they are nobody's, so nothing is counted twice. Where the cache was lost for another
 * reason they would have been written anew, and count so.
 *
 * Spent: what was sent before and is written again behind the cut instead of read; reasoning lost, as new; summary calls, as
 * reported; recalls by handle of what the line took away (the step at read price and its output, by the recall's share of
 * the step's calls; its text as new, then carried), and files shown again after a compaction.
 *
 * Tokens are our estimate with what the session learned of the provider's count; requests without a report count nothing.
 */
export function linesOfDefence(
  entries: readonly Entry[],
  rows: readonly LedgerRow[],
  {
    texts,
    prices,
    windowTokens,
  }: { readonly texts: Texts; readonly prices: PriceOptions; readonly windowTokens: number },
): readonly LineOfDefence[] {
  const billed = new Set(rows.flatMap((row) => (row.reported === "unknown" ? [] : [row.request])));
  const work = defenceWork(entries, {
    tokensOf: pieceTokens(reduceAll(emptyState, entries).estimates, texts),
    read: (text) => textOf(text, texts),
    isAnswered: (request) => billed.has(request),
    windowTokens,
  });
  return pricedLines(work, rows, prices);
}
