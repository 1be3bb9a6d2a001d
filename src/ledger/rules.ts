import { factsOf } from "../budget/window.ts";
import { promptTokensOf, type Usage, type Wire } from "../kernel/usage.ts";

/**
 * How a wire's service caches (PROTOCOLS A.2, B.2, D). `marked`: where the request says, looked for within `lookBack`
 * segments of each marker. `automatic`: any prefix, in steps, whether asked or not.
 */
export type CacheRule =
  | { readonly type: "marked"; readonly tokensMin: number }
  | {
      readonly type: "automatic";
      readonly tokensMin: number;
      readonly stepTokens: number;
      readonly lifetimeMs: number | null;
    };

/** Positions looked at from a marker back, itself included. */
export const lookBack = 20;

export const lifetimesMs = { "5m": 300_000, "1h": 3_600_000 } as const;

export function cacheRuleOf(wire: Wire, model: string): CacheRule {
  const facts = factsOf(model);
  if (wire === "anthropic") return { type: "marked", tokensMin: facts?.cacheTokensMin ?? markedTokensMin };
  if (facts === null) return { type: "automatic", tokensMin: 1, stepTokens: unknownStepTokens, lifetimeMs: null };
  return {
    type: "automatic",
    tokensMin: facts.cacheTokensMin,
    stepTokens: facts.cacheStepTokens,
    lifetimeMs: facts.cacheLifetimeMs,
  };
}

/** The commonest floor of its wire; the usage counters tell where it is wrong. */
const markedTokensMin = 1_024;
/** Servers reuse whole blocks of 16 to 128 tokens; the largest never sees a miss where there is none. */
const unknownStepTokens = 128;

/**
 * Some local servers report only what they evaluated: then the rest was reused, and the number is neither the prompt nor
 * a miss (PROTOCOLS D).
 */
export function isEvaluatedCount(rule: CacheRule, usage: Usage, predictedTokens: number): boolean {
  return rule.type === "automatic" && usage.cacheRead === 0 && promptTokensOf(usage) < predictedTokens / 2;
}

/** Reported less than this below what was left is no miss: rounding to steps, and the provider's own estimate. */
export function toleranceTokens(rule: CacheRule): number {
  return rule.type === "marked" ? 16 : Math.max(16, rule.stepTokens - 1);
}
