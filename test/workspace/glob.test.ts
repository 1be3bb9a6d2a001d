import { expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { compileGlob } from "../../src/workspace/glob.ts";
import { absolutePath, isInside, shownPath } from "../../src/workspace/path.ts";

function matches(pattern: string, path: string): boolean {
  const glob = compileGlob(pattern);
  return glob.type === "ok" && glob.matches(path);
}

const rows: [string, string[], string[]][] = [
  ["*.ts", ["a.ts", "src/deep/a.ts"], ["a.tsx", "ts"]],
  ["src/*.ts", ["src/a.ts"], ["src/b/a.ts", "x/src/a.ts"]],
  ["src/**/*.ts", ["src/a.ts", "src/b/c/a.ts"], ["lib/a.ts"]],
  ["**/a/**/b", ["a/b", "x/a/y/z/b"], ["a/c", "b"]],
  ["src/**", ["src/a", "src/a/b"], ["lib/a"]],
  ["**", ["a", "a/b"], []],
  ["./a.*", ["a.ts"], ["b/a.ts"]],
  ["*.{ts,tsx}", ["a.ts", "a.tsx"], ["a.js"]],
  ["{src,test}/**/*.{a,b}", ["src/x.a", "test/y/x.b"], ["lib/x.a"]],
  ["a?c", ["abc", "a😀c"], ["ac", "abbc"]],
  ["[a-c]x[!0-9]", ["axz", "cxz"], ["dxz", "ax1"]],
  ["[-a]", ["-", "a"], ["b"]],
  ["a[b", ["a[b"], ["ab"]],
  ["\\*", ["*"], ["x"]],
  ["{a}", ["{a}"], ["a"]],
  ["日*", ["日本.md"], ["本日.md"]],
];
test.each(rows)("%s", (pattern, yes, no) => {
  for (const path of yes) expect([path, matches(pattern, path)]).toEqual([path, true]);
  for (const path of no) expect([path, matches(pattern, path)]).toEqual([path, false]);
});

test("law 10 · many stars end soon; too long or too many-branched patterns are refused", () => {
  expect(matches(`${"*a".repeat(100)}b`, "a".repeat(250))).toBe(false);
  expect(matches(`${"**/".repeat(100)}b`, "a/".repeat(250))).toBe(false);
  expect(compileGlob("x".repeat(bounds.patternCharsMax + 1)).type).toBe("bad");
  expect(compileGlob("{a,b}".repeat(6)).type).toBe("ok");
  expect(compileGlob("{a,b}".repeat(7)).type).toBe("bad");
});

test("paths are joined, cut and compared as whole names", () => {
  expect(absolutePath("/w/app", "../x/./y//z/")).toBe("/w/x/y/z");
  expect(absolutePath("/w", "../../..")).toBe("/");
  expect([isInside("/w/app", "/w/app_secret"), isInside("/w/app", "/w/app/x"), isInside("/", "/x")]).toEqual([
    false,
    true,
    true,
  ]);
  expect([shownPath("/w", "/w/a/b"), shownPath("/w", "/x"), shownPath("/w", "/w"), shownPath("/", "/a")]).toEqual([
    "a/b",
    "/x",
    ".",
    "a",
  ]);
});
