import type { CacheUse, PrefixCache } from "./cache.ts";
import type { KeyParts } from "./positions.ts";
import { partOf, type SimPart, type SimSegment, sharedPrefix } from "./segment.ts";

/** The one list of causes, as METRICS 7 has it. */
export type MissCause =
  | "cold-start"
  | "expired"
  | "model-changed"
  | "key-changed"
  | "tools-changed"
  | "system-changed"
  | "messages-changed"
  | "look-back"
  | "below-minimum";

export type Miss = { readonly cause: MissCause; readonly tokens: number };

/** What a request looked like to the cache; kept for the next one of its lane. */
export type Sight = {
  readonly model: string;
  readonly lane: string | null;
  readonly key: KeyParts;
  readonly segments: readonly SimSegment[];
  readonly promptTokens: number;
  /** Whether the request asked for caching at all. */
  readonly asked: boolean;
  readonly use: CacheUse;
};

/**
 * The request this one continues, among those whose lane has the same name, or whose conversation it begins like and
 * shares two segments of (what lies between may be folded), or all of the earlier one, or (edited near its start) half
 * of it in any place. Those of its own model
 * come first, as only they filled its cache; then the longest shared prefix, then the newest. Two lanes that share no
 * more than a head and a first context block are so kept apart.
 */
export function laneMate(sight: Omit<Sight, "use">, earlier: readonly Sight[]): Sight | null {
  const mine = conversationOf(sight.segments);
  const hashes = new Set(mine.map((segment) => segment.hash));
  const candidates = earlier.flatMap((other) => {
    const theirs = conversationOf(other.segments);
    const shared = sharedPrefix(mine, theirs);
    const kept = theirs.filter((segment) => hashes.has(segment.hash)).length;
    const named = sight.lane !== null && sight.lane === other.lane;
    const continues =
      (shared >= 1 && (kept >= 2 || shared === theirs.length)) || (kept >= 2 && kept * 2 >= theirs.length);
    return named || continues ? [{ other, shared }] : [];
  });
  const own = candidates.filter(({ other }) => other.model === sight.model);
  const ranked = own.length > 0 ? own : candidates;
  return (
    ranked.reduce<(typeof ranked)[number] | null>(
      (best, next) => (best === null || next.shared >= best.shared ? next : best),
      null,
    )?.other ?? null
  );
}

/**
 * A miss is a request that read less than its lane left in the cache, or could have left but for the minimum; and a
 * lane's first request that read nothing. `null` where nothing was lost or caching was never asked for.
 */
export function missOf(
  now: Sight,
  mate: Sight | null,
  stateBefore: ReadonlyMap<string, ReturnType<PrefixCache["state"]>>,
): Miss | null {
  const { readTokens } = now.use;
  if (mate === null) return now.asked && readTokens === 0 ? { cause: "cold-start", tokens: now.promptTokens } : null;
  // All that could be stored of this request was read: going back to an earlier state loses nothing.
  if (now.asked && readTokens > 0 && writtenTokens(now.use) === 0) return null;
  const unread = mate.use.left.filter(({ tokens }) => tokens > readTokens);
  if (unread.length === 0) return belowMinimum(now, mate);
  const tokens = Math.max(...unread.map((entry) => entry.tokens)) - readTokens;
  const isGone = (key: string) => stateBefore.get(key) === "expired" || stateBefore.get(key) === "absent";
  if (unread.every(({ key }) => isGone(key))) return { cause: "expired", tokens };
  return { cause: changeBetween(mate, now) ?? "look-back", tokens };
}

function writtenTokens(use: CacheUse): number {
  return use.write5mTokens + use.write1hTokens + use.writeOtherTokens;
}

function belowMinimum(now: Sight, mate: Sight): Miss | null {
  const lost = mate.use.left.length === 0 && mate.asked && now.asked && now.use.readTokens === 0;
  return lost ? { cause: "below-minimum", tokens: Math.min(mate.promptTokens, now.promptTokens) } : null;
}

/** What changed first in the order model, key, tools, system, messages; null if the newer request only grew. */
export function changeBetween(
  before: Pick<Sight, "model" | "key" | "segments">,
  now: Pick<Sight, "model" | "key" | "segments">,
): MissCause | null {
  if (before.model !== now.model) return "model-changed";
  const parts: readonly SimPart[] = ["tools", "system", "messages"];
  if (parts.some((part) => before.key[part] !== now.key[part])) return "key-changed";
  const shared = sharedPrefix(before.segments, now.segments);
  const [left, right] = [before.segments[shared], now.segments[shared]];
  if (left === undefined) return null;
  if (left.bare !== undefined && left.bare === right?.bare) return "tools-changed";
  const part = parts.find((name) => partOf(left) === name || (right !== undefined && partOf(right) === name));
  return part === undefined ? null : `${part}-changed`;
}

/** Each request is compared with many earlier ones, again and again. */
const conversations = new WeakMap<readonly SimSegment[], readonly SimSegment[]>();

function conversationOf(segments: readonly SimSegment[]): readonly SimSegment[] {
  const known = conversations.get(segments);
  if (known !== undefined) return known;
  const found = segments.filter((segment) => partOf(segment) === "messages");
  conversations.set(segments, found);
  return found;
}
