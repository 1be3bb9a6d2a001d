import type { Hash } from "../kernel/ids.ts";
import { promptTokensOf, type Usage } from "../kernel/usage.ts";
import { isHead } from "../prompt/segment.ts";
import { answerOf, asShown, outputsAfter } from "./answer.ts";
import { asSentWhole, withCleared } from "./cleared.ts";
import {
  type CacheEntry,
  type ClearedHere,
  isAlive,
  isPrefix,
  type LaneMemo,
  type LeftPrefix,
  type NotedSegment,
  type Outcome,
  readableIndex,
  type Seen,
  type SentAttempt,
  sameKey,
  sharedLength,
} from "./lane.ts";
import { scaled, sumOf } from "./noted.ts";
import { asksForCache, type CacheRule, cacheRuleOf, lifetimesMs, type MarkedRule, markedSegments } from "./rules.ts";

/** The lane after a request whose answer began: what it read lives on, what it wrote can be read by the next. */
export function afterAnswer(memo: LaneMemo, sent: SentAttempt, outcome: Outcome, chains: readonly Hash[]): LaneMemo {
  const rule = cacheRuleOf(sent.wire, sent.model);
  const usage = outcome.type === "received" ? outcome.usage : null;
  const cleared = clearedOf(sent, outcome);
  const segments = withCleared(measuredSegments(memo.previous, sent, usage, cleared?.tokens), cleared);
  const sums = runningSums(segments);
  const readAt = readIndex(memo, sent, chains, sums, rule, usage);
  const written = writtenIndexes(sent, sums, rule, usage);
  const firstTokenMs = outcome.type === "received" ? (outcome.firstTokenMs ?? 0) : 0;
  const left = [...(readAt < 0 ? [] : [readAt]), ...written].map((index) =>
    prefixAt(index, chains, sums, rule, usage, written),
  );
  const entries = nextEntries({ memo, sent, chains, sums, readAt, written, readableAt: sent.at + firstTokenMs, rule });
  // A side request stands beside the sequence: the next step is still compared with the step before.
  if (sent.purpose === "side" && memo.previous !== null) return { ...memo, entries };
  // A broken answer reports nothing; what was measured before it still holds.
  if (usage === null && memo.previous?.measured === true && sameKey(memo.previous, sent)) {
    return { ...memo, breaks: [], previous: { ...memo.previous, at: sent.at, left }, entries };
  }
  const previous: Seen = {
    at: sent.at,
    wire: sent.wire,
    model: sent.model,
    cacheKey: sent.cacheKey,
    segments,
    chains,
    measured: usage !== null,
    promptTokens: usage === null ? sent.predicted.promptTokens : promptTokensOf(usage),
    usage,
    cleared,
    outputs: outputsIn(memo.previous, sent),
    asked: asksForCache(rule, sent.marks),
    left,
  };
  return { ...memo, breaks: [], previous, entries };
}

function clearedOf({ providerClearing }: SentAttempt, outcome: Outcome): ClearedHere | null {
  if (outcome.type !== "received" || outcome.cleared === undefined) return null;
  return { ...outcome.cleared, asked: providerClearing ?? null };
}

function outputsIn(previous: Seen | null, sent: SentAttempt): Seen["outputs"] {
  if (previous === null) return "believed";
  const shared = sharedLength(previous.segments, sent.segments);
  const isContinued = shared === previous.segments.length && previous.usage !== null;
  return isContinued ? outputsAfter(previous, sent.segments.slice(shared)) : previous.outputs;
}

/**
 * Estimates corrected so that they add up to what was reported: old segments keep what they were found to have, the
 * answer's share what it was reported to have, and the rest falls to the new ones. Hidden overhead ends up in the head,
 * where it belongs: it is there again after a break. As they were sent: what the provider cleared is counted in.
 */
