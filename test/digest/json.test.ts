import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstForm } from "../../src/digest/first-form.ts";
import { jsonForm } from "../../src/digest/json.ts";
import { brand } from "../../src/kernel/ids.ts";

const none: ReadonlySet<string> = new Set();
const formed = (value: unknown, charsMax: number) => jsonForm(JSON.stringify(value, null, 2), none)(charsMax);

test("white space goes first, and nothing else", () => {
  const value = { a: [1, 2.5, "x  y"], b: { c: null } };
  expect(formed(value, 1_000)).toEqual({ text: JSON.stringify(value), said: "white space left out" });
});

test("JSON that stands escaped in a string is written as what it is", () => {
  const inner = { rows: Array.from({ length: 50 }, (_, id) => ({ id })) };
  const shown = formed({ content: [{ type: "text", text: JSON.stringify(inner, null, 2) }] }, 500);
  expect(shown?.text).toContain('"text":{"rows":[{"id":0}');
});

test("of a list the first, the last and the odd one out stay, with the count of the others", () => {
  const rows = Array.from({ length: 400 }, (_, id) => ({ id, status: id === 200 ? "failed" : "done", note: `n${id}` }));
  const shown = formed(rows, 800)?.text ?? "";
  expect(shown).toContain('"id":0');
  expect(shown).toContain('"id":399');
  expect(shown).toContain('{"id":200,"status":"failed","note":"n200"}');
  const gaps = [...shown.matchAll(/… (\d+) more items left out …/g)].map(([, count]) => Number(count));
  const kept = [...shown.matchAll(/"id":/g)].length;
  expect(gaps.reduce((sum, count) => sum + count, kept)).toBe(400);
});

test("what was asked for stays", () => {
  const rows = Array.from({ length: 400 }, (_, id) => ({ name: `name${id}` }));
  expect(jsonForm(JSON.stringify(rows), new Set(["name222"]))(600)?.text).toContain("name222");
});

describe("numbers are never written in another way", () => {
  const numbers = ["12345678901234567890", "1.10", "1e400", "-0", "0.1234567890123456789"];
  test.each(numbers)("%s stays where only white space goes", (number) => {
    expect(jsonForm(`{ "a": ${number} }`, none)(1_000)?.text).toBe(`{"a":${number}}`);
  });
  test.each(numbers)("%s is shown by lines where more must go", (number) => {
    expect(jsonForm(`{ "a": ${number}, "b": "${"x".repeat(2_000)}" }`, none)(1_000)).toBeNull();
  });
  test("in a string they are only text", () => {
    const text = `{ "a": "v: 1.10, 12345678901234567890", "b": "${"x".repeat(2_000)}" }`;
    expect(jsonForm(text, none)(1_000)).not.toBeNull();
  });
});

test("where only white space goes, keys keep their order, repeated ones and escapes stay", () => {
  const text = '{ "2": 1, "1": "\\u0041 \\/ \\" x", "a" : [ 1 , 2 ],\n "a": null }';
  expect(jsonForm(text, none)(1_000)).toEqual({
    text: '{"2":1,"1":"\\u0041 \\/ \\" x","a":[1,2],"a":null}',
    said: "white space left out",
  });
});

test("what a parser makes of keys is said where it may show", () => {
  const rows = Array.from({ length: 400 }, (_, id) => `"k${id}":"${"x".repeat(20)}"`);
  expect(jsonForm(`{${rows.join(",")},"7":1,"7":2}`, none)(800)?.said).toContain(
    "keys as parsed, the last of equal ones",
  );
});

test("what is shown is JSON, within its limit, and every value without a note is the original's", () => {
  const leaf = fc.oneof(fc.string({ maxLength: 300 }), fc.integer(), fc.boolean(), fc.constant(null));
  const value = fc.oneof(
    fc.array(fc.dictionary(fc.string({ maxLength: 6 }), leaf), { maxLength: 200 }),
    fc.array(leaf, { maxLength: 100 }),
  );
  fc.assert(
    fc.property(value, (one) => {
      const text = JSON.stringify(one, null, 1);
      const shown = jsonForm(text, none)(700);
      if (shown === null) return;
      expect(shown.text.length).toBeLessThanOrEqual(700);
      expect(() => JSON.parse(shown.text)).not.toThrow();
    }),
    { numRuns: 100 },
  );
});

test("the form names the whole size, the way back and what was done", () => {
  const text = JSON.stringify(
    Array.from({ length: 400 }, (_, id) => ({ id, text: "some words" })),
    null,
    2,
  );
  const shown = firstForm({ tool: "Bash", text, exitCode: null, form: "output", handle: brand("abcdef012345") }).text;
  expect(shown).toMatch(
    /\n\[1602 lines, \d+ characters in all; the rest: recall handle=abcdef012345 startLine=1 endLine=1602; truncated: shown as JSON, 400 items, whole ones by jsonPath=\$\[59:109\]; long strings and lists shortened, keys as parsed, the last of equal ones; sha256 abcdef012345\]$/,
  );
});
