import { factsOf } from "../budget/window.ts";
import { promptTokensOf, type Usage, type Wire } from "../kernel/usage.ts";
import { capabilitiesOf } from "../provider/responses/capabilities.ts";

/**
 * How a wire's service caches (PROTOCOLS A.2, B.2, D). `marked`: exactly where the request says. `automatic`: any prefix,
 * in steps, whether asked or not.
 */
export type CacheRule =
  | {
      readonly type: "marked";
      readonly tokensMin: number;
      /** Segments looked at from a marker back, itself included; null: whatever was written is found. */
      readonly lookBack: number | null;
      /** The service puts a marker of its own at the end of every request. */
      readonly marksEnd: boolean;
      /** null: the markers say. */
      readonly lifetimeMs: number | null;
    }
  | {
      readonly type: "automatic";
      readonly tokensMin: number;
      readonly stepTokens: number;
      readonly lifetimeMs: number | null;
    };

export type MarkedRule = Extract<CacheRule, { readonly type: "marked" }>;

export const lifetimesMs = { "5m": 300_000, "1h": 3_600_000 } as const;

export function cacheRuleOf(wire: Wire, model: string): CacheRule {
  const facts = factsOf(model);
  if (wire === "anthropic") return { ...byMarkers, tokensMin: facts?.cacheTokensMin ?? byMarkers.tokensMin };
  if (wire === "responses" && capabilitiesOf(model).breakpoints) return byBreakpoints;
  if (facts === null && wire === "gemini") return { ...byItself, tokensMin: geminiTokensMin(model) };
  if (facts === null) return { type: "automatic", tokensMin: 1, stepTokens: unknownStepTokens, lifetimeMs: null };
  return {
    type: "automatic",
    tokensMin: facts.cacheTokensMin,
    stepTokens: facts.cacheStepTokens,
    lifetimeMs: facts.cacheLifetimeMs,
  };
}

/** With the commonest floor of its wire; the usage counters tell where it is wrong. */
const byMarkers: MarkedRule = { type: "marked", tokensMin: 1_024, lookBack: 20, marksEnd: false, lifetimeMs: null };

/** OpenAI from 5.6 on. The lifetime is a minimum: what lives longer is a hit that was not foreseen. */
const byBreakpoints: MarkedRule = {
  type: "marked",
  tokensMin: 1_024,
  lookBack: null,
  marksEnd: true,
  lifetimeMs: 30 * 60_000,
};

/** Gemini names neither steps nor a lifetime: a coarse step never takes rounding for a miss. */
const byItself = { type: "automatic", stepTokens: 256, lifetimeMs: null } as const;

/** What the service says of its generations (PROTOCOLS C.1). */
function geminiTokensMin(model: string): number {
  return model.includes("gemini-2.5") ? 2_048 : 4_096;
}

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

/** Whether anything of this request was to be stored. */
export function asksForCache(rule: CacheRule, marks: readonly unknown[]): boolean {
  return rule.type === "automatic" || rule.marksEnd || marks.length > 0;
}

/** Segments at whose end the service stores, in order. */
export function markedSegments(
  rule: MarkedRule,
  sent: { readonly marks: readonly { readonly segment: number }[]; readonly segments: readonly unknown[] },
): readonly number[] {
  const marked = sent.marks.map(({ segment }) => segment);
  const end = sent.segments.length - 1;
  return rule.marksEnd && end >= 0 && !marked.includes(end) ? [...marked, end] : marked;
}

/** Whether earlier reasoning stays in the prompt; Chat never takes it back from us, Responses does (PROTOCOLS B.3). */
export function reasoningOf(wire: Wire, model: string): "kept" | "left-out" {
  if (wire === "responses") return capabilitiesOf(model).keepsReasoning ? "kept" : "left-out";
  return factsOf(model)?.reasoning ?? "kept";
}
