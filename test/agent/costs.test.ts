import { expect, test } from "vitest";
import { isCold } from "../../src/agent/costs.ts";
import type { Effects } from "../../src/agent/effects.ts";
import { brand } from "../../src/kernel/ids.ts";
import { emptyLedger } from "../../src/ledger/ledger.ts";
import { lifetimesMs } from "../../src/ledger/rules.ts";
import { emptyState, type State } from "../../src/log/state.ts";
import {
  ladderEnded,
  noSummary,
  type SummaryState,
  summaryAsked,
  summaryEnded,
  summaryLost,
  summaryRefused,
} from "../../src/log/summary.ts";
import { testModel } from "../support/world.ts";

const request = brand<"RequestId">("side");
const asked = summaryAsked(noSummary, {
  type: "summary-asked",
  request,
  as: "ride",
  scope: { kind: "all" },
  why: "",
  text: "?",
});
const triedAt = (at: number): SummaryState =>
  summaryEnded(asked, {
    type: "summary-ended",
    request,
    outcome: "junk",
    detail: "",
    text: "?",
    usage: null,
    retryAfterMs: null,
    at,
  });

/** Right after a restart: all that is known stands in the log. */
function isColdAt(now: number, summary: SummaryState): boolean {
  const state: State = {
    ...emptyState,
    sent: {
      request: brand("r1"),
      segments: 1,
      chain: brand("c"),
      cacheKey: "",
      marks: [],
      predicted: { promptTokens: 0, marginTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    },
    newest: {
      request: brand("r1"),
      wire: "anthropic",
      model: testModel.model,
      messageId: "",
      stop: "end-turn",
      usage: null,
      receivedAt: 1_000,
      hasCalls: false,
      segments: 1,
    },
    summary,
  };
  // Only the clock is asked.
  const fx = { clock: { now: () => now } } as unknown as Effects;
  return isCold(testModel, { fx, ledger: () => emptyLedger, state: () => state });
}

test.each([
  ["given up", summaryRefused(triedAt(200_000))],
  ["tried in a turn that is over", ladderEnded(triedAt(200_000))],
  ["lost with its process", ladderEnded(summaryLost(asked, request, 200_000))],
])("after a restart a cache that a summary read is not certainly cold, though it was %s", (_how, summary) => {
  const lifetime = lifetimesMs["5m"];
  expect(isColdAt(1_000 + lifetime + 60_000, noSummary)).toBe(true);
  expect(isColdAt(1_000 + lifetime + 60_000, summary)).toBe(false);
  expect(isColdAt(200_000 + lifetime + 60_000, summary)).toBe(true);
});
