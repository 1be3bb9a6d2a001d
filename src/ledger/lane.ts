import { chain, hashOf } from "../kernel/hash.ts";
import type { Hash, RequestId } from "../kernel/ids.ts";
import type { Usage, Wire } from "../kernel/usage.ts";
import type { BreakReason, FailureClass } from "../log/entry.ts";
import type { ClearedByProvider, ProviderClearing } from "../log/provider-clearing.ts";
import type { SegmentKind } from "../prompt/segment.ts";
import type { CacheRule } from "./rules.ts";

/** All the ledger keeps of a segment. `tokens` is the estimate, until a reported usage corrects it. */
export type NotedSegment = {
  readonly hash: Hash;
  readonly kind: SegmentKind;
  readonly role: "tools" | "system" | "user" | "assistant";
  readonly tokens: number;
  /** Of `tokens`, what stands around its text; left out: unknown, as nothing. */
  readonly markTokens?: number;
  /** What the provider cleared of it by itself, which is not in `tokens`; left out: nothing. */
  readonly goneTokens?: number;
  readonly callId?: string | undefined;
  readonly tool?: string | undefined;
};

export type NotedMark = { readonly segment: number; readonly ttl: "5m" | "1h" };

/** One attempt as it left. */
export type SentAttempt = {
  readonly request: RequestId;
  readonly purpose: "step" | "side";
  /** It does not begin as the lane's requests do, and leaves nothing that one of them could read. */
  readonly own?: true;
  readonly attempt: number;
  readonly at: number;
  readonly wire: Wire;
  readonly model: string;
  readonly cacheKey: string;
  readonly segments: readonly NotedSegment[];
  /** What system and tools were found to have before this ledger began; left out: not known. */
  readonly headTokens?: number;
  readonly marks: readonly NotedMark[];
  /** What the provider was asked to clear of it; left out: nothing. */
  readonly providerClearing?: ProviderClearing;
  readonly predicted: {
    readonly promptTokens: number;
    readonly marginTokens: number;
    readonly cacheReadTokens: number;
    readonly cacheWriteTokens: number;
  };
};

/** What became of it. `began`: its answer had begun, so that what it wrote is readable. */
export type Outcome =
  | {
      readonly type: "received";
      readonly usage: Usage | null;
      readonly firstTokenMs: number | null;
      readonly report?: string | null;
      readonly cleared?: ClearedByProvider;
    }
  | { readonly type: "failed"; readonly class: FailureClass; readonly began: boolean }
  | { readonly type: "unknown" };

/** The newest request of a lane whose answer began: what the next one is compared with. */
export type Seen = {
  readonly at: number;
  readonly wire: Wire;
  readonly model: string;
  readonly cacheKey: string;
  readonly segments: readonly NotedSegment[];
  /** `chains[i]` names segments 0 to i, their key included. */
  readonly chains: readonly Hash[];
  /** Whether the tokens of `segments` add up to a reported prompt. */
  readonly measured: boolean;
  readonly promptTokens: number;
  readonly usage: Usage | null;
  /** Of what was sent, not in `promptTokens`. */
  readonly cleared: ClearedHere | null;
  /** `doubted`: an answer of this lane was once reported with an output that it cannot have had. */
  readonly outputs: "believed" | "doubted";
  readonly asked: boolean;
  /** What it read or wrote, and so left for the next. */
  readonly left: readonly LeftPrefix[];
};

/** What the provider cleared of a request, and what it had been asked for. */
export type ClearedHere = ClearedByProvider & { readonly asked: ProviderClearing | null };

/** `tokens`: surely left. `tokensMax`: where nothing of the reported prompt was the beginning of the answer. */
export type LeftPrefix = { readonly chain: Hash; readonly tokens: number; readonly tokensMax: number };

