import fc from "fast-check";
import { expect, test } from "vitest";
import { indexLines } from "../../src/digest/line-index.ts";
import { charsOf, cutBefore, endWithin, indexOfChar, utf8Bytes } from "../../src/digest/text.ts";

const anyText = fc
  .array(fc.constantFrom("a", "bc", "\n", "\n\n", "字", "😀"), { maxLength: 400 })
  .map((parts) => parts.join(""));

test("an index of lines agrees with splitting the text", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const split = text.split("\n");
      if (split.at(-1) === "") split.pop();
      const lines = indexLines(text);
      expect(lines.count).toBe(split.length);
      split.forEach((line, index) => {
        expect(lines.at(index)).toBe(line);
        expect(lines.lineAt(lines.startOf(index))).toBe(index);
        expect(lines.lineAt(lines.startOf(index) + line.length)).toBe(index);
      });
      expect([lines.at(-1), lines.at(split.length), lines.startOf(split.length)]).toEqual(["", "", text.length]);
    }),
  );
});

test("characters are code points, bytes are those of UTF-8", () => {
  fc.assert(
    fc.property(anyText, fc.nat(400), (text, n) => {
      expect(charsOf(text)).toBe([...text].length);
      expect(utf8Bytes(text)).toBe(new TextEncoder().encode(text).length);
      expect(text.slice(0, indexOfChar(text, n))).toBe([...text].slice(0, n).join(""));
      const end = endWithin(text, 0, n);
      expect(text.slice(0, end).isWellFormed()).toBe(true);
      if (n >= 4) expect(utf8Bytes(text.slice(0, end))).toBeLessThanOrEqual(n);
    }),
  );
});

test("a cut never parts flags, families, skin tones or marks", () => {
  for (const one of ["🇩🇪", "👩‍👩‍👧‍👦", "👍🏽", "e\u0301\u0302", "\r\n"]) {
    const text = one.repeat(500);
    for (const index of [1, 2, 3, 333, 777, 1_001]) expect(cutBefore(text, index) % one.length).toBe(0);
  }
});
