import fc from "fast-check";
import { expect, test } from "vitest";
import { columnsOf, fitted, inColumns, wrapped } from "../../src/ledger/columns.ts";

const texts = fc.string({ unit: fc.constantFrom("a", " ", "漢", "é", "🎉"), maxLength: 30 });
const widths = fc.integer({ min: 2, max: 40 });

test("a text that is cut, filled up or wrapped is never wider than asked for, a wide sign at its end included", () => {
  fc.assert(
    fc.property(texts, widths, (text, width) => {
      expect(columnsOf(fitted(text, width))).toBeLessThanOrEqual(width);
      expect(columnsOf(inColumns(text, width))).toBe(width);
      for (const line of wrapped(text, width)) expect(columnsOf(line)).toBeLessThanOrEqual(width);
    }),
  );
});

test("a text that just fits is left whole", () => {
  expect([fitted("abcd", 4), fitted("ab漢", 4), fitted("abc漢", 4)]).toEqual(["abcd", "ab漢", "abc…"]);
});
