import fc from "fast-check";
import { expect, test } from "vitest";
import { charsOf } from "../../src/digest/text.ts";

test("characters are code points, wherever in a long text pairs stand", () => {
  const piece = fc.constantFrom("a", "字", "😀", "x".repeat(4_093), "é\n", "\u{20000}");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      expect(charsOf(text)).toBe([...text].length);
    }),
    { numRuns: 200 },
  );
});