/** A prefix the provider should hold. At exactly its end of life it is gone (PROTOCOLS A.2). */
export type CacheEntry = {
  readonly chain: Hash;
  /** The last segment of the prefix: a chain hash can stand at no other place. */
  readonly segment: number;
  readonly startedAt: number;
  /** null: nobody says how long. */
  readonly lifetimeMs: number | null;
  readonly readableAt: number;
};

/** What the ledger carries from request to request: no more than the live window needs. */
export type LaneMemo = {
  /** Step requests so far, attempts of one step counted once. */
  readonly steps: number;
  /** Breaks declared since the newest request whose answer began. */
  readonly breaks: readonly BreakReason[];
  readonly previous: Seen | null;
  readonly entries: readonly CacheEntry[];
  /** Time to the first token of the requests that missed nothing, to measure a miss against. */
  readonly warm: { readonly requests: number; readonly firstTokenMs: number };
};

export const emptyLane: LaneMemo = {
  steps: 0,
  breaks: [],
  previous: null,
  entries: [],
  warm: { requests: 0, firstTokenMs: 0 },
};

/** A declared break explains the change that the next request shows. */
export function afterBreak(memo: LaneMemo, reason: BreakReason): LaneMemo {
  return { ...memo, breaks: [...memo.breaks, reason] };
}

/** Hashes of the request's prefixes; those it shares with the request before are not computed again. */
export function chainsOf(
  previous: Seen | null,
  sent: Pick<SentAttempt, "model" | "cacheKey" | "segments">,
): readonly Hash[] {
  const shared = previous !== null && sameKey(previous, sent) ? sharedLength(previous.segments, sent.segments) : 0;
  const chains: Hash[] = previous === null ? [] : previous.chains.slice(0, shared);
  let last = chains.at(-1) ?? hashOf(`${sent.model}\n${sent.cacheKey}`);
  for (const segment of sent.segments.slice(shared)) {
    last = chain(last, segment.hash);
    chains.push(last);
  }
  return chains;
}

type Hashed = readonly { readonly hash: Hash }[];

/** Of each request it is asked several times; the newest answer is kept, since lists are never changed. */
let newest: { readonly a: Hashed; readonly b: Hashed; readonly length: number } = { a: [], b: [], length: 0 };

export function sharedLength(a: Hashed, b: Hashed): number {
  if (newest.a === a && newest.b === b) return newest.length;
  let length = 0;
  while (length < a.length && length < b.length && a[length]?.hash === b[length]?.hash) length += 1;
  newest = { a, b, length };
  return length;
}

export function sameKey(
  a: Pick<SentAttempt, "model" | "cacheKey">,
  b: Pick<SentAttempt, "model" | "cacheKey">,
): boolean {
  return a.model === b.model && a.cacheKey === b.cacheKey;
}

export function isAlive(entry: CacheEntry, at: number): boolean {
  return entry.readableAt <= at && (entry.lifetimeMs === null || at - entry.startedAt < entry.lifetimeMs);
}

/** Index of the last segment of the longest prefix that can be read at that time; -1: none. */
export function readableIndex(
  memo: LaneMemo,
  sent: Pick<SentAttempt, "at" | "marks">,
  chains: readonly Hash[],
  rule: CacheRule,
): number {
  let longest = -1;
  for (const entry of memo.entries) {
    if (entry.segment <= longest || !isPrefix(entry, chains) || !isAlive(entry, sent.at)) continue;
    if (isLookedAt(entry, sent.marks, rule)) longest = entry.segment;
  }
  return longest;
}

function isLookedAt({ segment }: CacheEntry, marks: readonly NotedMark[], rule: CacheRule): boolean {
  if (rule.type === "automatic" || rule.lookBack === null) return true;
  const { lookBack } = rule;
  return marks.some((mark) => segment <= mark.segment && mark.segment - segment < lookBack);
}

export function isPrefix({ chain, segment }: CacheEntry, chains: readonly Hash[]): boolean {
  return chains[segment] === chain;
}
