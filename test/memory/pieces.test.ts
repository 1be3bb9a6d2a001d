import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linesOf, pieceCharsMax, pieceLinesMax, piecesOf } from "../../src/memory/pieces.ts";

const titles = (kind: "docs" | "code" | "text", text: string) =>
  piecesOf(kind, text).map(({ startLine, endLine, title }) => `${startLine}-${endLine} ${title}`.trim());

describe("docs are cut by headings", () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ["a heading is called by those above it", "# A\nx\n## B\ny\n# C\nz\n", ["1-2 A", "3-4 A > B", "5-6 C"]],
    ["a heading without text stands with the next", "# A\n\n## B\ny\n", ["1-4 A > B"]],
    ["what stands before the first heading is a piece", "intro\n\n# A\nx", ["1-1", "3-4 A"]],
    ["a heading inside a fence is none", "# A\n```sh\n# not one\n```\nx", ["1-5 A"]],
    [
      "words that are underlined are a heading",
      "Title\n=====\n\ntext\n\nPart\n----\nmore\n",
      ["1-4 Title", "6-8 Title > Part"],
    ],
    ["a rule and a table are none", "a\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", ["1-7"]],
    ["the end of front matter is none", "---\nname: x\n---\n# A\ny", ["1-3", "4-5 A"]],
    ["AsciiDoc", "= A\nx\n\n== B\ny", ["1-2 A", "4-5 A > B"]],
    ["CRLF, no end of the last line", "# A\r\nx\r\n# B\r\ny", ["1-2 A", "3-4 B"]],
    ["white space alone is no piece", "\n  \n\t\n", []],
    ["nothing", "", []],
  ];
  test.each(rows)("%s", (_, text, wanted) => {
    expect(titles("docs", text)).toEqual(wanted);
  });
});

describe("code is cut where something of its own begins", () => {
  const filler = (n: number) =>
    Array.from({ length: n }, (_, at) => `  call_number_${at}(with, some, arguments);`).join("\n");
  test("a large definition stands by itself, with the comment above it, and its name", () => {
    const text = `import a\nimport b\n\n// what it is for\nexport function first() {\n${filler(28)}\n}\n\nfunction second() {\n${filler(28)}\n}\n`;
    expect(titles("code", text)).toEqual(["1-34 first", "36-65 second"]);
  });
  test("small definitions stand together, and are all named", () => {
    const text = "const a = 1;\n\nfunction b() {}\n\nclass C {\n  d() {}\n}\n";
    expect(titles("code", text)).toEqual(["1-7 a, b, C"]);
  });
  test("Python, Go, Rust and SQL definitions are named", () => {
    for (const [line, name] of [
      ["def load_config(path):", "load_config"],
      ["func (s *Store) Get(key string) error {", "Get"],
      ["pub(crate) fn parse_args() -> Args {", "parse_args"],
      ["CREATE TABLE orders (", "orders"],
      ["public static final class Größe {", "Größe"],
    ] as const)
      expect(piecesOf("code", `${line}\n  body\n`)[0]?.title).toBe(name);
  });
  test("a class that is too long is cut between its members", () => {
    const member = (n: number) => `  member${n}() {\n${filler(10)}\n  }\n`;
    const text = `class Big {\n${[1, 2, 3, 4, 5, 6, 7].map(member).join("\n")}}\n`;
    const pieces = piecesOf("code", text);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.slice(1).every(({ text: part }) => /^ {2}member\d\(\) \{/.test(part))).toBe(true);
    expect(pieces.every(({ title }) => title === "Big")).toBe(true);
  });
});

test("law 10 · a line that is longer than a piece is a piece by itself, whole", () => {
  const long = "x".repeat(pieceCharsMax * 3);
  expect(piecesOf("code", `a\n${long}\nb\n`).map(({ text }) => text.length)).toEqual([1, long.length, 1]);
});

test("property: the pieces of any text are in order, exact, without overlaps, within the limits, and leave out blank lines alone", () => {
  const line = fc.oneof(
    fc.constantFrom(
      "",
      "",
      "# head",
      "## sub",
      "====",
      "---",
      "```",
      "}",
      "end",
      "function f() {",
      "  indented",
      "class A:",
      "登录 失败",
    ),
    fc.string({ maxLength: 200 }),
  );
  const texts = fc.array(line, { maxLength: 300 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(texts, fc.constantFrom("docs" as const, "code" as const, "text" as const), (text, kind) => {
      const lines = linesOf(text);
      const seen = new Set<number>();
      let last = 0;
      for (const { startLine, endLine, text: part } of piecesOf(kind, text)) {
        expect(startLine).toBeGreaterThan(last);
        expect(part).toBe(lines.slice(startLine - 1, endLine).join("\n"));
        expect(endLine - startLine).toBeLessThan(pieceLinesMax);
        if (endLine > startLine) expect(part.length).toBeLessThanOrEqual(pieceCharsMax);
        for (let at = startLine; at <= endLine; at++) seen.add(at);
        last = endLine;
      }
      for (const [at, one] of lines.entries()) if (one.trim() !== "") expect(seen.has(at + 1)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("time is linear: 40,000 short lines, and as many headings, are cut at once", () => {
  expect(piecesOf("code", "a();\n".repeat(40_000)).length).toBeGreaterThan(600);
  expect(piecesOf("code", "\nfunction f() {\n".repeat(20_000)).length).toBeGreaterThan(600);
  expect(piecesOf("docs", "# a\ntext\n".repeat(20_000)).length).toBe(20_000);
});
