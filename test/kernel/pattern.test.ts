import { createContext, Script } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { automatonOf } from "../../src/kernel/automaton.ts";
import { compilePattern } from "../../src/kernel/pattern.ts";

function automaton(source: string) {
  const pattern = compilePattern(source);
  if (pattern.type === "bad") throw new Error(pattern.why);
  return automatonOf(pattern.program);
}

const piece = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "c",
    ".",
    "\\d",
    "\\w",
    "\\s",
    "[ab]",
    "[^a]",
    "[a-c_]",
    "\\b",
    "\\B",
    "^",
    "$",
    "é",
    "漢",
    "😀",
  ),
  fc.constantFrom("\\.", "\\p{L}", "\\x61", "[\\d-]", "[]a]", "1", " ", "_"),
);
const quantified = fc
  .tuple(piece, fc.constantFrom("", "*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "+?"))
  .map(([a, q]) => (/^(\\[bB]|\^|\$)$/.test(a) ? a : a + q));
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc
    .array(
      fc.array(tie("part"), { maxLength: 4 }).map((parts) => parts.join("")),
      { minLength: 1, maxLength: 3 },
    )
    .map((ways) => ways.join("|")),
  part: fc.oneof(
    { maxDepth: 3 },
    quantified,
    fc.tuple(tie("pattern"), fc.constantFrom("", "*", "+", "?", "{0,2}")).map(([inner, q]) => `(${inner})${q}`),
  ),
}));
const line = fc.string({ unit: fc.constantFrom(..."abc 1_.-é漢😀x]"), maxLength: 12 });

/**
 * null: it looks back over all ways for longer than anybody would wait, and says nothing; or it begins in the middle of a
 * character, where no match may begin (`\\B` in `b😀b`).
 */
function platformFinds(source: string, text: string): boolean | null {
  const script = new Script(`new RegExp(${JSON.stringify(source)}, "u").exec(${JSON.stringify(text)})?.index ?? -1`);
  try {
    const at = Number(script.runInContext(platform, { timeout: 1_000 }));
    return isInCharacter(text, at) ? null : at >= 0;
  } catch (error) {
    // It is an error of that other realm.
    if (typeof error === "object" && error !== null && "code" in error && error.code === tooLong) return null;
    throw error;
  }
}

function isInCharacter(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

const tooLong = "ERR_SCRIPT_EXECUTION_TIMEOUT";
const platform = createContext({});

test("a pattern that costs the platform's engine more than a second costs ours nothing", () => {
  const [source, text] = ["((((a*)*)*)*)*b", "a".repeat(28)];
  expect(platformFinds(source, text)).toBeNull();
  expect(automaton(source).endIn(text)).toBe(-1);
});

test("a line matches exactly where the platform's own engine finds a match", () => {
  fc.assert(
    fc.property(pattern, line, (source, text) => {
      // The same words in the platform's stricter syntax.
      const expected = platformFinds(source.replaceAll("[]a]", "[\\]a]"), text);
      const matches = automaton(source).endIn(text) >= 0;
      if (expected !== null) expect({ source, text, matches }).toEqual({ source, text, matches: expected });
    }),
    { numRuns: 500 },
  );
});

test("(?i) at the beginning does not ask for the case; groups may have names; POSIX sets are known", () => {
  expect(automaton("(?i)straße|ÉTÉ").endIn("un été")).toBe(6);
  expect(automaton("(?P<name>fail)ed").endIn("it failed")).toBe(9);
  expect(automaton("[[:digit:]]+x").endIn("a 12x")).toBe(5);
  expect(automaton("a{,2}").endIn("a{,2}")).toBe(5);
});

test.each([
  ["(a", 'a ")" is missing'],
  ["a)", 'unmatched ")"'],
  ["[a", 'a "]" is missing'],
  ["*a", "nothing stands before *"],
  ["(?=a)", "looking ahead or behind"],
  ["(?<!a)b", "looking ahead or behind"],
  ["(a)\\1", "\\1 is not supported"],
  ["a{3,1}", "counts down"],
  ["a{5000}", "too many"],
  ["((a{60}){60}){60}", "more than 4000 steps"],
  ["(".repeat(200) + ")".repeat(200), "groups in groups"],
])("%j is refused by name", (source, why) => {
  expect(compilePattern(source)).toMatchObject({ type: "bad", why: expect.stringContaining(why) });
});

test("law 10 · nothing, repeated as often as one likes, is compiled at once", () => {
  for (const source of ["((((){4000}){4000}){4000}){4000}a", `()${"{2}".repeat(300)}`, "(a{0}){4000}"])
    expect(automaton(source).endIn("ba")).toBe(source.endsWith("a") ? 2 : 0);
});

test.each(["(a+)+$", "(a|aa)+$", "(.*)*x", "(a?){30}a{30}b", "(\\w+\\s?)*$!", "([a-z]*)*[0-9]", "(x+x+)+y"])(
  "law 10 · %j, which drives engines that go back into years of work, costs less than its length times the line's",
  (source) => {
    const text = `${"a".repeat(5_000)} ${"x".repeat(5_000)}!`;
    const compiled = compilePattern(source);
    if (compiled.type === "bad") throw new Error(compiled.why);
    const run = automatonOf(compiled.program);
    run.endIn(text);
    expect(run.spent()).toBeLessThan(text.length * (16 * compiled.program.length + 1));
  },
);
