import { expect, test } from "vitest";
import { spacedJson } from "../../src/import/spaced-json.ts";

test.each([
  [{ a: 1, b: [1, 2] }, '{"a": 1, "b": [1, 2]}'],
  [{}, "{}"],
  [[], "[]"],
  [{ a: { b: [] }, c: null }, '{"a": {"b": []}, "c": null}'],
  [{ text: 'say "hi", {a: b}\n' }, '{"text": "say \\"hi\\", {a: b}\\n"}'],
  [{ größe: "ß ドライ" }, '{"größe": "ß ドライ"}'],
  [{ t: true, n: 0.5 }, '{"t": true, "n": 0.5}'],
  ["plain", '"plain"'],
])("%j is spaced between its parts and nowhere else", (value, text) => {
  expect(spacedJson(value)).toBe(text);
});
