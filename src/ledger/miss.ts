import { promptTokensOf, type Usage } from "../kernel/usage.ts";
import type { BreakReason } from "../log/entry.ts";
import type { ClearedByProvider } from "../log/provider-clearing.ts";
import { hidesReasoning } from "./answer.ts";
import { isAlive, type LaneMemo, type Seen, type SentAttempt, sharedLength } from "./lane.ts";
import { asksForCache, type CacheRule, cacheRuleOf, toleranceTokens } from "./rules.ts";

/** What a provider can see of a miss: METRICS 7's list without the breaks, which only we know. */
export type MissMechanism =
  | "cold-start"
  | "expired"
  | "model-changed"
  | "key-changed"
  | "tools-changed"
  | "system-changed"
  | "messages-changed"
  | "look-back"
  | "below-minimum";

export type MissCause = MissMechanism | `break:${BreakReason}`;

export type Miss = {
  readonly cause: MissCause;
  readonly mechanism: MissMechanism;
  /** Sent before, could have been read, was not. */
  readonly tokens: number;
  /** One line for people. */
  readonly why: string;
};

export type FirstChange = { readonly segment: number; readonly kind: string; readonly role: string };

/**
 * A miss is a request that read less than the lane's request before it left in the cache, or could have left but for
 * the minimum; and a lane's first request that read nothing.
 */
export function missOf(
  memo: LaneMemo,
  sent: SentAttempt,
  usage: Usage,
  cleared: ClearedByProvider = { results: 0, tokens: 0 },
): Miss | null {
  const { previous } = memo;
  const readTokens = usage.cacheRead;
  const promptTokens = promptTokensOf(usage);
  const rule = cacheRuleOf(sent.wire, sent.model);
  const asked = asksForCache(rule, sent.marks);
  if (previous === null)
    return asked && readTokens === 0 ? miss("cold-start", promptTokens, [], "the lane's first request") : null;
  // All that could be stored of this request was read: going back to an earlier state (undo) loses nothing.
  if (asked && readTokens > 0 && storableTokens(rule, usage) === 0) return null;
  const unread = previous.left.filter(({ tokens }) => tokens > readTokens + toleranceTokens(rule));
  if (unread.length === 0) return belowMinimum(previous, asked, readTokens, promptTokens, rule.tokensMin);
  // That it was missed is sure; how much is told by all that was there.
  const tokens = Math.round(Math.max(...unread.map(({ tokensMax }) => tokensMax)) - readTokens);
  const alive = new Set(memo.entries.filter((entry) => isAlive(entry, sent.at)).map((entry) => entry.chain));
  if (unread.every((prefix) => !alive.has(prefix.chain)))
    return miss("expired", tokens, [], expiredText(previous, sent));
  const change = changeBetween(previous, sent);
  if (change !== null) return miss(change.mechanism, tokens, memo.breaks, change.why);
  const more = cleared.results - (previous.cleared?.results ?? 0);
  if (more !== 0) return miss("messages-changed", tokens, ["cleared"], clearedText(cleared, more));
  return rule.type === "marked" && rule.lookBack !== null
    ? miss("look-back", tokens, [], `no marker within ${rule.lookBack} segments of what had been written`)
    : miss("expired", tokens, [], "the service no longer had the prefix, though it was unchanged");
}

function storableTokens(rule: CacheRule, usage: Usage): number {
  if (rule.type === "marked") return usage.cacheWrite5m + usage.cacheWrite1h + usage.cacheWriteOther;
  return Math.floor((promptTokensOf(usage) - usage.cacheRead) / rule.stepTokens);
}

/** The first segment that is not as it was; null if the newer request only grew. */
export function firstChangeOf(previous: Seen | null, sent: Pick<SentAttempt, "segments">): FirstChange | null {
  if (previous === null) return null;
  const shared = sharedLength(previous.segments, sent.segments);
  if (shared === previous.segments.length) return null;
  const segment = sent.segments[shared] ?? previous.segments[shared];
  return segment === undefined ? null : { segment: shared, kind: segment.kind, role: segment.role };
}

/** In the order model, key, tools, system, messages: what stands first in a prompt costs all behind it. */
function changeBetween(
  previous: Seen,
  sent: SentAttempt,
): { readonly mechanism: MissMechanism; readonly why: string } | null {
  if (previous.model !== sent.model) return { mechanism: "model-changed", why: `${previous.model} to ${sent.model}` };
  if (previous.cacheKey !== sent.cacheKey)
    return { mechanism: "key-changed", why: "effort, thinking, tool choice or key changed" };
  // Whether there are images at all is part of this service's key for messages (PROTOCOLS A.2).
  if (sent.wire === "anthropic" && hasImages(previous) !== hasImages(sent))
    return { mechanism: "key-changed", why: "the first image came, or the last one went" };
  const change = firstChangeOf(previous, sent);
  if (change === null)
    return hidesReasoning(previous, sent.segments.slice(previous.segments.length))
      ? {
          mechanism: "messages-changed",
          why: "with a new turn this model no longer shows the reasoning of the one before",
        }
      : null;
  const changed = [previous.segments[change.segment], sent.segments[change.segment]];
  const roles = changed.map((segment) => (segment?.kind === "tool" ? "tools" : segment?.role));
  const what = roles.includes("tools") ? "tools" : roles.includes("system") ? "system" : "messages";
  return { mechanism: `${what}-changed`, why: `${what} differ from segment ${change.segment} (${change.kind}) on` };
}

function hasImages({ segments }: Pick<Seen, "segments">): boolean {
  return segments.some(({ kind }) => kind === "image");
}

function belowMinimum(
  previous: Seen,
  asked: boolean,
  readTokens: number,
  promptTokens: number,
  tokensMin: number,
): Miss | null {
  if (previous.left.length > 0 || !previous.asked || !asked || readTokens > 0) return null;
  const tokens = Math.min(previous.promptTokens, promptTokens);
  return miss("below-minimum", tokens, [], `prefixes below ${tokensMin} tokens are not cached by this model`);
}

function miss(mechanism: MissMechanism, tokens: number, breaks: readonly BreakReason[], why: string): Miss {
  const reason = breaks.at(-1);
  const cause: MissCause = reason === undefined ? mechanism : `break:${reason}`;
  return { cause, mechanism, tokens: Math.round(tokens), why: `${cause}: ${why}` };
}

function clearedText({ results, tokens }: ClearedByProvider, more: number): string {
  return `the provider cleared ${results} results by itself, ${tokens} tokens, ${Math.abs(more)} ${more > 0 ? "more" : "fewer"} than before`;
}

function expiredText(previous: Seen, sent: SentAttempt): string {
  return `${Math.round((sent.at - previous.at) / 1000)} s since the request before, longer than the cache lives`;
}