export function measuredSegments(
  previous: Seen | null,
  sent: SentAttempt,
  usage: Usage | null,
  clearedTokens = 0,
): readonly NotedSegment[] {
  const known = previous?.measured === true && previous.model === sent.model ? wholeOf(previous) : null;
  const shared = known === null ? 0 : sharedLength(known.segments, sent.segments);
  const old = known === null ? [] : known.segments.slice(0, shared);
  const grown = sent.segments.slice(shared);
  if (usage === null) return [...old, ...grown];
  const whole = promptTokensOf(usage) + clearedTokens;
  if (known === null) return firstMeasured(grown, whole, sent.headTokens ?? null);
  const isContinued = known.usage !== null && shared === known.segments.length;
  const answer = isContinued ? answerOf(known, grown) : [];
  const kept = isContinued ? asShown(known, grown) : old;
  const rest = whole - sumOf(kept);
  const added = grown.slice(answer.length);
  if (rest < 0 || sumOf(added) === 0) return scaled([...kept, ...added], whole);
  return [...kept, ...(isContinued ? scaled(added, rest) : sharedOut(added, rest, known.segments))];
}

function wholeOf(previous: Seen): Seen {
  const segments = asSentWhole(previous.segments);
  return segments === previous.segments ? previous : { ...previous, segments };
}

/**
 * Behind a break: what was measured before has the tokens it had, wherever it stands now, and what is new the rest. Where that
 * is not a size the new can have, something else changed as well, and all are scaled alike.
 */
function sharedOut(
  added: readonly NotedSegment[],
  tokens: number,
  before: readonly NotedSegment[],
): readonly NotedSegment[] {
  const measured = new Map(before.map((segment) => [segment.hash, segment.tokens]));
  const stays = added.map((segment) => ({ ...segment, tokens: measured.get(segment.hash) ?? segment.tokens }));
  const isNew = ({ hash }: NotedSegment) => !measured.has(hash);
  const counted = sumOf(stays.filter(isNew));
  const rest = tokens - sumOf(stays) + counted;
  if (counted === 0 || rest < counted / rateMax || rest > counted * rateMax) return scaled(stays, tokens);
  return stays.map((segment) => (isNew(segment) ? { ...segment, tokens: (segment.tokens * rest) / counted } : segment));
}

/** No tokenizer is further from the estimate. */
const rateMax = 3;

/**
 * A first prompt is mostly head: what was not foreseen is the head's, hidden overhead above all, and stays with it when
 * the messages go. Where messages outweigh the head, the tokenizer's rate explains more, and all are scaled alike.
 */
function firstMeasured(
  segments: readonly NotedSegment[],
  whole: number,
  headTokens: number | null,
): readonly NotedSegment[] {
  const head = segments.filter(isHead);
  const messages = segments.filter((segment) => !isHead(segment));
  if (headTokens !== null && headTokens < whole && sumOf(head) > 0 && sumOf(messages) > 0)
    return [...scaled(head, headTokens), ...scaled(messages, whole - headTokens)];
  const rest = whole - sumOf(messages);
  if (sumOf(messages) > sumOf(head) || rest < sumOf(head)) return scaled(segments, whole);
  return [...scaled(head, rest), ...messages];
}

/** A lane keeps so many prefixes; the oldest are forgotten, which may turn a later "look-back" into "expired". */
const entriesMax = 64;

function readIndex(
  memo: LaneMemo,
  sent: SentAttempt,
  chains: readonly Hash[],
  sums: readonly number[],
  rule: CacheRule,
  usage: Usage | null,
): number {
  const expected = readableIndex(memo, sent, chains, rule);
  if (usage === null || expected < 0) return expected;
  if (usage.cacheRead === 0) return -1;
  const reached = sums.findLastIndex((sum) => sum <= usage.cacheRead * 1.02);
  return Math.min(expected, Math.max(reached, 0));
}

function writtenIndexes(
  sent: SentAttempt,
  sums: readonly number[],
  rule: CacheRule,
  usage: Usage | null,
): readonly number[] {
  if (rule.type === "automatic") {
    const whole = sums.at(-1) ?? 0;
    return whole >= rule.tokensMin && whole >= rule.stepTokens ? [sums.length - 1] : [];
  }
  // The counters say whether anything is cached at all: below the minimum nothing else does.
  if (usage !== null && cachedTokens(usage) === 0) return [];
  const marked = markedSegments(rule, sent);
  const deepest = Math.max(...marked);
  return marked.filter((index) => (usage !== null && index === deepest) || (sums[index] ?? 0) >= rule.tokensMin);
}

