import { createPrefixCache } from "./cache.ts";
import type { Examined } from "./examine.ts";
import { trim } from "./memory.ts";
import { changeBetween, laneMate, type Miss, missOf, type Sight } from "./miss.ts";
import type { SimModel } from "./models.ts";
import { isTurnScoped } from "./segment.ts";

/** The cache and the requests it was filled by. */
export type Lanes = {
  /** Uses the cache for an accepted request and says what it missed. */
  observe(
    n: number,
    examined: Examined,
    model: SimModel,
    lane: string | null,
    now: number,
  ): { readonly sight: Sight; readonly miss: Miss | null };
  /** The answer has this id; later requests may name it for diagnostics. */
  named(messageId: string, sight: Sight): void;
  /** The answer has begun. */
  begin(n: number): void;
  /** There will be no answer: nothing of the request is kept. */
  abandon(n: number): void;
  /** The provider's own diagnosis against an earlier answer (PROTOCOLS A.2); null where nothing diverged. */
  diagnose(previousMessageId: unknown, sight: Sight): { readonly cache_miss_reason: unknown } | null;
  clear(): void;
};

const sightsMax = 128;
const namedMax = 10_000;

export function createLanes(): Lanes {
  const cache = createPrefixCache();
  const pending = new Map<string, Sight>();
  const named = new Map<string, Sight>();
  let earlier: readonly Sight[] = [];
  return {
    observe(n, examined, model, lane, now) {
      const seen = {
        model: model.id,
        lane,
        key: examined.key,
        // Texts are not kept: a long session would hold each of its prompts.
        segments: examined.segments
          .filter((segment) => !isTurnScoped(segment))
          .map((segment) => ({ ...segment, text: "" })),
        promptTokens: examined.promptTokens,
        asked: examined.positions.some((position) => position.writeMs !== null),
      };
      const mate = laneMate(seen, earlier);
      const states = new Map((mate?.use.left ?? []).map(({ key }) => [key, cache.state(key, now)] as const));
      const rules = {
        lookBack: model.wire === "anthropic" ? 20 : Number.POSITIVE_INFINITY,
        breakpointsMax:
          model.wire === "responses" && model.responses.cache === "breakpoints" ? 80 : Number.POSITIVE_INFINITY,
        minimumTokens: model.cacheableTokensMin,
      };
      const sight = { ...seen, use: cache.use(examined.positions, rules, now) };
      pending.set(String(n), sight);
      trim(pending, sightsMax);
      return { sight, miss: missOf(sight, mate, states) };
    },
    named(messageId, sight) {
      named.set(messageId, sight);
      trim(named, namedMax);
    },
    begin(n) {
      const sight = pending.get(String(n));
      if (sight === undefined) return;
      pending.delete(String(n));
      cache.begin(sight.use);
      earlier = [...earlier.slice(-(sightsMax - 1)), sight];
    },
    abandon(n) {
      pending.delete(String(n));
    },
    diagnose(previousMessageId, sight) {
      return typeof previousMessageId === "string" ? diagnosisOf(named.get(previousMessageId), sight) : null;
    },
    clear() {
      cache.clear();
      pending.clear();
      named.clear();
      earlier = [];
    },
  };
}

function diagnosisOf(before: Sight | undefined, now: Sight): { readonly cache_miss_reason: unknown } | null {
  if (before === undefined) return { cache_miss_reason: { type: "previous_message_not_found" } };
  const change = changeBetween(before, now);
  if (change === null) return null;
  if (change === "key-changed") return { cache_miss_reason: { type: "unavailable" } };
  const left = Math.max(0, ...before.use.left.map((entry) => entry.tokens));
  const missed = Math.max(0, left - now.use.readTokens);
  return { cache_miss_reason: { type: change.replace("-", "_"), cache_missed_input_tokens: missed } };
}
