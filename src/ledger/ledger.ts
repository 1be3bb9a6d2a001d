import { type Price, type PriceOptions, priceOf } from "../budget/prices.ts";
import type { RequestId } from "../kernel/ids.ts";
import type { Entry, EntryOf, ModelChoice } from "../log/entry.ts";
import type { ProviderClearing } from "../log/provider-clearing.ts";
import { afterBreak, emptyLane, type LaneMemo, type NotedSegment, type Outcome, type SentAttempt } from "./lane.ts";
import { type LedgerRow, nextRow } from "./row.ts";

/** What the log itself does not say. */
export type LedgerContext = {
  /** The segments of a request: as the agent just sent them, or derived again from the log up to that entry. */
  readonly segmentsOf: (sent: EntryOf<"request-sent">) => readonly NotedSegment[];
  /** What the log says of the size of the head; left out: nothing is known before the first report. */
  readonly headTokens?: number | null;
  /** Lifetime of the markers. */
  readonly lifetime: "5m" | "1h";
  readonly prices: PriceOptions;
};

/** The ledger's own state; folding entries into it is the only way it is made, live and in replay alike. */
export type LedgerMemo = {
  readonly lane: LaneMemo;
  readonly model: ModelChoice | null;
  /** Of the open epoch. */
  readonly providerClearing?: ProviderClearing;
  /** The newest rolling summary that was asked for: its request is one of its own. */
  readonly rolling?: RequestId;
  /** Sent and not settled; more than one where a side request runs beside a step. */
  readonly open: readonly SentAttempt[];
};

export const emptyLedger: LedgerMemo = { lane: emptyLane, model: null, open: [] };

/** Every attempt of a lane, oldest first. */
export function ledgerOf(entries: Iterable<Entry>, context: LedgerContext): readonly LedgerRow[] {
  const rows: LedgerRow[] = [];
  let memo = emptyLedger;
  for (const entry of entries) {
    const next = readEntry(memo, entry, context);
    memo = next.memo;
    if (next.row !== null) rows.push(next.row);
  }
  return rows;
}

export type LedgerStep = { readonly memo: LedgerMemo; readonly row: LedgerRow | null };

/** One entry further; a row where an attempt was settled. The same memo for entries that do not matter here. */
export function readEntry(memo: LedgerMemo, entry: Entry, context: LedgerContext): LedgerStep {
  switch (entry.type) {
    case "epoch-opened": {
      const lane = entry.reason === "start" ? memo.lane : afterBreak(memo.lane, entry.reason);
      const { providerClearing: _, ...before } = memo;
      const asked = entry.providerClearing === undefined ? {} : { providerClearing: entry.providerClearing };
      return { memo: { ...before, ...asked, model: entry.model, lane }, row: null };
    }
    case "summary-asked":
      return { memo: entry.as === "rolling" ? { ...memo, rolling: entry.request } : memo, row: null };
    case "request-sent":
      // Without its epoch (a line that could not be read) a request cannot be judged; the damage is reported elsewhere.
      if (memo.model === null) return { memo, row: null };
      return { memo: { ...memo, open: [...memo.open, attemptOf(memo, memo.model, entry, context)] }, row: null };
    case "response-received":
      return settled(memo, entry.request, context, {
        type: "received",
        usage: entry.usage,
        firstTokenMs: entry.firstTokenMs,
        report: entry.report,
        ...(entry.cleared === undefined ? {} : { cleared: entry.cleared }),
      });
    case "request-failed": {
      const began =
        typeof entry.partial !== "string" || entry.partial !== "" || entry.failure.class === "broken-stream";
      return settled(memo, entry.request, context, { type: "failed", class: entry.failure.class, began });
    }
    case "summary-ended":
      return settled(memo, entry.request, context, summaryOutcome(entry));
    case "outcome-unknown":
      return entry.what === "request"
        ? settled(memo, entry.request, context, { type: "unknown" })
        : { memo, row: null };
    default:
      return { memo, row: null };
  }
}

/** Without usage the request was refused, or broke off before it could be told. */
function summaryOutcome({ usage, outcome, cleared }: EntryOf<"summary-ended">): Outcome {
  if (usage !== null)
    return { type: "received", usage, firstTokenMs: null, ...(cleared === undefined ? {} : { cleared }) };
  const refusals: Partial<Record<typeof outcome, Extract<Outcome, { readonly type: "failed" }>["class"]>> = {
    "too-long": "overflow",
    "rate-limited": "rate-limited",
    interrupted: "interrupted",
  };
  return { type: "failed", class: refusals[outcome] ?? "server", began: false };
}

function attemptOf(
  { providerClearing, rolling }: LedgerMemo,
  model: ModelChoice,
  entry: EntryOf<"request-sent">,
  context: LedgerContext,
): SentAttempt {
  const segments = context.segmentsOf(entry);
  // Where lines were lost, what is left of the request may be shorter than what its markers were placed on.
  const marks = entry.marks.filter((segment) => segment < segments.length);
  return {
    request: entry.request,
    purpose: entry.purpose,
    ...(rolling === entry.request ? { own: true } : {}),
    attempt: entry.attempt,
    at: entry.at,
    wire: model.wire,
    model: model.model,
    cacheKey: entry.cacheKey,
    segments,
    ...(context.headTokens == null ? {} : { headTokens: context.headTokens }),
    marks: marks.map((segment) => ({ segment, ttl: context.lifetime })),
    ...(providerClearing === undefined ? {} : { providerClearing }),
    predicted: entry.predicted,
  };
}

function settled(
  memo: LedgerMemo,
  request: SentAttempt["request"],
  context: LedgerContext,
  outcome: Outcome,
): LedgerStep {
  const sent = memo.open.find((attempt) => attempt.request === request);
  // A result of which the intent could not be read: there is nothing to compare, the damage is reported elsewhere.
  if (sent === undefined) return { memo, row: null };
  const price = (promptTokens: number): Price => priceOf(sent.model, sent.at, promptTokens, context.prices);
  const next = nextRow(memo.lane, { sent, outcome, price });
  return { memo: { ...memo, open: memo.open.filter((attempt) => attempt !== sent), lane: next.memo }, row: next.row };
}
