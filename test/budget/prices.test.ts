import { describe, expect, test } from "vitest";
import { parseModelFile } from "../../src/budget/model-file.ts";
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
    { model: "claude-haiku-5-5", edge: 100_001, below: [0.1, 0.125, 0.2, 0.01, 0.5], from: [0.5, 0.625, 1, 0.05, 2.5] },
    { model: "gpt-6.2-astra", edge: 272_001, below: [8, 10, 10, 0.4, 40], from: [16, 20, 20, 0.8, 60] },
    { model: "gpt-6-luna", edge: 272_001, below: [0.1, 0.125, 0.125, 0.01, 0.5], from: [0.2, 0.25, 0.25, 0.02, 0.75] },
    { model: "gpt-5.5", edge: 272_001, below: [5, 5, 5, 0.5, 30], from: [10, 10, 10, 1, 45] },
    { model: "gemini-3.1-pro-preview", edge: 200_001, below: [2, 2, 2, 0.2, 12], from: [4, 4, 4, 0.4, 18] },
    { model: "gemini-2.5-pro", edge: 200_001, below: [1.25, 1.25, 1.25, 0.125, 10], from: [2.5, 2.5, 2.5, 0.25, 15] },
    { model: "grok-4.6", edge: 200_000, below: [2, 2, 2, 0.5, 6], from: [4, 4, 4, 1, 12] },
  ])("from $edge tokens on the whole request of $model is dearer", ({ model, edge, below, from }) => {
    const five = (tokens: number) => {
      const { input, write5m, write1h, read, output } = ratesOf(model, sunday, tokens);
      return [input, write5m, write1h, read, output];
    };
    expect(five(edge - 2)).toEqual(below);
    expect(five(edge - 1)).toEqual(below);
    expect(five(edge)).toEqual(from);
    expect(five(edge + 1)).toEqual(from);
  });

  test.each([
    { model: "claude-opus-5-5", write5m: 5, write1h: 8, read: 0.2, why: "read at 0.05 x" },
    { model: "claude-sonnet-5-5", write5m: 2.5, write1h: 4, read: 0.1, why: "read at 0.05 x since October" },
    { model: "claude-fable-5-1", write5m: 12.5, write1h: 20, read: 0.25, why: "read at 0.025 x" },
    { model: "claude-mythos-5-1", write5m: 12.5, write1h: 20, read: 0.25, why: "read at 0.025 x" },
    { model: "claude-fable-5-2", write5m: 10, write1h: 16, read: 0.2, why: "read at 0.025 x" },
    { model: "claude-mythos-5", write5m: 12.5, write1h: 20, read: 1, why: "read at 0.1 x" },
    { model: "claude-haiku-4-5", write5m: 1.25, write1h: 2, read: 0.1, why: "read at 0.1 x" },
  ])("$model: writes per lifetime, and $why", ({ model, write5m, write1h, read }) => {
    expect(ratesOf(model)).toMatchObject({ write5m, write1h, read });
  });

  test("cached tokens count for the tier", () => {
    const usage = { ...noUsage, uncached: 1, cacheRead: 100_000, output: 1_000 };
    const price = priceOf("claude-haiku-5-5", sunday, 100_001);
    expect(costOf(usage, price)).toMatchObject({
      usd: expect.closeTo((1 * 0.5 + 100_000 * 0.05 + 1_000 * 2.5) / 1e6, 12),
    });
  });

  test.each([
    { model: "claude-sonnet-5-5", day: "2026-10-07", before: [2, 0.2, 10], since: [2, 0.1, 10] },
    { model: "gpt-5.6-sol", day: "2026-09-01", before: [5, 0.5, 30], since: [4, 0.4, 20] },
    { model: "gemini-4-argon", day: "2026-12-01", before: [2, 0.1, 10], since: [4, 0.2, 20] },
    { model: "gemini-3.6-flash", day: "2027-01-01", before: [0.75, 0.075, 3.75], since: [1.5, 0.15, 7.5] },
    { model: "gemini-3.7-flash", day: "2027-01-01", before: [0.75, 0.075, 3.75], since: [1.5, 0.15, 7.5] },
    { model: "gemini-3.8-flash", day: "2027-01-01", before: [0.75, 0.075, 3.75], since: [1.5, 0.15, 7.5] },
  ])("$model changes its price with the UTC day $day", ({ model, day, before, since }) => {
    const midnight = at(`${day}T00:00:00Z`);
    const three = (ms: number) => {
      const { input, read, output } = ratesOf(model, ms);
      return [input, read, output];
    };
    expect(three(midnight - 1)).toEqual(before);
    expect(three(midnight)).toEqual(since);
    expect(three(midnight + 1)).toEqual(since);
  });

  test.each([
    { name: "Sunday at a peak hour", iso: "2026-11-29T02:00:00Z", factor: 1 },
    { name: "Monday before the first peak", iso: "2026-11-30T00:59:59.999Z", factor: 1 },
    { name: "Monday in the first peak", iso: "2026-11-30T01:00:00Z", factor: 2 },
    { name: "its last moment", iso: "2026-11-30T03:59:59.999Z", factor: 2 },
    { name: "between the peaks", iso: "2026-11-30T04:00:00Z", factor: 1 },
    { name: "before the second", iso: "2026-11-30T05:59:59.999Z", factor: 1 },
    { name: "in the second peak", iso: "2026-11-30T06:00:00Z", factor: 2 },
    { name: "its last moment", iso: "2026-11-30T09:59:59.999Z", factor: 2 },
    { name: "after it", iso: "2026-11-30T10:00:00Z", factor: 1 },
    { name: "Friday in the second peak", iso: "2026-11-27T09:00:00Z", factor: 2 },
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
  test.each([
    ["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
    ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5"],
    ["gpt-6.2-sol-2026-11-17", "gpt-6.2-sol"],
    ["gemini-2.5-pro-latest", "gemini-2.5-pro"],
  ])("the pinned snapshot %s is billed as its model", (snapshot, model) => {
    expect(ratesOf(snapshot)).toEqual(ratesOf(model));
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
  test.each(["my-model", "openrouter/claude-opus-5-5", "claude-opus-9", "gemini-3.1-pro", "", "constructor"])(
    "%j has no price",
    (model) => {
      const price = priceOf(model, sunday, 1_000);
      expect(price.type).toBe("unknown");
      expect(costOf({ ...noUsage, uncached: 5 }, price).type).toBe("unknown");
      expect(moneyText(costOf(noUsage, price))).toBe("unknown");
    },
  );
  test.each(["gemini-4-carbon", "claude-mythos-5-2", "gpt-6.1-terra"])(
    "%s is known to exist, its price is not public: said with the source",
    (model) => {
      expect(priceOf(model, sunday, 1_000)).toMatchObject({
        type: "unknown",
        why: expect.stringMatching(/is not public \(.+\)/),
      });
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

describe("the user's own rows win", () => {
  const overrides = (models: readonly unknown[]) => {
    const parsed = parseModelFile(JSON.stringify({ models }));
    if (parsed.type !== "ok") throw new Error(parsed.why);
    return parsed.settings.prices;
  };
  const price = { input: 1, read: 0.5, output: 2 };
  const own = (model: string, models: readonly unknown[], ms = sunday) =>
    priceOf(model, ms, 10, { overrides: overrides(models) });

  test("over the table, also for a snapshot of the model", () => {
    const models = [{ id: "claude-haiku-4-5", price }];
    expect(own("claude-haiku-4-5", models)).toMatchObject({ rates: { input: 1 }, source: "models.json" });
    expect(own("claude-haiku-4-5-20251001", models)).toMatchObject({ rates: { input: 1 } });
  });
  test("outside of their days the table holds", () => {
    const models = [{ id: "claude-haiku-4-5", price, until: "2026-11-29" }];
    expect(own("claude-haiku-4-5", models, at("2026-11-28T23:59:59Z"))).toMatchObject({ rates: { output: 2 } });
    expect(own("claude-haiku-4-5", models)).toMatchObject({ rates: { output: 5 } });
  });
  test("a name of one's own is billed as the model behind it", () => {
    const models = [{ id: "work-proxy", billedAs: "claude-opus-5-5" }];
    expect(own("work-proxy", models)).toMatchObject({ type: "known", model: "claude-opus-5-5", rates: { input: 4 } });
  });
  test("what served as another id may become a model of its own", () => {
    expect(own("deepseek-v4-flash", [{ id: "deepseek-v4-flash", price }])).toMatchObject({ rates: { input: 1 } });
    expect(own("deepseek-v4-flash", [{ id: "deepseek-flash", price }])).toMatchObject({ rates: { input: 1 } });
  });
  test("names that lead in a circle are unknown", () => {
    const models = [
      { id: "a", billedAs: "b" },
      { id: "b", billedAs: "a" },
    ];
    expect(own("a", models)).toMatchObject({ type: "unknown" });
  });
  test("a price that the user calls unknown is unknown", () => {
    expect(own("claude-opus-5-5", [{ id: "claude-opus-5-5", price: "unknown" }])).toMatchObject({ type: "unknown" });
  });
  test("peaks and multipliers can be said there too", () => {
    const peak = { factor: 3, days: [0], hours: [[12, 13]] };
    const prices = overrides([{ id: "m", price, peak, regional: 1.5 }]);
    const input = (options: object, ms = sunday) => priceOf("m", ms, 10, { overrides: prices, ...options });
    expect(input({})).toMatchObject({ rates: { input: 3 } });
    expect(input({}, sunday + 3_600_000)).toMatchObject({ rates: { input: 1 } });
    expect(input({ terms: "regional" })).toMatchObject({ rates: { input: 4.5 } });
    expect(input({ terms: "batch" })).toMatchObject({ type: "unknown" });
  });
});
