import { describe, expect, test } from "vitest";
import { modelTable } from "../../src/budget/model-table.ts";
import { priceTable } from "../../src/budget/price-table.ts";
import { costOf, lessMoney, moneyText, priceOf, uncachedCostOf } from "../../src/budget/prices.ts";
import { noUsage } from "../../src/kernel/usage.ts";

const at = (iso: string) => Date.parse(iso);
const sunday = at("2026-11-29T12:00:00Z");
const ratesOf = (model: string, ms = sunday, promptTokens = 1_000) => {
  const price = priceOf(model, ms, promptTokens);
  if (price.type !== "known") throw new Error(`${model}: ${price.type}`);
  return price.rates;
};

describe("one price per request, at its time and length", () => {
  test.each([
    { name: "up to 100k tokens the lower tier holds", tokens: 100_000, want: 0.1 },
    { name: "one more and the whole request is dearer", tokens: 100_001, want: 0.5 },
  ])("Haiku 5.5: $name", ({ tokens, want }) => expect(ratesOf("claude-haiku-5-5", sunday, tokens).input).toBe(want));

  test("cached tokens count for the tier", () => {
    const usage = { ...noUsage, uncached: 1, cacheRead: 100_000, output: 1_000 };
    const price = priceOf("claude-haiku-5-5", sunday, 100_001);
    expect(costOf(usage, price)).toMatchObject({
      usd: expect.closeTo((1 * 0.5 + 100_000 * 0.05 + 1_000 * 2.5) / 1e6, 12),
    });
  });

  test.each([
    ["gpt-6-sol", 272_000, 2, 10],
    ["gpt-6-sol", 272_001, 4, 15],
    ["grok-4.6", 199_999, 2, 6],
    ["grok-4.6", 200_000, 4, 12],
  ])("%s at %i prompt tokens: input %d, output %d", (model, tokens, input, output) => {
    expect(ratesOf(model, sunday, tokens)).toMatchObject({ input, output });
  });

  test.each([
    { name: "the last moment of the old price", iso: "2026-10-06T23:59:59.999Z", read: 0.2 },
    { name: "the first moment of the new one", iso: "2026-10-07T00:00:00Z", read: 0.1 },
  ])("Sonnet 5.5, $name", ({ iso, read }) => expect(ratesOf("claude-sonnet-5-5", at(iso)).read).toBe(read));

  test.each([
    { name: "Monday before the first peak", iso: "2026-11-30T00:59:59Z", factor: 1 },
    { name: "Monday in the first peak", iso: "2026-11-30T01:00:00Z", factor: 2 },
    { name: "its last moment", iso: "2026-11-30T03:59:59Z", factor: 2 },
    { name: "between the peaks", iso: "2026-11-30T04:00:00Z", factor: 1 },
    { name: "in the second peak", iso: "2026-11-30T09:59:59Z", factor: 2 },
    { name: "after it", iso: "2026-11-30T10:00:00Z", factor: 1 },
    { name: "Saturday", iso: "2026-11-28T02:00:00Z", factor: 1 },
    { name: "a public holiday on a Thursday", iso: "2026-10-01T02:00:00Z", factor: 1 },
  ])("DeepSeek, $name", ({ iso, factor }) => {
    expect(ratesOf("deepseek-flash", at(iso))).toMatchObject({
      input: 0.15 * factor,
      read: 0.003 * factor,
      output: 0.6 * factor,
    });
  });

  test("an old id is billed as the one that serves it", () => {
    expect(ratesOf("deepseek-v4-flash")).toEqual(ratesOf("deepseek-flash"));
  });
  test("a pinned snapshot is billed as its model", () => {
    expect(ratesOf("claude-haiku-4-5-20251001")).toEqual(ratesOf("claude-haiku-4-5"));
  });
  test("regional and batch multiply every rate", () => {
    const regional = priceOf("claude-opus-5-5", sunday, 1, { terms: "regional" });
    const batch = priceOf("claude-opus-5-5", sunday, 1, { terms: "batch" });
    expect(regional).toMatchObject({ rates: { input: expect.closeTo(4.4), output: expect.closeTo(22) } });
    expect(batch).toMatchObject({ rates: { input: 2, read: 0.1, write1h: 4, output: 10 } });
    expect(priceOf("grok-4.6", sunday, 1, { terms: "batch" })).toMatchObject({ type: "unknown" });
  });
});

describe("law 9 · unknown is unknown, never zero", () => {
  test.each(["my-model", "openrouter/claude-opus-5-5", "claude-opus-9", "", "constructor"])(
    "%j has no price",
    (model) => {
      const price = priceOf(model, sunday, 1_000);
      expect(price.type).toBe("unknown");
      expect(costOf({ ...noUsage, uncached: 5 }, price).type).toBe("unknown");
      expect(moneyText(costOf(noUsage, price))).toBe("unknown");
    },
  );
  test("a local model costs evaluated tokens, no money", () => {
    const price = priceOf("my-model", sunday, 1_000, { terms: "local" });
    expect(costOf({ ...noUsage, uncached: 40, cacheRead: 960, output: 10 }, price)).toEqual({
      type: "evaluated-tokens",
      tokens: 50,
    });
  });
  test("a loss is shown as negative", () => {
    const usage = { ...noUsage, cacheWrite5m: 10_000, output: 10 };
    const price = priceOf("claude-opus-5-5", sunday, 10_000);
    const saved = lessMoney(uncachedCostOf(usage, price), costOf(usage, price));
    expect(saved).toMatchObject({ usd: expect.closeTo(-0.01) });
    expect(moneyText(saved)).toBe("-$0.0100");
  });
  test("reasoning is a part of output and is paid once", () => {
    const price = priceOf("claude-opus-5-5", sunday, 10);
    expect(costOf({ ...noUsage, output: 100, reasoning: 90 }, price)).toMatchObject({ usd: expect.closeTo(0.002) });
  });
  test("each lifetime's writes have their own price", () => {
    const price = priceOf("claude-opus-5-5", sunday, 10);
    const usage = { ...noUsage, cacheWrite5m: 1e6, cacheWrite1h: 1e6 };
    expect(costOf(usage, price)).toMatchObject({ usd: expect.closeTo(5 + 8) });
  });
});

describe("the table", () => {
  test("every row names its source and date, and its tiers ascend from 0", () => {
    for (const row of priceTable) {
      expect(row.source).not.toBe("");
      expect(row.read).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(row.tiers[0]?.promptTokensFrom).toBe(0);
      expect(row.tiers.map((tier) => tier.promptTokensFrom)).toEqual(
        row.tiers.map((tier) => tier.promptTokensFrom).toSorted((a, b) => a - b),
      );
    }
  });
  test("no day has two prices for one model, and none is left out between two", () => {
    const days = ["2026-08-31", "2026-09-01", "2026-10-06", "2026-10-07", "2026-11-29"];
    for (const id of new Set(priceTable.flatMap((row) => row.ids))) {
      for (const day of days) {
        const rows = priceTable.filter(
          (row) => row.ids.includes(id) && (row.from ?? "") <= day && day < (row.until ?? "9999"),
        );
        expect([id, day, rows.length]).toEqual([id, day, 1]);
      }
    }
  });
  test("every priced model has a window", () => {
    const known = new Set(modelTable.map((facts) => facts.id));
    expect(priceTable.flatMap((row) => row.ids).filter((id) => !known.has(id))).toEqual([]);
  });
});
