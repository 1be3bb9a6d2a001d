import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classify, estimate, totalOf } from "../../src/budget/count.ts";

const mixed = 'const 名前 = "hello 😀"; // 안녕하세요\n\tif (x >= 10) return;\n';

describe("C-073 · one estimator that does not undercount CJK and emoji", () => {
  test.each([
    { name: "Han signs", text: "字".repeat(160), from: 96, to: 240 },
    { name: "Hangul", text: "안녕하세요".repeat(50), from: 150, to: 375 },
    { name: "kana", text: "こんにちはカタカナ".repeat(20), from: 108, to: 270 },
    { name: "emoji count one or more each", text: "😀".repeat(40), from: 40, to: 120 },
    { name: "emoji of several code points", text: "👩‍👩‍👧".repeat(10), from: 30, to: 100 },
    { name: "a ruler is a few", text: "=".repeat(160), from: 2, to: 8 },
    { name: "a drawn line is not a token a sign", text: "─".repeat(160), from: 8, to: 32 },
    { name: "other signs are", text: "→".repeat(160), from: 100, to: 320 },
    { name: "one letter over and over is about characters / 4", text: "a".repeat(160), from: 30, to: 50 },
    {
      name: "English is about characters / 4",
      text: "The quick brown fox jumps over the lazy dog. ".repeat(20),
      from: 170,
      to: 280,
    },
    { name: "white space is not free", text: " ".repeat(200_000), from: 1_000, to: 50_000 },
    { name: "line ends are not free", text: "\n".repeat(200_000), from: 1_000, to: 100_000 },
    { name: "nothing is nothing", text: "", from: 0, to: 0 },
    { name: "anything is something", text: "x", from: 1, to: 2 },
  ])("$name", ({ text, from, to }) => {
    expect(estimate(text)).toBeGreaterThanOrEqual(from);
    expect(estimate(text)).toBeLessThanOrEqual(to);
  });

  const alphabet = [...'aAzZ09 \t\n\r{}[]":,;.=_-/<─字あ한😀é→', "👩‍👩‍👧", "\ud83d", "\ude00", "\u0000"];
  const texts = fc.oneof(
    fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 60 }),
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.tuple(fc.constantFrom(...alphabet), fc.nat(300)).map(([sign, times]) => sign.repeat(times)),
  );

  test("two parts together are never more than one token above the two apart", () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => estimate(a + b) <= estimate(a) + estimate(b) + 1),
      { numRuns: 2_000 },
    );
  });

  test("it never falls as text grows", () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => estimate(a + b) >= estimate(a)),
      { numRuns: 2_000 },
    );
    for (let end = 1; end <= mixed.length; end++) {
      expect(estimate(mixed.slice(0, end))).toBeGreaterThanOrEqual(estimate(mixed.slice(0, end - 1)));
    }
  });

  test("a text and its parts by class are the same number", () => {
    fc.assert(fc.property(texts, (text) => estimate(text) === Math.ceil(totalOf(classify(text)))));
  });
});

test.each(["a", "A", "0", " ", "\n", "=", "字", "😀", "é"])("a megabyte of %j is counted in one pass", (sign) => {
  const long = sign.repeat(1_000_000);
  const half = estimate(long.slice(0, long.length / 2));
  expect(Math.abs(estimate(long) - 2 * half)).toBeLessThanOrEqual(2);
});

test.each([
  { name: "JSON lines", text: '{\n  "name": "varve",\n  "files": ["dist", "README.md"]\n}\n', kind: "json" },
  { name: "minified JSON", text: '{"a":[1,2,3],"b":{"c":"d"}}', kind: "json" },
  {
    name: "source code",
    text: "export function add(a: number, b: number): number {\n  return a + b;\n}\n",
    kind: "code",
  },
  { name: "plain words", text: "The build failed because the disk was full.\nTry again later.\n", kind: "prose" },
  { name: "Chinese", text: "构建失败，因为磁盘已满。", kind: "cjk" },
] as const)("$name count as $kind", ({ text, kind }) => {
  const counts = classify(text);
  expect(counts[kind]).toBeGreaterThan(totalOf(counts) * 0.8);
});
