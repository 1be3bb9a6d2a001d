import { describe, expect, test } from "vitest";
import { reportOf } from "../../bench/digest.ts";
import type { Output } from "../../bench/digest-data.ts";
import { headTailOf } from "../../bench/digest-form.ts";
import { countable, shownOf } from "../../bench/digest-needed.ts";
import { jsonLeaves } from "../../bench/json-leaves.ts";

const size = "[9 lines, 99 characters in all; the rest: recall handle=r_1 startLine=2 endLine=9]";

describe("a needed string counts only", () => {
  const rows: readonly (readonly [rule: string, text: string, needed: string, shown: string, is: boolean])[] = [
    ["inside its whole line", "a\n  const needed = 1;\nb", "needed", `  const needed = 1;\n${size}`, true],
    ["not alone", "a\n  const needed = 1;\nb", "needed", `needed\n${size}`, false],
    [
      "not in a line that is cut",
      "x needed y",
      "needed",
      "x needed[… line 1 cut at 8 of 10 characters, 2 left out …]",
      false,
    ],
    ["not when it is gone", "a\nneeded\nb", "needed", `a\nb\n${size}`, false],
    [
      "with the header of its table",
      "| a | b |\n|---|---|\n| 1 | x |\n| needed | y |",
      "needed",
      "| a | b |\n| needed | y |",
      true,
    ],
    [
      "not without the header",
      "| a | b |\n|---|---|\n| 1 | x |\n| needed | y |",
      "needed",
      "| 1 | x |\n| needed | y |",
      false,
    ],
    ["with all keys and the whole value", '{"a":{"b":"needed"},"c":1}', "needed", '{"a":{"b":"needed"}', true],
    ["in whatever spacing of JSON", '{"a": {"b": "needed"}}', "needed", '{"a":{"b":"needed"}}', true],
    ["not under another key", '{"a":{"b":"needed"}}', "needed", '{"b":"needed"}', false],
    ["not in a part of its value", '{"a":"needed and more"}', "needed", '{"a":"needed"}', false],
    [
      "not behind a gap in JSON",
      '{\n "a": {\n  "x": 1,\n  "b": "needed"\n }\n}',
      "needed",
      '{\n[… lines 2-3 left out: …]\n  "b": "needed"\n }\n}',
      false,
    ],
  ];
  test.each(rows)("%s", (_, text, needed, shown, is) => {
    expect(shownOf({ text, needed: [needed] })(shown)).toEqual([is]);
  });

  test("a string that no line of the output holds is not counted", () => {
    expect(countable({ text: "a\nb", needed: ["a", "a\nb"] })).toEqual(["a"]);
  });
});

describe("beginning and end", () => {
  test("at the characters of the text it is the text", () => {
    expect(headTailOf("abc\ndef", 7)).toBe("abc\ndef");
  });

  test("what stands whole in either half is shown, and nothing else", () => {
    const text = Array.from({ length: 100 }, (_, n) => `line ${n}`).join("\n");
    const needed = ["line 0", "line 50", "line 99"];
    expect(shownOf({ text, needed })(headTailOf(text, 100))).toEqual([true, false, true]);
  });

  test("of one long line neither half is the line", () => {
    expect(shownOf({ text: "x".repeat(50), needed: ["xx"] })(headTailOf("x".repeat(50), 20))).toEqual([false]);
  });
});

test("values of a JSON text that breaks off are those before the break", () => {
  expect(jsonLeaves('{"a":{"b":[1,"x"]},"c":"y","d":"z')).toEqual([
    { path: "/a/b/", value: "1" },
    { path: "/a/b/", value: "x" },
    { path: "/c", value: "y" },
  ]);
});

describe("the report", () => {
  const lines = (count: number, of: (n: number) => string) => Array.from({ length: count }, (_, n) => of(n)).join("\n");
  const output = (
    id: string,
    cls: string,
    type: Output["type"],
    text: string,
    needed: readonly string[] = [],
  ): Output => ({
    id,
    cls,
    type,
    tool: "Bash",
    text,
    needed,
    exitCode: null,
  });

  test("classes weigh the same, however many outputs they have", () => {
    const whole = output("a", "search", "search", "src/a.ts:1:needed", ["needed"]);
    const cut = output(
      "b",
      "other-shell",
      "command",
      lines(3_000, (n) => `row ${n} of many`),
      ["row 1500 of"],
    );
    const { classes, kept, needed } = reportOf([whole, whole, whole, cut]);
    expect(classes.map(({ cls, kept }) => [cls, kept])).toEqual([
      ["other-shell", 0],
      ["search", 100],
    ]);
    expect([needed, kept]).toEqual([4, 50]);
  });

  test("a class without needed strings is scored by what its first forms answer", () => {
    const { classes, wrong } = reportOf([output("a", "mcp", "json", '{"a":1}')]);
    expect([classes[0]?.kept, classes[0]?.chars, wrong]).toEqual([100, 100, 0]);
  });

  test("percents are those of failing tests, error lines and exit codes that are still there", () => {
    const run = [
      "Exit code 1",
      lines(2_000, (n) => `tests/a.py::test_${n} PASSED`),
      "FAILED tests/a.py::test_x - no",
      "1 failed, 2000 passed in 1.00s",
    ].join("\n");
    const report = reportOf([{ ...output("a", "test-run", "tests", run), exitCode: 1 }]);
    expect([report.failingTests, report.exitCodes, report.wrong]).toEqual([100, 100, 0]);
  });
});
