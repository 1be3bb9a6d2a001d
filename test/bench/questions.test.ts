import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ownData } from "../../bench/data-args.ts";
import { answersOf } from "../../bench/digest-answers.ts";
import { outputsIn } from "../../bench/digest-data.ts";
import { failingTest } from "../../bench/questions/failing.ts";
import { linesOf, readingOf } from "../../bench/questions/reading.ts";
import { type OutputType, questions, questionsFor, typeOf } from "../../bench/questions/types.ts";

const { outputs } = await outputsIn(ownData);
const types = Object.keys(questions).filter((name): name is OutputType => name in questions);

describe("questions", () => {
  test.each(types)("%s has twenty of its own, and no two of one name", (type) => {
    expect(questions[type].length).toBeGreaterThanOrEqual(20);
    for (const asked of [questions[type], questionsFor(type)])
      expect(new Set(asked.map(({ name }) => name)).size).toBe(asked.length);
  });

  test("every question of every type is a pure function: asked twice it answers the same", () => {
    for (const { type, text } of outputs)
      for (const { name, answer } of questionsFor(type))
        expect(answer(readingOf(text)), name).toBe(answer(readingOf(text)));
  });

  test("a text that says where it left lines out is never answered for wrongly, whichever lines they are", () => {
    for (const output of outputs.filter(({ text }) => text.length < 10_000)) {
      fc.assert(
        fc.property(fc.infiniteStream(fc.nat(5)), (runs) => {
          const { wrong } = answersOf(output, thinned(output.text, runs));
          expect(wrong).toEqual([]);
        }),
        { numRuns: 5 },
      );
    }
  });

  test("a text that leaves lines out in silence is caught", () => {
    const caught = outputs.filter((output) => {
      const lines = linesOf(output.text);
      const silent = lines.filter((_, at) => at % 3 !== 1).join("\n");
      return answersOf(output, silent).wrong.length > 0;
    });
    expect(caught.length).toBe(outputs.length);
  });

  test("an altered number is caught", () => {
    const output = {
      id: "a",
      type: "tests" as const,
      text: "FAILED tests/a.py::test_b\n3 failed, 59 passed in 8.37s\n",
    };
    const { wrong } = answersOf(output, output.text.replace("59", "60"));
    expect(wrong.map(({ question }) => question)).toContain("how many passed, as the run says");
  });
});

describe("reading", () => {
  test("lines behind a note have the numbers of the original", () => {
    const { lines, whole, total } = readingOf(
      "a\n[… lines 2-9 left out: 8 lines, 40 characters …]\nb\n[10 lines, 42 characters in all; the rest: recall handle=r_1 startLine=2 endLine=9]",
    );
    expect(lines.map(({ n, text, afterGap }) => [n, text, afterGap])).toEqual([
      [1, "a", false],
      [10, "b", true],
    ]);
    expect([whole, total.lines, total.chars]).toEqual([false, 10, 42]);
  });

  test("a form that ends with a note is open at its end", () => {
    expect(readingOf("a\n[… line 2 left out: 5 characters …]").openEnd).toBe(true);
  });

  const codes = [
    ["Exit code 1\nno", 1],
    ["Chunk ID: a\nWall time: 1 seconds\nProcess exited with code 2\nOutput:\nno", 2],
    ["no\n[exit code 3]", 3],
    ["no\n[9 lines, 99 characters in all; the rest: recall handle=r_1 startLine=2 endLine=9]\n[exit code 4]", 4],
    ["they said Exit code 5", null],
  ] as const;
  test.each(codes)("the exit code of %j is %j", (text, code) => {
    expect(readingOf(text).exitCode).toBe(code);
  });
});

describe("types", () => {
  const rows: readonly (readonly [OutputType, string, string])[] = [
    ["json", "mcp", '[{"id":1},{"id":2}]'],
    ["json", "other-shell", '{"a":1}\n{"a":2}\n'],
    ["page", "other-shell", "<!doctype html>\n<html><body></body></html>"],
    ["diff", "git-diff", "diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n"],
    ["history", "git-log", "abc1234 one\nabc1235 two\nabc1236 three\n"],
    ["listing", "search", "src/a.ts\nsrc/b.ts\nsrc/c.ts\n"],
    ["search", "search", "src/a.ts:1:x\nsrc/b.ts:2:y\nsrc/c.ts:3:z\n"],
    ["log", "other-shell", "2031-05-04T06:01:28Z INFO a\n2031-05-04T06:01:29Z INFO b\n2031-05-04T06:01:30Z WARN c\n"],
    ["table", "other-shell", "NAME   STATUS\npod-a  Running\npod-b  Failed\n"],
    ["command", "other-shell", "done\n"],
  ];
  test.each(rows)("%s, of the class %s", (type, cls, text) => {
    expect(typeOf(text, cls)).toBe(type);
  });
});

describe("failing tests are named whatever the runner", () => {
  const rows = [
    ["FAILED tests/a.py::TestB::test_c[x] - assert 1 == 2", "tests/a.py::TestB::test_c[x]"],
    ["tests/a.py::test_b FAILED              [ 12%]", "tests/a.py::test_b"],
    ["FAIL: test_more (forms.tests.FormCase)", "test_more (forms.tests.FormCase)"],
    ["--- FAIL: TestResume_After (3.33s)", "TestResume_After"],
    ["(fail) cli > writes results [3673.94ms]", "cli > writes results"],
    ["not ok 4 - sums add up", "sums add up"],
    [" × tests/a.test.ts > a > b 12ms", "tests/a.test.ts > a > b"],
    ["test parse::empty ... FAILED", "parse::empty"],
    ["[ERROR]   FailureTest.testSum:12 expected:<1> but was:<2>", "FailureTest.testSum:12"],
    ["PASSED tests/a.py::test_b", null],
    ["0 failed", null],
  ] as const;
  test.each(rows)("%j", (line, name) => {
    expect(failingTest(line)).toBe(name);
  });
});

/** Runs of lines kept and left out in turns, with the notes of a first form. */
function thinned(text: string, runs: Iterable<number>): string {
  const lines = linesOf(text);
  const kept: string[] = [];
  let at = 0;
  let isKept = true;
  for (const run of runs) {
    if (at >= lines.length) break;
    const to = Math.min(lines.length, at + run);
    if (isKept) kept.push(...lines.slice(at, to));
    else if (to > at) kept.push(`[… lines ${at + 1}-${to} left out: ${to - at} lines, 1 characters …]`);
    at = to;
    isKept = !isKept;
  }
  const size = `${lines.length} ${lines.length === 1 ? "line" : "lines"}, ${[...text].length} characters`;
  return [...kept, `[${size} in all; the rest: recall handle=r_0 startLine=1 endLine=2]`].join("\n");
}
