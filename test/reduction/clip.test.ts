import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { clipResult } from "../../src/reduction/clip.ts";

const handle = handleOf(hashOf("x"));

describe("clipResult", () => {
  test("leaves what fits alone", () => expect(clipResult("short", 10, handle)).toBeNull());

  test("keeps beginning and end, says how much is missing and how to get it", () => {
    const text = `begin ${"middle ".repeat(2_000)}end`;
    const clipped = clipResult(text, 200, handle) ?? expect.fail("not clipped");
    expect(clipped.startsWith("begin")).toBe(true);
    expect(clipped.endsWith("end")).toBe(true);
    const [, left] = /\[(\d+) characters left out; recall handle=[0-9a-f]{12} returns all\]/.exec(clipped) ?? [];
    const note = `\n[${left} characters left out; recall handle=${handle} returns all]\n`;
    expect(Number(left) + clipped.length - note.length).toBe(text.length);
  });

  test("with no room at all it is the note alone, where that is smaller", () => {
    expect(clipResult("word ".repeat(500), 0, handle)).toMatch(/^\n\[2500 characters left out/);
    expect(clipResult("two words", 0, handle)).toBeNull();
  });

  test("fits, is smaller, splits no pair, and is done in one go (any text)", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 200, maxLength: 4_000 }),
        fc.integer({ min: 40, max: 400 }),
        (text, max) => {
          const clipped = clipResult(text, max, handle);
          if (clipped === null) return;
          expect(estimate(clipped)).toBeLessThanOrEqual(max);
          expect(estimate(clipped)).toBeLessThan(estimate(text));
          expect(clipped.isWellFormed()).toBe(text.isWellFormed() || clipped.isWellFormed());
          expect(clipResult(clipped, max, handle)).toBeNull();
        },
      ),
      { numRuns: 200 },
    );
  });
});
