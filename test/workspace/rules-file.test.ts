import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { parseRuleFile, type RuleDialect, rulePaths } from "../../src/workspace/rules-file.ts";

const rule = async (dialect: RuleDialect, ...fields: readonly string[]) =>
  (await parseRuleFile(["---", ...fields, "---", "Do it well."].join("\n"), dialect)).when;

describe("a rule of Claude Code", () => {
  test.each([
    ["no fields", ["description: hm"], { type: "always" }],
    ["a list", ["paths:", '  - "src/**/*.ts"', "  - lib/*.js"], { type: "paths", globs: ["src/**/*.ts", "lib/*.js"] }],
    ["one text", ["paths: src/**, lib/{a,b}/*.ts"], { type: "paths", globs: ["src/**", "lib/{a,b}/*.ts"] }],
    ["unquoted, no YAML", ["paths: **/*.ts"], { type: "paths", globs: ["**/*.ts"] }],
    ["unquoted items, no YAML", ["paths:", "  - *.ts", "  - **/x"], { type: "paths", globs: ["*.ts", "**/x"] }],
    ["empty", ["paths:"], { type: "always" }],
  ])("%s", async (_, fields, when) => expect(await rule("claude", ...fields)).toEqual(when));

  test("a file without fields applies at once, with a byte order mark and CRLF too", async () => {
    expect(await parseRuleFile("# Style", "claude")).toEqual({ when: { type: "always" }, body: "# Style" });
    const marked = "\uFEFF---\r\npaths: a/**\r\n---\r\nBody\r\n";
    expect(await parseRuleFile(marked, "claude")).toMatchObject({ when: { type: "paths", globs: ["a/**"] } });
  });

  test.each([
    ["a number", ["paths: 7"], 2],
    ["a map", ["x: 1", "paths: {a: 1}"], 3],
    ["a list of lists", ["paths: [[a]]"], 2],
    ["no YAML at all", ["paths: [a", "what is this"], 3],
    ["a key twice", ["paths: *.ts", "paths: *.js"], 3],
  ])("%s is broken, with its line: it is never applied to more than it says", async (_, fields, line) => {
    expect(await rule("claude", ...fields)).toMatchObject({ type: "broken", line });
  });

  test("fields without an end are broken", async () => {
    const { when } = await parseRuleFile("---\npaths: src/**\nDo it well.", "claude");
    expect(when).toMatchObject({ type: "broken", line: 1 });
  });

  test(`more than fieldsCharsMax (${bounds.fieldsCharsMax}) of fields are not read`, async () => {
    const flood = `---\npaths: [${"a,".repeat(bounds.fieldsCharsMax)}]\n---\nbody`;
    expect((await parseRuleFile(flood, "claude")).when).toMatchObject({ type: "broken", line: 1 });
  });
});

describe("a rule of Cursor", () => {
  test.each([
    ["always", ["description: d", "globs: *.ts", "alwaysApply: true"], { type: "always" }],
    [
      "by globs, no YAML",
      ["description:", "globs: *.ts,*.tsx", "alwaysApply: false"],
      { type: "paths", globs: ["*.ts", "*.tsx"] },
    ],
    [
      "by globs with braces",
      ["globs: src/**/*.{ts,tsx}, {a,b}.js"],
      { type: "paths", globs: ["src/**/*.{ts,tsx}", "{a,b}.js"] },
    ],
    ["by globs that begin with braces", ["globs: {a,b}/*.js, c"], { type: "paths", globs: ["{a,b}/*.js", "c"] }],
    ["by a list", ["globs:", '  - "*.ts"', '  - "*.js"'], { type: "paths", globs: ["*.ts", "*.js"] }],
    ["by a list in a line", ["globs: [a/*.ts, b/*.ts]"], { type: "paths", globs: ["a/*.ts", "b/*.ts"] }],
    ["by quoted text", ['globs: "a/**,b/**"'], { type: "paths", globs: ["a/**", "b/**"] }],
    [
      "by description",
      ["description: When writing SQL", "globs:", "alwaysApply: false"],
      { type: "described", description: "When writing SQL" },
    ],
    [
      "by description, no YAML",
      ["description: SQL: the rules", "globs:"],
      { type: "described", description: "SQL: the rules" },
    ],
    ["by hand", ["description:", "globs:", "alwaysApply: false"], { type: "named" }],
  ])("%s", async (_, fields, when) => expect(await rule("cursor", ...fields)).toEqual(when));

  test.each([
    ["a text", ['alwaysApply: "true"']],
    ["a word", ["alwaysApply: yes", "description: d"]],
    ["a number", ["alwaysApply: 1", "globs: a"]],
    ["a text where the rest is no YAML", ["globs: *.ts", 'alwaysApply: "true"']],
  ])("alwaysApply is a real boolean: %s is none", async (_, fields) => {
    expect(await rule("cursor", ...fields)).toMatchObject({
      type: "broken",
      why: expect.stringContaining("alwaysApply"),
    });
  });

  test("a file without fields is for people to name", async () => {
    expect((await parseRuleFile("# Style", "cursor")).when).toEqual({ type: "named" });
  });
});

describe("the paths of a rule", () => {
  test.each([
    ["*.ts", "deep/in/x.ts", true],
    ["src/**/*.ts", "src/x.ts", true],
    ["src/**/*.ts", "lib/src/x.ts", false],
    ["**/*.{ts,tsx}", "a/x.tsx", true],
    ["/src/**", "src/a/b", true],
    ["src", "src/a/b", true],
    ["src/api/", "src/api/v1/x.go", true],
    ["src/api", "src/apis/x.go", false],
  ])("%s, %s: %s", (glob, path, expected) => expect(rulePaths([glob]).matches(path)).toBe(expected));

  test("! takes files out again, wherever it stands", () => {
    const { matches } = rulePaths(["!*.gen.ts", "src/**"]);
    expect(["src/a.ts", "src/a.gen.ts", "lib/a.ts"].map(matches)).toEqual([true, false, false]);
  });

  test("a pattern that is too much is a fault and matches nothing", () => {
    const { matches, faults } = rulePaths(["{a,b}".repeat(12), "x.ts"]);
    expect(faults).toEqual([expect.stringContaining("alternatives")]);
    expect(matches("x.ts")).toBe(true);
  });
});
