import { promptTokensOf, type Usage, type Wire } from "../kernel/usage.ts";
import { cacheRuleOf, lifetimesMs, toleranceTokens } from "../ledger/rules.ts";
import type { AuditMissCause } from "./report.ts";

/** What a call left behind in the provider's cache, as far as its report tells. */
export type CacheState = {
  readonly model: string | null;
  readonly at: number | null;
  /** 0: nothing is known to have been stored. */
  readonly leftTokens: number;
  readonly lifetimeMs: number;
};

export type AuditMiss = {
  readonly cause: AuditMissCause;
  readonly tokens: number;
  /** The start of the prompt was read all the same. */
  readonly isPartlyRead: boolean;
};

type Sent = { readonly model: string | null; readonly at: number | null; readonly usage: Usage | null };

export function cacheStateOf(call: Sent, before: CacheState | null): CacheState {
  const { model, at, usage } = call;
  const rule = ruleFor(model);
  const lifetimeMs = lifetimeOf(usage) ?? before?.lifetimeMs ?? rule.lifetimeMs ?? lifetimesMs["5m"];
  if (usage === null) return { model, at, leftTokens: 0, lifetimeMs };
  const written = usage.cacheWrite5m + usage.cacheWrite1h + usage.cacheWriteOther;
  const byItself = rule.type === "automatic" && written === 0;
  const prompt = promptTokensOf(usage);
  const leftTokens = byItself ? (prompt < rule.tokensMin ? 0 : prompt) : usage.cacheRead + written;
  return { model, at, leftTokens, lifetimeMs };
}

/**
 * What could have been read and was not: less than the call before had left, by more than rounding. Of what is no longer
 * in the prompt nothing is missed. `changed`: what the log says was changed in between. `serves`: whether this lane was ever seen to read a cache; without that, a service that
 * caches by itself may not be one.
 */
export function auditMissOf(input: {
  readonly before: CacheState | null;
  readonly call: Sent;
  readonly changed: AuditMissCause | null;
  readonly serves: boolean;
}): AuditMiss | null {
  const { before, call, changed, serves } = input;
  if (call.usage === null) return null;
  const rule = ruleFor(call.model);
  const read = call.usage.cacheRead;
  const prompt = promptTokensOf(call.usage);
  const stored = call.usage.cacheWrite5m + call.usage.cacheWrite1h + call.usage.cacheWriteOther > 0;
  if (before === null) {
    const asked = stored || (rule.type === "automatic" && prompt >= rule.tokensMin);
    return read === 0 && asked ? { cause: "cold-start", tokens: prompt, isPartlyRead: false } : null;
  }
  if (rule.type === "automatic" && !stored && !serves) return null;
  const missed = Math.min(before.leftTokens, prompt) - read;
  const tolerance = Math.max(toleranceTokens(rule), before.leftTokens * toleranceShare);
  if (missed <= tolerance) return null;
  return { cause: causeOf(before, call, changed), tokens: Math.round(missed), isPartlyRead: read > 0 };
}

/** Services that cache by themselves read some blocks less at times; that is no event. */
const toleranceShare = 0.01;

export function isCold(before: CacheState | null, at: number | null): boolean {
  return before !== null && before.at !== null && at !== null && at - before.at > before.lifetimeMs;
}

export function isOtherModel(before: CacheState | null, model: string | null): boolean {
  return before !== null && before.model !== null && model !== null && before.model !== model;
}

/** A cold cache comes first: with it the rest no longer matters. */
function causeOf(before: CacheState, call: Sent, changed: AuditMissCause | null): AuditMissCause {
  if (isCold(before, call.at)) return "expired";
  return isOtherModel(before, call.model) ? "model-changed" : (changed ?? "unknown");
}

/** The longest that was asked for; where the provider names none, the rule or the call before says. */
function lifetimeOf(usage: Usage | null): number | null {
  if (usage === null) return null;
  if (usage.cacheWrite1h > 0) return lifetimesMs["1h"];
  return usage.cacheWrite5m > 0 ? lifetimesMs["5m"] : null;
}

function ruleFor(model: string | null): ReturnType<typeof cacheRuleOf> {
  return cacheRuleOf(wireOf(model ?? ""), model ?? "");
}

/** Session files name the model and not the wire. */
function wireOf(model: string): Wire {
  if (/claude/i.test(model)) return "anthropic";
  if (/gemini/i.test(model)) return "gemini";
  return /gpt|codex|^o\d/i.test(model) ? "responses" : "chat";
}
