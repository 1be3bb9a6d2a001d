import { describe, expect, test } from "vitest";
import { firstForm, firstFormBy } from "../../src/digest/first-form.ts";
import type { FormInput } from "../../src/digest/form.ts";
import { brand } from "../../src/kernel/ids.ts";

const form = (text: string, more: Partial<FormInput> = {}) =>
  firstForm({ tool: "Bash", text, exitCode: null, form: "output", handle: brand("abcdef012345"), ...more }).text;
const many = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n + 1)).join("\n");

const filler = many(120, (n) => `--- PASS: TestNumber${n} (0.00s)`);
const runners: readonly (readonly [string, string])[] = [
  ["pytest", "FAILED tests/test_a.py::test_x - assert 1 == 2"],
  ["pytest, detail", "E       assert 1 == 2"],
  ["unittest and Django", "FAIL: test_x (app.tests.CaseTest)"],
  ["SymPy", "_______ sympy/core/tests/test_a.py:test_x _______"],
  ["Go", "--- FAIL: TestX (0.01s)"],
  ["Cargo", "test a::b ... FAILED"],
  ["TAP", "not ok 3 - adds"],
  ["Vitest", " × adds 3ms"],
  ["Jest", "  ● sums › adds"],
  ["Mocha", "  1) sums adds:"],
  ["Maven", "[ERROR]   com.a.FailTest.testSomething:42 expected:<true> but was:<false>"],
  ["Bun", "(fail) sums > adds [0.1ms]"],
  ["GoogleTest", "[  FAILED  ] Sums.Adds (1 ms)"],
  ["RSpec", "rspec ./spec/a_spec.rb:12 # sums adds"],
  ["PHPUnit", "1) App\\Tests::testX"],
  ["a compiler", "src/a.ts(3,4): error TS2304: Cannot find name 'x'."],
];
describe("C-061 · a test that fails keeps its line among hundreds that pass", () => {
  test.each(runners)("%s", (_, line) => {
    expect(form(`${filler}\n${line}\n${filler}\nFAIL\nexit status 1`)).toContain(`\n${line}\n`);
  });
});

test("lines that differ only in numbers: one is shown, the others behind it are counted", () => {
  const progress = many(900, (n) => `Downloading part ${n} of 900`);
  const shown = form(`start of it\n${progress}\nmiddle\n${many(300, (n) => `word${"abcxyz"[n % 6]} of it`)}\nend`);
  const [, from, to, count] = /\[… lines (\d+)-(\d+) left out: (\d+) lines more like it …\]/.exec(shown) ?? [];
  expect(Number(count)).toBeGreaterThan(50);
  expect(Number(to) - Number(from) + 1).toBe(Number(count));
  expect(Number(to)).toBeLessThanOrEqual(901);
});

