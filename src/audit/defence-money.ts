import type { PriceOptions } from "../budget/prices.ts";
import { promptTokensOf, type Usage } from "../kernel/usage.ts";
import type { LedgerRow } from "../ledger/row.ts";
import type { Change } from "./defence-change.ts";
import { type LineName, type LineOfDefence, lineNames } from "./defence-line.ts";
import { isCacheLost, type RequestRates, requestRates } from "./defence-rates.ts";
import type { DefenceWork } from "./defence-work.ts";

/** The work of each line at the prices its requests were billed at. The rule is told in `defence.ts`. */
export function pricedLines(
  { did, changes, entered }: DefenceWork,
  rows: readonly LedgerRow[],
  prices: PriceOptions,
): readonly LineOfDefence[] {
  const totals = new Map<LineName, Money>();
  const totalOf = (line: LineName) => {
    const known = totals.get(line);
    return known === undefined ? nothing : known;
  };
  for (const row of rows) {
    if (row.reported === "unknown") continue;
    const what = { changes: changes.get(row.request) ?? [], enteredTokens: entered.get(row.request) ?? 0 };
    for (const { line, money } of pricedIn(row, row.reported, what, prices))
      totals.set(line, sumOf(totalOf(line), money));
  }
  return lineNames.map((line) => {
    const { times, tokens } = did.get(line) ?? { times: 0, tokens: 0 };
    return { line, times, tokensKeptOut: Math.round(tokens), ...shown(totalOf(line)) };
  });
}

/** USD; null: unknown. */
type Money = { readonly saved: number; readonly spent: number } | null;

const nothing: Money = { saved: 0, spent: 0 };

function pricedIn(
  row: LedgerRow,
  usage: Usage,
  { changes, enteredTokens }: { readonly changes: readonly Change[]; readonly enteredTokens: number },
  prices: PriceOptions,
): readonly { readonly line: LineName; readonly money: Money }[] {
  const rates = requestRates(row, usage, prices);
  if (rates === null) return changes.map(({ line }) => ({ line, money: null }));
  const billed = { row, usage, rates };
  // What came with this request would have been written in any case.
  let againTokens = Math.max(0, promptTokensOf(usage) - usage.cacheRead - enteredTokens);
  return changes.map(({ line, what, amount }) => {
    if (what !== "rewritten") return { line, money: pricers[what](amount, billed) };
    // Two breaks before one request do not write the same text twice.
    const tokens = Math.min(amount, againTokens);
    againTokens -= tokens;
    return { line, money: pricers[what](tokens, billed) };
  });
}

type Billed = { readonly row: LedgerRow; readonly usage: Usage; readonly rates: RequestRates };

const pricers: Readonly<Record<Change["what"], (amount: number, billed: Billed) => Money>> = {
  "kept-out-new": (tokens, { rates }) => saving(tokens * rates.fresh),
  "kept-out": (tokens, { rates }) => saving(tokens * rates.carried),
  "added-new": (tokens, { rates }) => spending(tokens * rates.fresh),
  added: (tokens, { rates }) => spending(tokens * rates.carried),
  rewritten: (tokens, { row, usage, rates }) =>
    spending(isCacheLost(row, usage) ? 0 : tokens * (rates.fresh - rates.read)),
  "reasoning-lost": (tokens, { rates }) => spending(tokens * rates.fresh),
  recall: (share, { usage, rates }) =>
    spending(share * (promptTokensOf(usage) * rates.read + usage.output * rates.output)),
  summary: (_, { row: { cost } }) => (cost.type === "usd" ? spending(cost.usd) : null),
};

function saving(usd: number): Money {
  return { saved: usd, spent: 0 };
}

function spending(usd: number): Money {
  return { saved: 0, spent: usd };
}

function sumOf(a: Money, b: Money): Money {
  return a === null || b === null ? null : { saved: a.saved + b.saved, spent: a.spent + b.spent };
}

function shown(money: Money): Pick<LineOfDefence, "savedUsd" | "spentUsd" | "worthUsd"> {
  if (money === null) return { savedUsd: null, spentUsd: null, worthUsd: null };
  const [savedUsd, spentUsd] = [rounded(money.saved), rounded(money.spent)];
  return { savedUsd, spentUsd, worthUsd: rounded(savedUsd - spentUsd) };
}

function rounded(usd: number): number {
  return Number(usd.toFixed(6));
}
