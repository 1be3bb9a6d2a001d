import fc from "fast-check";
import { expect, test } from "vitest";
import { wordScanner } from "../../src/digest/word-scan.ts";

test("the scanner finds what a plain search for each word finds", () => {
  const words = ["error", "fails", "babab", "\nerer", "Ошибк"];
  const scan = wordScanner(words);
  const piece = fc.constantFrom(
    "e",
    "r",
    "o",
    "er",
    "RO",
    "fail",
    "s",
    "ab",
    "\n",
    "字",
    "Ā",
    "error",
    "FAILS",
    "Ошибк",
    "ошибк",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(20), (parts, from) => {
      const text = parts.join("");
      const lowered = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
      const bytes = Buffer.from(`${text}    `, "latin1");
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      const found = scan({ text, at: 0, length: text.length, bytes: view }, from);
      const places = words.map((word) => ({ at: lowered.indexOf(word, from), length: word.length }));
      const there = places.filter(({ at }) => at >= 0);
      expect(found >= 0).toBe(there.length > 0);
      if (found < 0) return;
      expect(words.some((word) => lowered.indexOf(word, found) === found)).toBe(true);
      // Nothing that ends in front of what was found was passed over.
      expect(Math.min(...there.map(({ at, length }) => at + length))).toBeGreaterThan(found);
    }),
    { numRuns: 500 },
  );
});
