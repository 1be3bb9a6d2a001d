import { expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { capFault, factTokensMax } from "../../src/memory/facts.ts";

test("law 10 · facts take bounds.factTokensMax at most, and bounds.factWindowPercentMax of a small window", () => {
  expect(factTokensMax(null)).toBe(bounds.factTokensMax);
  expect(factTokensMax(1_000_000)).toBe(bounds.factTokensMax);
  expect(factTokensMax(8_000)).toBe((8_000 * bounds.factWindowPercentMax) / 100);
});

test("one fact more than there is room for is refused with what to do", () => {
  const long = "word ".repeat(95).trim();
  expect(capFault([], long, 200_000)).toBeNull();
  expect(capFault([], long, 1_000)).toContain("varve facts retire");
});
