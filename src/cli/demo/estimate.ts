import { carriedTokens } from "../../budget/learn.ts";
import { promptTokensOf, type Usage } from "../../kernel/usage.ts";
import type { LedgerRow } from "../../ledger/row.ts";

/**
 * How well prompts were predicted, against what the provider's own tokenizer said (METRICS 5). Shares, 0-1; null where there
 * was nothing to measure.
 */
export type EstimateReport = {
  /** Of what was added since the last report. */
  readonly added: { readonly p50: number; readonly p95: number } | null;
  /** Of the whole prompt of each first request after a break. */
  readonly afterBreak: { readonly p95: number } | null;
  /** Steps whose real prompt was above prediction and margin. */
  readonly aboveMargin: number;
};

export function estimateReportOf(rows: readonly LedgerRow[]): EstimateReport {
  const answered = rows.flatMap((row) => (row.reported === "unknown" ? [] : [{ row, usage: row.reported }]));
  const added: number[] = [];
  const afterBreak: number[] = [];
  let before: Usage | null = null;
  for (const { row, usage } of answered) {
    const actual = promptTokensOf(usage);
    const error = Math.abs(actual - row.predicted.promptTokens);
    if (row.breaks.length > 0) afterBreak.push(error / actual);
    else if (before !== null) {
      const grown = actual - carriedTokens(before, "kept");
      if (grown > 0) added.push(error / grown);
    }
    before = usage;
  }
  return {
    added: added.length === 0 ? null : { p50: quantile(added, 0.5), p95: quantile(added, 0.95) },
    afterBreak: afterBreak.length === 0 ? null : { p95: quantile(afterBreak, 0.95) },
    aboveMargin: answered.filter(
      ({ row: { predicted }, usage }) => promptTokensOf(usage) > predicted.promptTokens + predicted.marginTokens,
    ).length,
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(4));
}
