import { tokensIn } from "./shown.ts";
import type { Decision, Terms } from "./strategy.ts";

/** All in tokens, and costs in the price of a plain input token, but for what is named otherwise. */
export type Metered = {
  readonly calls: number;
  readonly inputCost: number;
  readonly ownCallsCost: number;
  readonly reasoningLost: number;
  readonly promptTokens: number;
  readonly readTokens: number;
  /** Unchanged, and written again because the cache had expired. */
  readonly expiredTokens: number;
  readonly expiredCalls: number;
  readonly peakTokens: number;
  /** Prompts that changed what had been sent, where the recorded context did not begin anew. */
  readonly breaks: number;
  readonly overflows: { readonly at200k: number; readonly atH32k: number };
  /** Calls over a limit whatever a strategy does: head and unseen blocks alone exceed it. */
  readonly cannotFit: { readonly at200k: readonly number[]; readonly atH32k: readonly number[] };
  readonly stepMs: readonly number[];
};

type Step = {
  readonly n: number;
  readonly unseen: number;
  /** Tokens of the leading segments, the head among them, that are as they were. */
  readonly unchanged: number;
  readonly isExpired: boolean;
  readonly isChanged: boolean;
  readonly stepMs: number;
};

type Meter = {
  readonly add: (decision: Decision, step: Step) => void;
  readonly total: (prices: Terms["prices"]) => Metered;
};

/** Adds up what the prompts of one session cost. */
export function newMeter(headTokens: number): Meter {
  const limits = { at200k: 200_000, atH32k: headTokens + 32_000 };
  const over = { at200k: 0, atH32k: 0 };
  const cannotFit: { readonly at200k: number[]; readonly atH32k: number[] } = { at200k: [], atH32k: [] };
  const own = { readTokens: 0, writeTokens: 0, outputTokens: 0 };
  const stepMs: number[] = [];
  const sums = { prompt: 0, read: 0, expired: 0, expiredCalls: 0, peak: 0, breaks: 0, reasoningLost: 0 };
  return {
    add: (decision, step) => {
      const tokens = headTokens + tokensIn(decision.shown);
      sums.prompt += tokens;
      sums[step.isExpired ? "expired" : "read"] += step.unchanged;
      sums.expiredCalls += step.isExpired ? 1 : 0;
      sums.peak = Math.max(sums.peak, tokens);
      sums.breaks += step.isChanged ? 1 : 0;
      sums.reasoningLost += decision.reasoningTokensLost;
      for (const limit of ["at200k", "atH32k"] as const) {
        if (tokens <= limits[limit]) continue;
        if (headTokens + step.unseen > limits[limit]) cannotFit[limit].push(step.n);
        else over[limit]++;
      }
      for (const call of decision.calls) {
        own.readTokens += call.readTokens;
        own.writeTokens += call.writeTokens;
        own.outputTokens += call.outputTokens;
      }
      stepMs.push(step.stepMs);
    },
    total: ({ read, write, output }) => ({
      calls: stepMs.length,
      inputCost: sums.read * read + (sums.prompt - sums.read) * write,
      ownCallsCost: own.readTokens * read + own.writeTokens * write + own.outputTokens * output,
      reasoningLost: sums.reasoningLost,
      promptTokens: sums.prompt,
      readTokens: sums.read,
      expiredTokens: sums.expired,
      expiredCalls: sums.expiredCalls,
      peakTokens: sums.peak,
      breaks: sums.breaks,
      overflows: over,
      cannotFit,
      stepMs,
    }),
  };
}
