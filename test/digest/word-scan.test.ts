import fc from "fast-check";
import { expect, test } from "vitest";
import { wordScanner } from "../../src/digest/word-scan.ts";

test("the scanner finds what a plain search for each word finds", () => {
  const words = ["error", "fails", "abab", "\nerr", "Ошиб"];
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
    "Ошиб",
    "ошиб",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(20), (parts, from) => {
      const text = parts.join("");
      const lowered = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
      const places = words.map((word) => lowered.indexOf(word, from)).filter((at) => at >= 0);
      expect(scan(text, from)).toBe(places.length === 0 ? -1 : Math.min(...places));
    }),
    { numRuns: 500 },
  );
});
