import { describe, expect, test } from "vitest";
import { modelTable } from "../../src/budget/model-table.ts";
import type { PriceRow } from "../../src/budget/price-row.ts";
import { priceTable } from "../../src/budget/price-table.ts";
import { priceRowFor } from "../../src/budget/prices.ts";

const ids = [...new Set(priceTable.map(({ id }) => id))];
const hold = ({ from, until }: PriceRow, day: string) => (from ?? "") <= day && (until === null || day < until);

/** That the file has the right form is checked by the parser when this test imports it. */
describe("the price list", () => {
  test("every row names its source and the day it was read", () => {
    for (const { source, read } of priceTable) {
      expect(source).not.toBe("price-list.json");
      expect(read).toMatch(/^2026-\d\d-\d\d$/);
    }
  });
  test("no day has two prices for one model, and none lies between two", () => {
    const turns = priceTable.flatMap(({ from, until }) => [from, until].filter((day) => day !== null));
    const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
    const days = ["2026-01-01", "2030-01-01", ...turns, ...turns.map(dayBefore)];
    for (const id of ids)
      for (const day of days)
        expect([id, day, priceTable.filter((row) => row.id === id && hold(row, day)).length]).toEqual([id, day, 1]);
  });
  test("an id that is billed as another leads to a price", () => {
    for (const { id, price } of priceTable)
      if (price.type === "billed-as")
        expect(priceRowFor(id, Date.parse("2026-11-29T00:00:00Z"))?.price.type).toBe("listed");
  });
  test("every model that has a price has a window, and the other way round", () => {
    const known = modelTable.map(({ id }) => id);
    expect(ids.filter((id) => !known.includes(id))).toEqual([]);
    expect(known.filter((id) => !ids.includes(id))).toEqual([]);
  });
  test("reads are never dearer than input, output never cheaper", () => {
    for (const { id, price } of priceTable)
      for (const tier of price.type === "listed" ? price.tiers : [])
        expect([id, tier.read <= tier.input && tier.input <= tier.output]).toEqual([id, true]);
  });
});
