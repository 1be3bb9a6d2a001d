import { describe, expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import { exactCounter, piecesOf } from "../../src/budget/exact.ts";

const words = "Nothing of what entered is lost, and what is shown says what is missing. ";

describe("exact counts", () => {
  test("known texts have their o200k counts", async () => {
    const exact = await exactCounter();
    expect(exact("hello world")).toBe(2);
    expect(exact("")).toBe(0);
  });

  test("pieces do not change the count of ordinary text", async () => {
    const exact = await exactCounter();
    // All but the last blank belong to the word behind them.
    expect(exact(words.repeat(100))).toBe(100 * (exact(words) - 1) + 1);
  });

  test("a vocabulary's control words are text like any other", async () => {
    const exact = await exactCounter();
    expect(exact("a <|endoftext|> b <|im_start|>")).toBeGreaterThan(5);
  });

  test("long runs of one character are counted piece by piece", async () => {
    const exact = await exactCounter();
    for (const sign of ["a", " ", "\n", "字"]) expect(exact(sign.repeat(200_000))).toBeGreaterThan(100);
  });

  test("pieces are at most 1,024 characters, never split a pair, and are the text again", () => {
    for (const text of [words.repeat(50), "😀".repeat(3_000), `x${"😀".repeat(3_000)}`, " ".repeat(5_000)]) {
      const pieces = [...piecesOf(text)];
      expect(pieces.join("")).toBe(text);
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(1_024);
        expect(piece.isWellFormed()).toBe(true);
      }
    }
  });

  test("the estimate is near the exact count on prose, code and JSON", async () => {
    const exact = await exactCounter();
    const code =
      "export function push<T>(list: Vector<T>, item: T): Vector<T> {\n  return { ...list, tail: [...list.tail, item] };\n}\n";
    const json = JSON.stringify(
      { name: "varve", version: "0.1.0", files: ["dist", "README.md"], engines: { node: ">=22" } },
      null,
      2,
    );
    for (const text of [words, code, json]) {
      expect(Math.abs(estimate(text) - exact(text)) / exact(text)).toBeLessThan(0.25);
    }
  });
});
