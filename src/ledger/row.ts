import { costOf, lessMoney, type Money, type Price, uncachedCostOf } from "../budget/prices.ts";
import type { RequestId } from "../kernel/ids.ts";
import { promptTokensOf, type Usage } from "../kernel/usage.ts";
import type { BreakReason, FailureClass } from "../log/entry.ts";
import type { ClearedByProvider } from "../log/provider-clearing.ts";
import { type Diagnosis, diagnosisOf } from "./diagnosis.ts";
import { chainsOf, type LaneMemo, type Outcome, type SentAttempt } from "./lane.ts";
import { afterAnswer } from "./leave.ts";
import { type FirstChange, firstChangeOf, type Miss, missOf } from "./miss.ts";
import { cacheRuleOf, isEvaluatedCount, lifetimesMs } from "./rules.ts";

/** One attempt at one request, as `varve context`, the inspector and the benchmarks show it. */
export type LedgerRow = {
  readonly request: RequestId;
  readonly purpose: "step" | "side";
  /** Counts the lane's step requests from 1; a side request has the number of the step before it. */
  readonly step: number;
  readonly attempt: number;
  readonly at: number;
  readonly model: string;
  readonly segments: number;
  /** Against the lane's request before; null: it only grew. */
  readonly firstChange: FirstChange | null;
  readonly breaks: readonly BreakReason[];
  /** Segments that carry a cache marker. */
  readonly marks: readonly number[];
  /** From the start of the request before to the start of this one; null for the first, and where the clock was put back between. */
  readonly idleMs: number | null;
  /** How long the cache of the request before lives; null: nobody says. */
  readonly lifetimeMs: number | null;
  readonly predicted: SentAttempt["predicted"];
  readonly ending: "received" | "failed" | "unknown";
  readonly failure: FailureClass | null;
  /** "unknown" where the provider reported none; never zeros in its place. */
  readonly reported: Usage | "unknown";
  readonly cost: Money;
  /** Against the same request had nothing been cached; negative where writing cost more than reading saved. */
  readonly saved: Money;
  /** From sending to the first token; null where there was none. */
  readonly firstTokenMs: number | null;
  /** What the provider cleared of it by itself; null: nothing, as far as it says. */
  readonly cleared: ClearedByProvider | null;
  /** What the provider itself says of its cache and of reasoning it left out; null: nothing. */
  readonly diagnosis: Diagnosis | null;
  /** `delayMs`: how much later the first token came than it does without a miss; null: not known yet (M-77). */
  readonly miss: (Miss & { readonly cost: Money; readonly delayMs: number | null }) | "none" | "unknown";
};

/** Settles one attempt. `price` is asked with the reported prompt's size. */
export function nextRow(
  memo: LaneMemo,
  call: { readonly sent: SentAttempt; readonly outcome: Outcome; readonly price: (promptTokens: number) => Price },
): { readonly row: LedgerRow; readonly memo: LaneMemo } {
  const { sent, outcome } = call;
  const usage = outcome.type === "received" ? outcome.usage : null;
  const price = call.price(usage === null ? sent.predicted.promptTokens : promptTokensOf(usage));
  const step = sent.purpose === "step" && sent.attempt === 1 ? memo.steps + 1 : memo.steps;
  const partial =
    usage !== null && isEvaluatedCount(cacheRuleOf(sent.wire, sent.model), usage, sent.predicted.promptTokens);
  const cleared = outcome.type === "received" ? outcome.cleared : undefined;
  const isOwn = sent.own === true;
  const miss = usage === null || isOwn ? null : missOf(memo, sent, usage, cleared);
  const firstTokenMs = outcome.type === "received" ? outcome.firstTokenMs : null;
  const row: LedgerRow = {
    request: sent.request,
    purpose: sent.purpose,
    step,
    attempt: sent.attempt,
    at: sent.at,
    model: sent.model,
    segments: sent.segments.length,
    firstChange: isOwn ? null : firstChangeOf(memo.previous, sent),
    breaks: isOwn ? [] : memo.breaks,
    marks: sent.marks.map((mark) => mark.segment),
    idleMs: memo.previous === null || sent.at < memo.previous.at ? null : sent.at - memo.previous.at,
    lifetimeMs: lifetimeOf(memo, sent),
    predicted: sent.predicted,
    ending: outcome.type,
    failure: outcome.type === "failed" ? outcome.class : null,
    reported: usage ?? "unknown",
    ...moneyOf(usage, price),
    firstTokenMs,
    cleared: cleared ?? null,
    diagnosis: outcome.type === "received" ? diagnosisOf(outcome.report ?? null) : null,
    miss:
      usage === null || partial
        ? "unknown"
        : miss === null
          ? "none"
          : { ...miss, cost: missCost(miss, usage, price), delayMs: delayOf(memo, firstTokenMs) },
  };
  if (isOwn) return { row, memo };
  const counted = { ...memo, steps: step, warm: row.miss === "none" ? warmer(memo.warm, firstTokenMs) : memo.warm };
  const began = outcome.type === "received" || (outcome.type === "failed" && outcome.began);
  const known: Outcome = partial ? { type: "received", usage: null, firstTokenMs: null } : outcome;
  return { row, memo: began ? afterAnswer(counted, sent, known, chainsOf(memo.previous, sent)) : counted };
}

function delayOf({ warm }: LaneMemo, firstTokenMs: number | null): number | null {
  return firstTokenMs === null || warm.requests === 0 ? null : Math.round(firstTokenMs - warm.firstTokenMs);
}

/** A running mean. */
function warmer(warm: LaneMemo["warm"], firstTokenMs: number | null): LaneMemo["warm"] {
  if (firstTokenMs === null) return warm;
  const requests = warm.requests + 1;
  return { requests, firstTokenMs: warm.firstTokenMs + (firstTokenMs - warm.firstTokenMs) / requests };
}

function moneyOf(usage: Usage | null, price: Price): Pick<LedgerRow, "cost" | "saved"> {
  if (usage === null) {
    const unknown = { type: "unknown", why: "no usage was reported" } as const;
    return { cost: unknown, saved: unknown };
  }
  const cost = costOf(usage, price);
  return { cost, saved: lessMoney(uncachedCostOf(usage, price), cost) };
}

/** What the missed tokens cost more than if they had been read. */
function missCost({ tokens }: Miss, usage: Usage, price: Price): Money {
  let left = tokens;
  const take = (from: number): number => {
    const taken = Math.min(left, from);
    left -= taken;
    return from - taken;
  };
  const hit: Usage = {
    ...usage,
    cacheWrite5m: take(usage.cacheWrite5m),
    cacheWrite1h: take(usage.cacheWrite1h),
    cacheWriteOther: take(usage.cacheWriteOther),
    uncached: take(usage.uncached),
  };
  return lessMoney(costOf(usage, price), costOf({ ...hit, cacheRead: usage.cacheRead + tokens - left }, price));
}

function lifetimeOf(memo: LaneMemo, sent: SentAttempt): number | null {
  const rule = cacheRuleOf(sent.wire, sent.model);
  if (rule.type === "automatic" || rule.lifetimeMs !== null) return rule.lifetimeMs;
  const left = new Set(memo.previous?.left.map((prefix) => prefix.chain) ?? []);
  const lives = memo.entries.flatMap((entry) =>
    left.has(entry.chain) && entry.lifetimeMs !== null ? [entry.lifetimeMs] : [],
  );
  const marked = sent.marks.map((mark) => lifetimesMs[mark.ttl]);
  const known = lives.length > 0 ? lives : marked;
  return known.length === 0 ? null : Math.max(...known);
}
