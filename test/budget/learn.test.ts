import { describe, expect, test } from "vitest";
import { addCounts, type Counts, classify, noCounts } from "../../src/budget/count.ts";
import { carriedTokens, correct, type EstimateState, initialEstimate, predict } from "../../src/budget/learn.ts";
import { noUsage } from "../../src/kernel/usage.ts";
import { countForeign, type Foreign, foreignTexts } from "./foreign.ts";

const counted = (texts: readonly string[]): Counts => texts.map(classify).reduce(addCounts, noCounts);
const prose = counted(["The build failed because the disk was full. ".repeat(40)]);

describe("METRICS 5 · tokens, against tokenizers that are not ours", () => {
  const foreigns: readonly Foreign[] = [
    { name: "a coarse one", rate: 0.7, cjkRate: 0.6, overheadTokens: 0, blockTokens: 0 },
    { name: "a fine one with a hidden overhead", rate: 1.15, cjkRate: 1.3, overheadTokens: 1_350, blockTokens: 5 },
    { name: "one that charges much per block", rate: 0.95, cjkRate: 1, overheadTokens: 700, blockTokens: 12 },
  ];
  test.each(foreigns)(
    "$name: increments p50 <= 10 %, p95 <= 30 %, no prompt above prediction and margin",
    (foreign) => {
      const errors: number[] = [];
      const above: string[] = [];
      for (let seed = 1; seed <= 12; seed++) {
        const run = session(foreign, seed);
        errors.push(...run.errors);
        above.push(...run.above);
      }
      errors.sort((a, b) => a - b);
      expect(above).toEqual([]);
      expect(quantile(errors, 0.5)).toBeLessThanOrEqual(0.1);
      expect(quantile(errors, 0.95)).toBeLessThanOrEqual(0.3);
    },
  );
});

test("one increment that was far off (an image) does not make a whole prompt seem to fill its window", () => {
  const part = counted(["function add(a, b) { return a + b; }\n".repeat(400)]);
  const told = Array.from({ length: 12 }).reduce<EstimateState>(
    (state) => correct(state, { of: "increment", counts: part, actualTokens: 5_000, trust: "reported" }),
    initialEstimate,
  );
  const odd = correct(told, { of: "increment", counts: prose, actualTokens: 1_600, trust: "reported" });
  expect(Math.max(...odd.errors)).toBeGreaterThan(0.5);
  const { tokens, marginTokens } = predict(
    odd,
    null,
    counted(["function add(a, b) { return a + b; }\n".repeat(3_000)]),
  );
  expect(marginTokens / tokens).toBeLessThan(0.45);
});

/** 80 steps: each adds one to four texts to the prompt; the first five teach and are not judged for their error. */
function session(
  foreign: Foreign,
  seed: number,
): { readonly errors: readonly number[]; readonly above: readonly string[] } {
  const text = foreignTexts(seed);
  const head = Array.from({ length: 12 }, () => text()).join("\n");
  let state = initialEstimate;
  let reported: number | null = null;
  const errors: number[] = [];
  const above: string[] = [];
  for (let step = 0; step < 80; step++) {
    const added = Array.from({ length: 1 + ((seed + step) % 4) }, text);
    const counts = counted(reported === null ? [head, ...added] : added);
    const prediction = predict(state, reported, counts);
    const own = added.reduce((sum, part) => sum + countForeign(part, foreign), 0);
    const actual: number = (reported ?? foreign.overheadTokens + countForeign(head, foreign)) + own;
    if (actual > prediction.tokens + prediction.marginTokens)
      above.push(`seed ${seed} step ${step}: ${actual} > ${JSON.stringify(prediction)}`);
    if (step >= 5) errors.push(Math.abs(actual - prediction.tokens) / own);
    state = correct(state, {
      of: reported === null ? "whole" : "increment",
      counts,
      actualTokens: actual - (reported ?? 0),
      trust: "reported",
    });
    reported = actual;
  }
  return { errors, above };
}

