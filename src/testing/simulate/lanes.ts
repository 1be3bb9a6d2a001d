import { type CacheUse, createPrefixCache } from "./cache.ts";
import type { Examined } from "./examine.ts";
import { trim } from "./memory.ts";
import { laneMate, type Miss, missOf, type Sight } from "./miss.ts";
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
  /** All that was cached is given up before its time; what was asked before is still known. */
  expire(): void;
  /** What the request of that answer looked like. */
  sightOf(answerId: unknown): Sight | undefined;
  clear(): void;
};

const sightsMax = 128;
/** Each holds its request's segments: a session of 10,000 turns must fit beside them. */
const namedMax = 1_000;

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
      const sight = { ...seen, use: withHeld(cache.use(examined.positions, rules, now), examined.heldTokens) };
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
    expire: cache.clear,
    sightOf: (answerId) => (typeof answerId === "string" ? named.get(answerId) : undefined),
    clear() {
      cache.clear();
      pending.clear();
      named.clear();
      earlier = [];
    },
  };
}

/** What an explicit cache holds is read whatever the implicit one has (PROTOCOLS C.1). */
function withHeld(use: CacheUse, heldTokens: number): CacheUse {
  const more = Math.max(0, heldTokens - use.readTokens);
  return { ...use, readTokens: use.readTokens + more, writeOtherTokens: Math.max(0, use.writeOtherTokens - more) };
}
