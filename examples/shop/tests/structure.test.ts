import { describe, expect, test } from "vitest";

/** Every source file as text, by path from the project's folder. */
const files: Record<string, string> = import.meta.glob(["../src/**/*.{ts,tsx}", "../server/**/*.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const sources = Object.entries(files).map(([path, text]) => ({ path: path.replace("../", ""), text }));
const withText = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

describe("how the shop is built", () => {
  test("no page and no server file reads the sample catalogue", () => {
    expect(withText(/from ".*data\/products\.ts"/)).toEqual([]);
  });
  test("storage of the browser is not used", () => {
    expect(withText(/localStorage|sessionStorage|document\.cookie/)).toEqual([]);
  });
  test("a price is written in one place", () => {
    expect(withText(/€/)).toEqual(["src/money.ts"]);
  });
  test("what a cent is, is said in one place", () => {
    expect(withText(/type Cents =/)).toEqual(["src/money.ts"]);
  });
  test("whoever needs money imports it from there, not through another file", () => {
    expect(withText(/\{[^}]*\b(money|Cents)\b[^}]*\} from "(?!.*\/money\.ts")/)).toEqual([]);
  });
});
