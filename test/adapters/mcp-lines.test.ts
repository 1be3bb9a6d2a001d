import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLines, type LongLine } from "../../src/adapters/mcp-lines.ts";
import { inPlaceOf, messagesOf } from "../../src/adapters/mcp-message.ts";

function cut(text: string, sizes: readonly number[], bytesMax: number) {
  const lines: string[] = [];
  const long: LongLine[] = [];
  const cutter = createLines({ bytesMax, onLine: (line) => lines.push(line), onLong: (line) => long.push(line) });
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  for (const size of sizes) {
    cutter.add(bytes.subarray(at, at + size));
    at += size;
  }
  cutter.add(bytes.subarray(at));
  return { lines, long };
}

describe("lines", () => {
  test("however bytes are cut, lines are the same; what has no end yet is none", () => {
    const text = fc.array(fc.constantFrom("a", "é", "日本", "😀", "\n", "\r\n", " "), { maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 0, max: 9 })), (parts, sizes) => {
        const whole = parts.join("");
        const expected = whole
          .split("\n")
          .slice(0, -1)
          .filter((line) => line !== "");
        expect(cut(whole, sizes, 1_000)).toEqual({ lines: expected, long: [] });
      }),
    );
  });

  test("a line beyond the limit is skipped, its two ends and size told, and the next is whole", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 20 }), (sizes) => {
        const text = `before\nhead${"x".repeat(2_000)}tail\nafter\n`;
        const { lines, long } = cut(text, sizes, 100);
        expect(lines).toEqual(["before", "after"]);
        expect(long.map(({ bytes }) => bytes)).toEqual([2_008]);
        expect(long[0]?.head.startsWith("head")).toBe(true);
        expect(long[0]?.tail.endsWith("tail")).toBe(true);
      }),
    );
  });
});

describe("messages", () => {
  const answer = { jsonrpc: "2.0", id: 1, result: { a: 1 } };

  test("a message is found in a batch, behind words without a line end, with members that do not belong there", () => {
    const text = JSON.stringify(answer);
    expect(messagesOf(text)).toEqual([answer]);
    expect(messagesOf(`\ufeff  ${text}\r`)).toEqual([answer]);
    expect(messagesOf(`[${text},${text}]`)).toEqual([answer, answer]);
    expect(messagesOf(`Loading {plugins}... ${text}`)).toEqual([answer]);
    expect(messagesOf('{"id":1,"result":{"a":1},"error":null,"extra":true}')).toEqual([answer]);
    expect(messagesOf('{"method":"m","params":[1]}')).toEqual([{ jsonrpc: "2.0", method: "m" }]);
  });

  test("an answer that is no object, or an error without its parts, still ends its call", () => {
    const error = { code: -32_603, message: "the result is not an object" };
    expect(messagesOf('{"jsonrpc":"2.0","id":"a","result":7}')).toEqual([{ jsonrpc: "2.0", id: "a", error }]);
    expect(messagesOf('{"id":1,"error":{}}')).toEqual([
      { jsonrpc: "2.0", id: 1, error: { code: -32_603, message: "an error without a message" } },
    ]);
  });

  test("anything else is none", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        expect(() => messagesOf(line)).not.toThrow();
      }),
    );
    for (const line of [
      "",
      "hello",
      "{",
      "[1,2]",
      "null",
      "7",
      '{"jsonrpc":"2.0"}',
      '{"id":null,"error":{}}',
      '{"id":1}',
    ]) {
      expect(messagesOf(line)).toEqual([]);
    }
  });

  test("an answer that was too long fails the call it was for, where its number can be found", () => {
    const long = (head: string, tail: string) => inPlaceOf({ head, tail, bytes: 9 });
    const error = { code: -32_603, message: "the answer has 9 bytes" };
    expect(long('{"jsonrpc":"2.0","id":12,"result":{', "}}")).toEqual({ jsonrpc: "2.0", id: 12, error });
    expect(long('{"result":{"id":3,', '"}]},"jsonrpc":"2.0","id":12}')).toEqual({ jsonrpc: "2.0", id: 12, error });
    expect(long('{"result":{', '"id":3}}')).toBeNull();
  });
});
