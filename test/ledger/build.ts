import { priceOf } from "../../src/budget/prices.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import { brand } from "../../src/kernel/ids.ts";
import { noUsage, type Usage } from "../../src/kernel/usage.ts";
import {
  emptyLane,
  type LaneMemo,
  type NotedMark,
  type NotedSegment,
  type Outcome,
  type SentAttempt,
} from "../../src/ledger/lane.ts";
import { type LedgerRow, nextRow } from "../../src/ledger/row.ts";

/** `t1 s1 u1 a1 r1` -> a tool, a system block, a user text, an assistant text, a result; 1,000 tokens each. */
export function segs(names: string, tokens = 1_000): readonly NotedSegment[] {
  const kinds = { t: "tool", s: "system", u: "text", a: "text", r: "tool-result" } as const;
  const roles = { t: "tools", s: "system", u: "user", a: "assistant", r: "user" } as const;
  return names.split(" ").map((name) => {
    const letter = name[0];
    if (letter !== "t" && letter !== "s" && letter !== "u" && letter !== "a" && letter !== "r") throw new Error(name);
    return { hash: hashOf(name), kind: kinds[letter], role: roles[letter], tokens };
  });
}

/** The same, where each assistant text is as long as its report says in `laneAfter`. */
export function answered(names: string): readonly NotedSegment[] {
  return segs(names).map((segment) => (segment.role === "assistant" ? { ...segment, tokens: 100 } : segment));
}

export const mark = (segment: number, ttl: "5m" | "1h" = "5m"): NotedMark => ({ segment, ttl });

export function attempt(segments: readonly NotedSegment[], more: Partial<SentAttempt> = {}): SentAttempt {
  return {
    request: brand("q1"),
    purpose: "step",
    attempt: 1,
    at: 0,
    wire: "anthropic",
    model: "claude-opus-5-5",
    cacheKey: "high",
    segments,
    marks: [mark(segments.length - 1)],
    predicted: { promptTokens: segments.length * 1_000, marginTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 },
    ...more,
  };
}

export function received(usage: Partial<Usage> | null, firstTokenMs = 500): Outcome {
  return { type: "received", usage: usage === null ? null : { ...noUsage, ...usage }, firstTokenMs };
}

export function settle(
  memo: LaneMemo,
  sent: SentAttempt,
  outcome: Outcome,
): { readonly row: LedgerRow; readonly memo: LaneMemo } {
  return nextRow(memo, { sent, outcome, price: (tokens) => priceOf(sent.model, sent.at, tokens) });
}

/** A lane after one request of `names` whose last segment was marked and whole prompt was written. */
export function laneAfter(names: string, more: Partial<SentAttempt> = {}): LaneMemo {
  const sent = attempt(segs(names), more);
  return settle(emptyLane, sent, received({ cacheWrite5m: sent.segments.length * 1_000, output: 100 })).memo;
}
