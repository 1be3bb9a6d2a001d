import { expect, test } from "vitest";
import { overMark, targetTokens } from "../../src/reduction/mark.ts";
import { costs } from "../support/worked.ts";

const hard = { pressure: "hard", lineTokens: 100_000, headTokens: 10_000 } as const;

test("a request under pressure comes down to 60 % of the line, and what is collapsed or folded to half of it", () => {
  expect(overMark(95_000, costs(hard))).toBe(45_000);
  expect(targetTokens(costs(hard))).toBe(50_000);
});

test("where a large head leaves little of the line, it is a share of what it leaves", () => {
  expect(overMark(25_000, costs({ ...hard, headTokens: 80_000 }))).toBe(105_000 - 86_000);
  expect(targetTokens(costs({ ...hard, headTokens: 80_000 }))).toBe(84_000);
});

test("a request is as long as its pressure says, whatever our estimate of its segments is", () => {
  expect(overMark(1_000, costs(hard))).toBe(40_000);
  expect(overMark(1_000, costs({ ...hard, pressure: "near" }))).toBeCloseTo(100_000 * (0.8 / 0.92) - 60_000);
});

test("less than 4,000 tokens are not worth a break, and near a line below the mark nothing is over it", () => {
  expect(overMark(6_000, costs({ ...hard, lineTokens: 9_000, headTokens: 0 }))).toBe(4_000);
  expect(overMark(1_000, costs({ ...hard, pressure: "near", headTokens: 90_000 }))).toBeLessThanOrEqual(0);
});