describe("what is learned", () => {
  const teach = (state: EstimateState, factor: number, times: number): EstimateState => {
    let next = state;
    for (let at = 0; at < times; at++) {
      next = correct(next, { of: "increment", counts: prose, actualTokens: prose.prose * factor, trust: "reported" });
    }
    return next;
  };

  test("a tokenizer's rate is found within a few reports, and classes not yet seen follow part of the way", () => {
    const state = teach(initialEstimate, 1.4, 8);
    expect(state.factors.prose).toBeCloseTo(1.4, 1);
    expect(state.factors.code).toBeGreaterThan(1.1);
    expect(state.factors.code).toBeLessThan(1.4);
  });
  test("overhead and factors are told apart once increments show the rate", () => {
    const first = correct(initialEstimate, {
      of: "whole",
      counts: prose,
      actualTokens: prose.prose * 1.4 + 1_500,
      trust: "reported",
    });
    const later = teach(first, 1.4, 10);
    expect(Math.abs(later.overheadTokens - 1_500)).toBeLessThan(100);
  });
  test("the margin shrinks with what is known, and never to nothing", () => {
    const before = predict(initialEstimate, 10_000, prose).marginTokens;
    const after = predict(teach(initialEstimate, 1.05, 20), 10_000, prose).marginTokens;
    expect(after).toBeLessThan(before);
    expect(after).toBeGreaterThan(32);
  });
  test("one wild report moves little and is remembered in the margin", () => {
    const calm = teach(initialEstimate, 1, 10);
    const wild = correct(calm, { of: "increment", counts: prose, actualTokens: prose.prose * 2.5, trust: "reported" });
    expect(wild.factors.prose).toBeLessThan(1.35);
    expect(predict(wild, 0, prose).marginTokens).toBeGreaterThan(prose.prose);
  });
  test("short results that miss by their wrapping do not fill the window after a fold", () => {
    const small = counted(["Edited src/App.tsx, line 12."]);
    let state = correct(initialEstimate, {
      of: "whole",
      counts: prose,
      actualTokens: prose.prose * 1.3,
      trust: "reported",
    });
    for (let at = 0; at < 15; at++) {
      state = correct(state, { of: "increment", counts: small, actualTokens: 100, trust: "reported" });
      state = correct(state, { of: "increment", counts: prose, actualTokens: prose.prose * 1.3, trust: "reported" });
    }
    const block = Array<Counts>(8)
      .fill(prose)
      .reduce(addCounts, { ...noCounts, fixed: 30_000 });
    const { tokens, marginTokens } = predict(state, null, block);
    expect(marginTokens).toBeLessThan(tokens * 0.1);
  });
  test("marks around blocks are learned apart from text, from results of a few words", () => {
    const short = { ...counted(["(no output)"]), marks: 16 };
    let state = initialEstimate;
    for (let at = 0; at < 12; at++)
      state = correct(state, { of: "increment", counts: short, actualTokens: short.prose + 36, trust: "reported" });
    expect(Math.abs(predict(state, 0, short).tokens - short.prose - 36)).toBeLessThanOrEqual(4);
    expect(state.factors.prose).toBeCloseTo(1, 1);
  });
  test("an older log knows nothing of marks: its factors hold, its certainty begins anew", () => {
    const { code, json, prose: words, cjk } = teach(initialEstimate, 1.4, 8).factors;
    const old: EstimateState = {
      overheadTokens: 900,
      factors: { code, json, prose: words, cjk },
      covariance: Array.from({ length: 15 }, () => 1e-6),
      errors: [],
    };
    expect(predict(old, 0, prose).tokens).toBe(Math.ceil(prose.prose * words));
    const next = correct(old, { of: "increment", counts: prose, actualTokens: prose.prose, trust: "reported" });
    expect(next.factors.prose).toBeLessThan(words - 0.05);
    expect(next.covariance).toHaveLength(initialEstimate.covariance.length);
  });
  test("errors are kept to the newest 50", () => {
    expect(teach(initialEstimate, 1.1, 80).errors).toHaveLength(50);
  });
  test.each([
    { name: "a local server's evaluated count", observation: { actualTokens: 100, trust: "evaluated" } },
    { name: "a request whose reasoning was dropped", observation: { actualTokens: 100, trust: "reasoning-dropped" } },
    { name: "a history the server edited", observation: { actualTokens: 100, trust: "server-edited" } },
    { name: "a report that cannot be the same text", observation: { actualTokens: 5, trust: "reported" } },
    { name: "a report far beyond it", observation: { actualTokens: 90_000, trust: "reported" } },
    { name: "a report of nothing", observation: { actualTokens: 0, trust: "reported" } },
  ] as const)("nothing is learned from $name", ({ observation }) => {
    expect(correct(initialEstimate, { of: "increment", counts: prose, ...observation })).toBe(initialEstimate);
  });
  test("factors and overhead stay within their clamps whatever is reported", () => {
    let state = initialEstimate;
    for (let at = 0; at < 200; at++) {
      const of = at % 2 === 0 ? "whole" : "increment";
      state = correct(state, {
        of,
        counts: prose,
        actualTokens: prose.prose * (at % 3 === 0 ? 3.4 : 0.35),
        trust: "reported",
      });
      for (const factor of Object.values(state.factors)) {
        expect(factor).toBeGreaterThanOrEqual(0.3);
        expect(factor).toBeLessThanOrEqual(4);
      }
      expect(state.overheadTokens).toBeGreaterThanOrEqual(0);
      expect([...state.covariance, ...state.errors].every(Number.isFinite)).toBe(true);
    }
  });
  test("the state survives its way through the log", () => {
    const state = teach(initialEstimate, 1.3, 3);
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });
});

describe("what is predicted", () => {
  test("before any report it is the plain estimate, with a margin no larger than it", () => {
    const { tokens, marginTokens } = predict(initialEstimate, null, prose);
    expect(tokens).toBe(Math.ceil(prose.prose));
    expect(marginTokens).toBeLessThanOrEqual(prose.prose + 200);
  });
  test("known tokens are taken as they are", () => {
    expect(predict(initialEstimate, 500, { ...noCounts, fixed: 1_600 }).tokens).toBe(2_100);
  });
  test("C-017 · pending results are in it before they were ever reported", () => {
    const results = counted(["word ".repeat(220), "word ".repeat(220), "word ".repeat(220)]);
    expect(predict(initialEstimate, 600, results).tokens).toBeGreaterThan(1_000);
  });
  test.each([
    { name: "kept reasoning comes again", reasoning: "kept", want: 1_150 },
    { name: "reasoning that is left out does not", reasoning: "left-out", want: 1_050 },
  ] as const)("$name", ({ reasoning, want }) => {
    const usage = { ...noUsage, uncached: 100, cacheRead: 900, output: 150, reasoning: 100 };
    expect(carriedTokens(usage, reasoning)).toBe(want);
  });
});

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}
