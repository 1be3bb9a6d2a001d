import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readingOf } from "../../bench/questions/reading.ts";
import { firstForm } from "../../src/digest/first-form.ts";
import { brand } from "../../src/kernel/ids.ts";

const form = (text: string, kind: "output" | "range") =>
  firstForm({ tool: "Bash", text, exitCode: null, form: kind, handle: brand("abcdef012345") }).text;

const line = fc.oneof(
  fc.string({ maxLength: 90 }),
  fc.constantFrom(
    "--- FAIL: TestA (0.00s)",
    "ok  \tmod/a\t0.1s",
    "src/a.ts:12:3: error: wrong",
    "diff --git a/a b/a",
    "| a | b |",
    "# Heading",
    "     1→const a = 1;",
    "2026-01-02T03:04:05Z INFO x",
    '{"id": 1}',
    "日本語のテキスト 😀 👩‍👩‍👧‍👦",
    "",
  ),
);
const text = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 60 }))
  .map(([lines, times]) => Array.from({ length: times }, () => lines.join("\n")).join("\n"));
const kind = fc.constantFrom<"output" | "range">("output", "range");

describe("laws of every form", () => {
  test("a line that is shown is the original's line of that number", () => {
    fc.assert(
      fc.property(text, kind, (whole, one) => {
        const original = readingOf(whole).lines;
        for (const { n, text: shown, cut } of readingOf(form(whole, one)).lines)
          if (n !== null && !cut) expect(shown).toBe(original[n - 1]?.text);
      }),
      { numRuns: 150 },
    );
  });

  test("what is said to be left out and what is shown are all there is", () => {
    fc.assert(
      fc.property(text, kind, (whole, one) => {
        const reading = readingOf(form(whole, one));
        if (reading.whole || reading.reshaped !== null) return;
        const original = readingOf(whole);
        expect(reading.total).toEqual({ lines: original.lines.length, chars: [...whole].length });
        const said = /truncated: (\d+) lines? left out/.exec(form(whole, one))?.[1];
        if (said !== undefined) expect(reading.lines.length + Number(said)).toBe(original.lines.length);
      }),
      { numRuns: 150 },
    );
  });

  test("any units at all have a form, the same each time", () => {
    const units = fc
      .tuple(fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 }), fc.integer({ min: 1, max: 400 }))
      .map(([codes, times]) => String.fromCharCode(...codes).repeat(times));
    fc.assert(
      fc.property(units, kind, (whole, one) => {
        const made = form(whole, one);
        expect(form(whole, one)).toBe(made);
        if (made !== whole) expect(made).toContain("abcdef012345");
      }),
      { numRuns: 150 },
    );
  });
});

test("the words of a line are looked for in its beginning only: no line makes a pattern try all its parts", () => {
  for (const unit of ["a", "1", "= 1", "- ", "/a", "_ ", "\t", "1.", "::", "| "]) {
    for (const whole of [unit.repeat(400_000 / unit.length), `= ${unit.repeat(100_000)}\nend`])
      expect(form(whole, "output").length).toBeLessThan(10_000);
  }
}, 20_000);