/** Of a reported prompt, what a service adds behind the last message and does not send again: the answer's own beginning. */
const promptTailTokens = 16;

function prefixAt(
  index: number,
  chains: readonly Hash[],
  sums: readonly number[],
  rule: CacheRule,
  usage: Usage | null,
  written: readonly number[],
): LeftPrefix {
  const chain = chains[index];
  if (chain === undefined) throw new Error(`a cache marker on segment ${index}, but there are ${chains.length}`);
  const sum = sums[index] ?? 0;
  if (rule.type === "automatic") {
    const steps = (tokens: number) => Math.floor(Math.max(0, tokens) / rule.stepTokens) * rule.stepTokens;
    return { chain, tokens: steps(sum - promptTailTokens), tokensMax: steps(sum) };
  }
  const deepest = index === Math.max(...written);
  const tokens = usage !== null && deepest ? cachedTokens(usage) : Math.round(sum);
  return { chain, tokens, tokensMax: tokens };
}

function nextEntries(call: {
  readonly memo: LaneMemo;
  readonly sent: SentAttempt;
  readonly chains: readonly Hash[];
  readonly sums: readonly number[];
  readonly readAt: number;
  readonly written: readonly number[];
  readonly readableAt: number;
  readonly rule: CacheRule;
}): readonly CacheEntry[] {
  const { memo, sent, chains, sums, readAt, written, readableAt, rule } = call;
  const writes = rule.type === "automatic" ? everyPrefix(chains, sums, rule) : marksOf(sent, chains, written, rule);
  const isWritten: boolean[] = [];
  for (const { segment } of writes) isWritten[segment] = true;
  const known: CacheEntry[] = [];
  const others: CacheEntry[] = [];
  for (const entry of memo.entries) {
    if (!isAlive(entry, sent.at)) continue;
    const { segment } = entry;
    const isShared = isPrefix(entry, chains);
    if (isShared && isWritten[segment] === true) known[segment] = entry;
    // Reading a prefix reads all that stands in it, so shorter entries on the way stay alive with it.
    else others.push(isShared && segment <= readAt ? { ...entry, startedAt: sent.at } : entry);
  }
  const fresh = writes.map(({ chain, segment, lifetimeMs }): CacheEntry => {
    const before = known[segment];
    if (before === undefined) return { chain, segment, startedAt: sent.at, lifetimeMs, readableAt };
    const { readableAt: since, lifetimeMs: life } = before;
    return { chain, segment, startedAt: sent.at, lifetimeMs: longer(life, lifetimeMs), readableAt: since };
  });
  return [...others, ...fresh].slice(-(rule.type === "automatic" ? chains.length : entriesMax));
}

type Write = Pick<CacheEntry, "chain" | "segment" | "lifetimeMs">;

/** Such a service can be read up to any segment of what it has seen. */
function everyPrefix(
  chains: readonly Hash[],
  sums: readonly number[],
  { tokensMin, stepTokens, lifetimeMs }: Extract<CacheRule, { readonly type: "automatic" }>,
): readonly Write[] {
  const first = sums.findIndex((sum) => sum >= Math.max(tokensMin, stepTokens));
  return first < 0 ? [] : chains.slice(first).map((chain, at) => ({ chain, segment: first + at, lifetimeMs }));
}

function marksOf(
  sent: SentAttempt,
  chains: readonly Hash[],
  written: readonly number[],
  rule: MarkedRule,
): readonly Write[] {
  const ttls = new Map(sent.marks.map(({ segment, ttl }) => [segment, lifetimesMs[ttl]]));
  return [...new Set(written)].flatMap((segment) => {
    const chain = chains[segment];
    return chain === undefined ? [] : [{ chain, segment, lifetimeMs: rule.lifetimeMs ?? ttls.get(segment) ?? null }];
  });
}

function longer(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.max(a, b);
}

export function runningSums(segments: readonly NotedSegment[]): readonly number[] {
  const sums: number[] = [];
  let sum = 0;
  for (const { tokens } of segments) {
    sum += tokens;
    sums.push(sum);
  }
  return sums;
}

function cachedTokens(usage: Usage): number {
  return usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + usage.cacheWriteOther;
}
