import fc from "fast-check";
import { expect, test } from "vitest";
import { chain, hashOf } from "../../src/kernel/hash.ts";
import { predictCache } from "../../src/ledger/forecast.ts";
import { emptyLane, type NotedSegment, type SentAttempt } from "../../src/ledger/lane.ts";
import { cacheRuleOf, lifetimesMs } from "../../src/ledger/rules.ts";
import { type CacheRules, createPrefixCache, type Position } from "../../src/testing/simulate/cache.ts";
import { missOf, type Sight } from "../../src/testing/simulate/miss.ts";
import type { SimSegment } from "../../src/testing/simulate/segment.ts";
import { attempt, received, segs, settle } from "./build.ts";

/**
 * The ledger's rules and the simulator's are written apart. On random lanes (growing, cut, changed at any place, with
 * any markers, other keys and pauses) both must see the same reads and give every miss the same cause.
 */
type Move = {
  readonly grow: number;
  readonly change: number | null;
  readonly cut: number;
  readonly key: number;
  readonly pauseMs: number;
  readonly marks: readonly number[];
  readonly hour: boolean;
};

const move: fc.Arbitrary<Move> = fc.record({
  grow: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 4 }) },
    { weight: 1, arbitrary: fc.integer({ min: 15, max: 40 }) },
  ),
  change: fc.option(fc.nat(40), { freq: 3 }),
  cut: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 8 }) }),
  key: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
  pauseMs: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1_000, max: 60_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 200_000, max: 4_000_000 }) },
  ),
  marks: fc.array(fc.nat(25), { maxLength: 4 }),
  hour: fc.boolean(),
});

type Service = Pick<SentAttempt, "wire" | "model"> & {
  /** The simulator's own words for how it looks and what it stores. */
  readonly rules: Pick<CacheRules, "lookBack" | "breakpointsMax">;
  readonly writeMs: (ttl: "5m" | "1h") => number;
  readonly marksEnd: boolean;
};

const messages: Service = {
  wire: "anthropic",
  model: "claude-opus-5-5",
  rules: { lookBack: 20, breakpointsMax: Number.POSITIVE_INFINITY },
  writeMs: (ttl) => lifetimesMs[ttl],
  marksEnd: false,
};
const responses: Service = {
  wire: "responses",
  model: "gpt-6.2-sol",
  rules: { lookBack: Number.POSITIVE_INFINITY, breakpointsMax: 80 },
  writeMs: () => 1_800_000,
  marksEnd: true,
};

const common = [
  "below-minimum",
  "cold-start",
  "expired",
  "key-changed",
  "messages-changed",
  "none",
  "system-changed",
  "tools-changed",
];

test.each([
  [messages, [...common, "look-back"]],
  [responses, common],
] as const)(
  "the ledger and the simulator agree on every read and on the cause of every miss: $wire",
  (service, all) => {
    const causes = new Set<string>();
    fc.assert(
      fc.property(fc.array(move, { minLength: 2, maxLength: 12 }), fc.constantFrom(40, 400), (moves, tokens) => {
        for (const [ours, theirs, reads] of play(service, moves, tokens)) {
          causes.add(ours);
          expect([ours, reads[0]]).toEqual([theirs, reads[1]]);
        }
      }),
      { numRuns: 500 },
    );
    expect([...causes].sort()).toEqual(all.toSorted());
  },
);

function* play(
  service: Service,
  moves: readonly Move[],
  tokens: number,
): Iterable<readonly [ours: string, theirs: string, reads: readonly [number, number]]> {
  const cache = createPrefixCache();
  const { wire, model, rules } = service;
  const minimumTokens = cacheRuleOf(wire, model).tokensMin;
  let memo = emptyLane;
  let mate: Sight | null = null;
  let names = ["t1", "t2", "s1", "u1"];
  let at = 0;
  for (const [index, step] of moves.entries()) {
    at += step.pauseMs;
    names = nextNames(names, step, index);
    // One slot is the service's own where it marks the end.
    const own = service.marksEnd ? step.marks.slice(0, 3) : step.marks;
    const marks = [...new Set(own.map((back) => names.length - 1 - back))].filter((segment) => segment >= 0);
    const sent = attempt(segs(names.join(" "), tokens), {
      at,
      wire,
      model,
      cacheKey: String(step.key),
      marks: marks.sort((a, b) => a - b).map((segment) => ({ segment, ttl: step.hour ? "1h" : "5m" })),
    });
    const positions = positionsOf(sent, service);
    const states = new Map((mate?.use.left ?? []).map(({ key }) => [key, cache.state(key, at)] as const));
    const use = cache.use(positions, { ...rules, minimumTokens }, at);
    cache.begin(use);
    const sight = sightOf(sent, use, service);
    const theirs = missOf(sight, mate, states);
    mate = sight;
    const { readTokens } = predictCache(memo, sent);
    const whole = tokens * names.length;
    const written = use.write5mTokens + use.write1hTokens + use.writeOtherTokens;
    const usage = {
      cacheRead: use.readTokens,
      cacheWrite5m: use.write5mTokens,
      cacheWrite1h: use.write1hTokens,
      cacheWriteOther: use.writeOtherTokens,
      uncached: whole - use.readTokens - written,
      // Each grown part begins with one assistant segment, the answer.
      output: tokens,
    };
    const settled = settle(memo, sent, received(usage, 0));
    memo = settled.memo;
    const { miss } = settled.row;
    yield [typeof miss === "string" ? miss : miss.cause, theirs?.cause ?? "none", [readTokens, use.readTokens]];
  }
}

function nextNames(names: readonly string[], step: Move, index: number): string[] {
  const kept = names.slice(0, Math.max(4, names.length - step.cut));
  const changed = kept.map((name, at) => (at === step.change ? `${name[0]}${index}x${at}` : name));
  return [...changed, ...Array.from({ length: step.grow }, (_, at) => `${at % 2 === 0 ? "a" : "r"}${index}n${at}`)];
}

function positionsOf(sent: SentAttempt, { writeMs, marksEnd }: Service): readonly Position[] {
  let key = hashOf(sent.cacheKey);
  let tokens = 0;
  return sent.segments.map((segment, index) => {
    key = chain(key, segment.hash);
    tokens += segment.tokens;
    const mark = sent.marks.find((one) => one.segment === index);
    const isEnd = marksEnd && index === sent.segments.length - 1;
    return { key, tokens, writeMs: mark === undefined && !isEnd ? null : writeMs(mark?.ttl ?? "5m") };
  });
}

function sightOf(sent: SentAttempt, use: Sight["use"], { marksEnd }: Service): Sight {
  return {
    model: sent.model,
    lane: "main",
    key: { tools: sent.cacheKey, system: "", messages: "" },
    segments: sent.segments.map(simSegment),
    promptTokens: sent.segments.reduce((sum, segment) => sum + segment.tokens, 0),
    asked: marksEnd || sent.marks.length > 0,
    use,
  };
}

function simSegment({ hash, role, tokens }: NotedSegment, at: number): SimSegment {
  const path = role === "tools" ? `tools.${at}` : role === "system" ? `system.${at}` : `messages.${at}.content.0`;
  return { kind: "text", role, hash, tokens, path, text: "", mark: null };
}
