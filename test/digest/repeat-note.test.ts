import fc from "fast-check";
import { expect, test } from "vitest";
import { repeatNote } from "../../src/digest/repeat-note.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";

const noteOf = (text: string, exitCode: number | null = null) =>
  repeatNote({ text, exitCode, handle: handleOf(hashOf(text)), times: 4 });

test("says what it is of, how often that was shown, and how to get at a part: every number is true", () => {
  const text = "first 😀\n\nsecond\nlast line";
  const note = noteOf(text);
  expect(note).toContain('3 lines, 25 characters, from "first 😀" to "last line"');
  expect(note).toContain("exactly this 4 times since the newest message");
  expect(note).toContain(`recall handle=${handleOf(hashOf(text))} startLine=1 endLine=4`);
  expect(note).not.toContain("exit code");
});

test("of one long line a part is named by its column, of many lines not all are offered", () => {
  expect(noteOf("x".repeat(9_000))).toContain(" startLine=1 column=1, or with");
  expect(noteOf("y\n".repeat(900))).toContain(" startLine=1 endLine=40, or with");
});

test("has the failing exit code behind it, and is one short well-formed line, whatever the text is", () => {
  expect(noteOf("a\nb", 2)).toMatch(/\]\n\[exit code 2\]$/);
  expect(noteOf("a\nb", 0)).not.toContain("exit code");
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      const note = noteOf(text);
      expect(note.length).toBeLessThan(700);
      expect(note.isWellFormed()).toBe(true);
      expect(note).not.toMatch(/[\n\r\u2028\u2029]/);
    }),
  );
});
