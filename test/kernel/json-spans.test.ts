import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import {
  compactText,
  type JsonNode,
  JsonSpanError,
  memberOf,
  rawText,
  scanJson,
  stringAt,
} from "../../src/kernel/json-spans.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("json-spans", () => {
  test("takes what JSON.parse takes, and its compact text parses to the same value", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), fc.constantFrom(0, 1, "\t", " \n\r\t "), (json, indent) => {
        const value: unknown = JSON.parse(json);
        const text = ` ${JSON.stringify(value, null, typeof indent === "string" ? indent.replaceAll(/[^\t ]/g, "") : indent)}\r\n`;
        const node = scanJson(bytes(text));
        expect(compactText(bytes(text), node)).toBe(JSON.stringify(value));
      }),
      { numRuns: 300 },
    );
  });

  test("spans are byte spans, also behind characters of several bytes", () => {
    const source = bytes('{"é😀": "日本", "n": [1.50, -0e+2]}');
    const node = scanJson(source);
    const text = memberOf(node, "é😀");
    const numbers = memberOf(node, "n");
    expect(text && rawText(source, text.span)).toBe('"日本"');
    expect(text && stringAt(source, text.span)).toBe("日本");
    expect(numbers && rawText(source, numbers.span)).toBe("[1.50, -0e+2]");
  });

  test("raw numbers, escapes, repeated and integer-like keys stay", () => {
    const text = '{"b":1.0,"a":"\\u0041\\/","2":12345678901234567890,"1":1E5,"b":2}';
    expect(compactText(bytes(text), scanJson(bytes(text)))).toBe(text);
  });

  test("a member that is left out takes its comma with it, wherever it stands", () => {
    for (const text of [
      '{"x":1,"a":2,"b":3}',
      '{"a":2, "x":1,"b":3}',
      '{"a":2,"b":3,"x":{"y":[1]}}',
      '{"x":1,"a":2,"x":2,"b":3}',
    ]) {
      const source = bytes(text);
      const node = scanJson(source);
      const out =
        node.type === "object" ? node.members.filter((m) => m.key === "x").map((m) => [m.value, null] as const) : [];
      expect(compactText(source, node, new Map<JsonNode, null>(out))).toBe('{"a":2,"b":3}');
    }
  });

  test.each([
    ["", 0],
    ["nul", 0],
    ["[1,]", 3],
    ["[1 2]", 3],
    ['{"a" 1}', 5],
    ["{a:1}", 1],
    ['{"a":1,}', 7],
    ['"a', 0],
    ['"\\x"', 1],
    ['"\\u12g4"', 1],
    ['"a\nb"', 2],
    ["01", 0],
    ["1.", 0],
    ["+1", 0],
    ["1 2", 2],
    ["\ufeff{}", 0],
    ["NaN", 0],
  ])("%j is no JSON and the error says where", (text, offset) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(() => scanJson(bytes(text))).toThrow(JsonSpanError);
    expect(() => scanJson(bytes(text))).toThrow(`at byte ${offset}:`);
  });

  test("law 10 · depth is bounded by jsonDepthMax", () => {
    const nested = (depth: number) => bytes("[".repeat(depth) + "]".repeat(depth));
    expect(scanJson(nested(bounds.jsonDepthMax)).type).toBe("array");
    expect(() => scanJson(nested(bounds.jsonDepthMax + 2))).toThrow("deeper than");
  });
});