describe("a form keeps what its type is read for", () => {
  test("build: places, the line that is pointed at and the sum before the files that were made", () => {
    const frame = "src/a.tsx:1044:25 lint/correctness/useDeps\n\n  > 1044 │ const grouped = useMemo(() => {";
    const made = (from: number) => many(60, (n) => `app build: ESM dist/chunk-${from + n}abcd.js   ${n}.70 KB`);
    const shown = form(`$ biome check .\n${made(0)}\n${frame}\n${made(60)}\nFound 3 errors.\n${made(120)}`);
    for (const line of [...frame.split("\n"), "Found 3 errors."]) expect(shown.split("\n")).toContain(line);
    expect(shown.length).toBeLessThan(4_000);
  });

  test("diff: every file, changed lines before those around them", () => {
    const fileOf = (n: number) =>
      `diff --git a/f${n}.ts b/f${n}.ts\nindex 1a..2b 100644\n--- a/f${n}.ts\n+++ b/f${n}.ts\n@@ -1,9 +1,9 @@\n${many(8, (k) => ` const around${n}Line${k} = value${k};`)}\n-const former${n} = 1;\n+const latter${n} = 2;`;
    const shown = form(many(8, fileOf));
    for (let n = 1; n <= 8; n++) {
      expect(shown).toContain(`diff --git a/f${n}.ts b/f${n}.ts`);
      expect(shown).toContain(`+const latter${n} = 2;`);
    }
  });

  test("search: each file once before a file twice", () => {
    const shown = form(
      many(200, (n) => `src/part${n % 20}/file${n % 20}.ts:${n}:  callOf(thing, other);`),
      {
        tool: "Grep",
      },
    );
    for (let n = 0; n < 20; n++) expect(shown).toContain(`src/part${n}/file${n}.ts:`);
  });

  test("log: errors among lines that differ only in numbers", () => {
    const shown = form(
      many(300, (n) =>
        n === 150
          ? "2026-01-02T03:04:05Z ERROR db lost: Error: timeout"
          : `2026-01-02T03:04:05Z INFO request ${n} took ${n}ms`,
      ),
    );
    expect(shown).toContain("ERROR db lost: Error: timeout");
    expect(shown.length).toBeLessThan(5_000);
  });

  test("table: the header stays, and rows are whole", () => {
    const shown = form(`NAME      READY     STATUS\n${many(200, (n) => `web-${n}     1/1       Running`)}`);
    expect(shown.startsWith("NAME      READY     STATUS\nweb-1     1/1       Running\n")).toBe(true);
  });

  test("snapshot: what can be clicked before boxes without a name", () => {
    const shown = form(many(120, (n) => (n % 6 === 0 ? `- button "Do ${n}" [ref=e${n}]` : `- generic [ref=e${n}]:`)));
    for (let n = 6; n <= 120; n += 6) expect(shown).toContain(`- button "Do ${n}" [ref=e${n}]`);
  });

  test("source: declarations before closing brackets, lines exactly as they are", () => {
    const text = many(200, (n) => (n % 5 === 1 ? `export function work${n}(input: Input): Output {` : "  }"));
    const shown = form(text);
    for (let n = 1; n <= 50; n += 5) expect(shown).toContain(`export function work${n}(input: Input): Output {`);
  });

  test("trace: one's own frames before those of libraries", () => {
    const shown = form(
      `Error: x\n${many(80, (n) => (n % 20 === 0 ? `    at own${n} (/app/src/own.ts:${n}:1)` : `    at lib${n} (/app/node_modules/lib/index.js:${n}:1)`))}`,
    );
    for (const n of [20, 40, 60, 80]) expect(shown).toContain(`at own${n} (`);
  });

  test("prose: headings", () => {
    const shown = form(many(60, (n) => `## Part ${n}\n\n${"plain words and nothing else here. ".repeat(8)}`));
    for (let n = 1; n <= 60; n++) expect(shown).toContain(`## Part ${n}`);
  });
});

test("what the call asked for and what was named lately is kept before what is like it", () => {
  const text = many(400, (n) => `src/part${n}/module${n}.ts`);
  expect(form(text)).not.toContain("src/part200/module200.ts");
  expect(form(text, { call: '{"pattern":"part200/module200.ts"}' })).toContain("src/part200/module200.ts");
  expect(form(text, { named: ["src/part200/module200.ts"] })).toContain("src/part200/module200.ts");
});

describe("a file that was read", () => {
  const text = many(400, (n) => `${n}\texport const value${n} = compute(${n});`);
  test("is whole up to the cap where its range was named, or nothing is known of the call", () => {
    expect(form(text, { form: "range" })).toBe(text);
    expect(form(text, { form: "range", call: '{"path":"a.ts","startLine":1,"endLine":400}' })).toBe(text);
  });

  test("is shortened where it was asked for as a whole and is large", () => {
    expect(form(text, { form: "range", call: '{"path":"a.ts"}' }).length).toBeLessThan(text.length * 0.7);
  });
});

describe("forms of one's own", () => {
  const input: FormInput = {
    tool: "mcp__files__read",
    text: "one two three",
    exitCode: null,
    form: "output",
    handle: brand("h"),
  };
  const short = { whole: false, text: "1" };
  test("are asked by the tool's name, then by its server's", () => {
    expect(firstFormBy({ files: () => short })(input)).toEqual(short);
    expect(firstFormBy({ files: () => null, mcp__files__read: () => short })(input)).toEqual(short);
    expect(firstFormBy({ other: () => short })(input)).toEqual({ whole: true, text: input.text });
  });

  test("are not used where they say nothing or make more of it, and never lose the exit code", () => {
    const whole = { whole: true, text: input.text };
    expect(firstFormBy({ files: () => null })(input)).toEqual(whole);
    expect(firstFormBy({ files: () => ({ whole: false, text: "much longer than it was" }) })(input)).toEqual(whole);
    expect(firstFormBy({ files: () => short })({ ...input, exitCode: 2 }).text).toBe("1\n[exit code 2]");
  });
});
