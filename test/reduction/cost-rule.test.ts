import { describe, expect, test } from "vitest";
import { type Batch, batchesOf, bestBatch, type Due, type Terms } from "../../src/reduction/cost-rule.ts";

const terms = (more: Partial<Terms> = {}): Terms => ({
  rates: { read: 0.1, write: 1.25, output: 5 },
  recallCost: 10_000,
  cache: "warm",
  ...more,
});
const due = (savedTokens: number, dueSteps: number, behindTokens: number, more: Partial<Due> = {}): Due => ({
  savedTokens,
  dueSteps,
  expectedRecalls: 0,
  behindTokens,
  reasoningTokens: 0,
  ...more,
});
const best = (list: readonly Due[], given: Partial<Terms> = {}, min = 0) =>
  bestBatch(batchesOf(list, terms(given)), min);

describe("a batch goes when its rent has reached its price", () => {
  // Behind the cut 10,000 tokens stay: (1.25 - 0.1) x 10,000 = 11,500; rent is 500 a step.
  const rows: readonly (readonly [steps: number, goes: boolean])[] = [
    [22, false],
    [23, true],
    [24, true],
  ];
  test.each(rows)("after %d steps: %s", (steps, goes) => {
    expect(best([due(5_000, steps, 15_000)]) !== null).toBe(goes);
  });

  test("the reasoning behind the cut is lost at the price of writing, and is not written again", () => {
    const [batch] = batchesOf([due(5_000, 20, 15_000, { reasoningTokens: 2_000 })], terms());
    expect(batch).toMatchObject({ behindTokens: 8_000, reasoningTokens: 2_000, rent: 10_000 });
    expect(batch?.price).toBeCloseTo(1.15 * 8_000 + 1.25 * 2_000);
  });

  test("what may be asked for again is a part of the price", () => {
    expect(best([due(5_000, 24, 15_000, { expectedRecalls: 0.04 })])).not.toBe(null);
    expect(best([due(5_000, 24, 15_000, { expectedRecalls: 0.06 })])).toBe(null);
  });

  test("less than the smallest batch stays", () => {
    expect(best([due(3_999, 900, 5_000)], {}, 4_000)).toBe(null);
    expect(best([due(4_000, 900, 5_000)], {}, 4_000)?.savedTokens).toBe(4_000);
  });
});

describe("the cut that gains most is taken", () => {
  const old = due(1_000, 10, 60_000);
  const large = due(6_000, 40, 12_000);
  const small = due(1_000, 2, 3_000);

  test("what is old and far in front waits while going back to it costs more than it pays", () => {
    expect(best([old, large, small])).toMatchObject({ from: 1, savedTokens: 7_000 });
  });

  test("and goes with the others once it does pay", () => {
    expect(best([due(9_000, 80, 60_000), large, small])?.from).toBe(0);
  });

  test("of equal gains the newest cut is taken", () => {
    expect(best([due(1_000, 0, 7_000), large].map((one) => ({ ...one, behindTokens: one.savedTokens })))?.from).toBe(1);
  });

  test("none of them, where none pays", () => {
    expect(best([old, small])).toBe(null);
    expect(best([])).toBe(null);
  });
});

describe("prices decide", () => {
  const list = [due(8_000, 32, 30_000)];
  const rows: readonly (readonly [read: number, write: number, goes: boolean])[] = [
    [0.1, 1.25, true],
    [0.05, 1.25, false],
    [0.025, 1.25, false],
    [0.1, 2, false],
    [0.1, 1, true],
    [1, 1, true],
    [0, 1.25, false],
    [0, 0, false],
  ];
  test.each(rows)("reads at %d, writes at %d: %s", (read, write, goes) => {
    expect(best(list, { rates: { read, write, output: 5 } }) !== null).toBe(goes);
  });

  test("where the cache is gone only lost reasoning and recalls are a price, and writing again is saved", () => {
    const cold = (more: Partial<Due>) => best([due(2_000, 1, 90_000, more)], { cache: "cold" });
    expect(cold({})).toMatchObject({ price: 0, rent: 2_000 * (0.1 + 1.25) } satisfies Partial<Batch>);
    expect(cold({ reasoningTokens: 5_000 })).toBe(null);
    expect(cold({ expectedRecalls: 0.5 })).toBe(null);
  });
});
