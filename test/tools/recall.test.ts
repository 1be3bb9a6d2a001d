import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { firstForm, limitBytes } from "../../src/digest/first-form.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import { createWorld, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
  world.originals.set("lines", "one\ntwo\r\n\nfour\n");
  world.originals.set("json", '{"a": [ {"b": 12345678901234567890, "odd key": "x\\u00e9"} ],"n":1.50}');
  world.originals.set("giant", `${"x".repeat(50_000)}NEEDLE${"😀".repeat(50_000)}`);
});
afterAll(() => world.remove());
const recall = (handle: string, more: object = {}) => world.text("recall", { handle, ...more });

test("law 3 · the whole and every range come back exactly", async () => {
  expect(await recall("lines")).toBe("one\ntwo\r\n\nfour\n");
  expect(await recall("lines", { startLine: 2, endLine: 2 })).toBe("two\r");
  expect(await recall("lines", { startLine: 3 })).toBe("\nfour");
  expect(await recall("lines", { endLine: 1 })).toBe("one");
  expect(await recall("lines", { startLine: 3, endLine: 3 })).toBe("[only empty lines]");
});

/** Follows the calls that notes name, and puts the parts together again. */
async function followed(handle: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  let text = "";
  for (let input: Record<string, unknown> = { handle, ...more }, calls = 0; ; calls++) {
    const outcome = await world.run("recall", input);
    expect(outcome).toMatchObject({ ending: "done", form: "whole" });
    expect(new TextEncoder().encode(outcome.output).length).toBeLessThanOrEqual(limitBytes("range"));
    const note =
      /(\n?)\[line(?:s (\d+)-(\d+)| (\d+): characters (\d+)-(\d+)) of (\d+)(?:; next: recall handle=\w+((?: \w+=\S+)*))?\]$/.exec(
        outcome.output,
      );
    if (note === null) return text + outcome.output;
    const isWithinLine = note[4] !== undefined;
    text += outcome.output.slice(0, note.index) + (isWithinLine ? "" : note[1]);
    if (note[8] === undefined) return text;
    input = {
      handle,
      ...more,
      ...Object.fromEntries(
        note[8]
          .trim()
          .split(" ")
          .map((field) => field.split("=")),
      ),
    };
    if (isWithinLine && input.column === undefined) text += "\n";
    expect(calls).toBeLessThan(1_000);
  }
}

test("what a form left out is what its note recalls", async () => {
  const text = Array.from({ length: 9_000 }, (_, n) => `line ${n + 1} of the log`).join("\n");
  const form = firstForm({ tool: "Bash", text, exitCode: 0, form: "output", handle: brand("log") }).text;
  world.originals.set("log", text);
  const [, startLine = "", endLine = ""] = /recall handle=log startLine=(\d+) endLine=(\d+)/.exec(form) ?? [];
  const rest = text.split("\n").slice(Number(startLine) - 1, Number(endLine));
  expect(rest.length).toBeGreaterThan(1_000);
  expect(await followed("log", { startLine, endLine })).toBe(rest.join("\n"));
});

test("law 3 · the calls that notes name reach every byte, whatever the text is made of", async () => {
  const unit = fc.oneof(
    fc.constantFrom("\n", "\r\n", "\0", "\ufeff", "漢", "👩‍💻", "é", "\t", "\ufffd", "\x1b[31m", "a b"),
    fc.string({ maxLength: 20 }).map((part) => part.toWellFormed()),
    fc.nat(40_000).map((count) => "x0-".repeat(count)),
    fc.nat(3_000).map((count) => "short\n".repeat(count)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(unit, { minLength: 1, maxLength: 12 }), async (parts) => {
      const text = parts.join("");
      world.originals.set("fuzzed", text);
      const back = await followed("fuzzed");
      // Where it comes in more than one part, the very last line end is not told apart from the end of the text.
      const wanted = text === "" ? ["[the result was empty]"] : [text, text.replace(/\n$/, "")];
      expect(wanted.includes(back)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("law 3 · 5 MB come back by the calls that notes name", async () => {
  const text = Array.from({ length: 60_000 }, (_, n) => `${n} ${"漢字 and words ".repeat(n % 9)}`).join("\r\n");
  world.originals.set("large", text);
  expect((await followed("large")) === text).toBe(true);
});

test("C-065 · one giant line comes back by columns and by search", async () => {
  expect(await recall("giant", { search: "NEEDLE" })).toContain("NEEDLE");
  expect((await recall("giant", { search: "NEEDLE" })).length).toBeLessThan(1_000);
  const part = await recall("giant", { startLine: 1, column: 50_007 });
  expect(part).toMatch(
    /^(?:😀)+\n\[line 1: characters 50007-(\d+) of 100006; next: recall handle=giant startLine=1 column=\d+\]$/u,
  );
  expect(new TextEncoder().encode(part).length).toBeLessThanOrEqual(limitBytes("range"));
  expect(await recall("giant", { column: 100_007 })).toContain("has 100006 characters in line 1");
});

test("a JSON path gives the text as it was written, digits included", async () => {
  expect(await recall("json", { jsonPath: "$.a[0].b" })).toBe("12345678901234567890");
  expect(await recall("json", { jsonPath: ".n" })).toBe("1.50");
  expect(await recall("json", { jsonPath: "n" })).toBe("1.50");
  expect(await recall("json", { jsonPath: '$.a[0]["odd key"]' })).toBe('"x\\u00e9"');
  expect(await recall("json", { jsonPath: "a[-1]" })).toBe('{"b": 12345678901234567890, "odd key": "x\\u00e9"}');
  expect(await recall("json", { jsonPath: "$" })).toBe(world.originals.get("json"));
});

test("a path that leads nowhere says what is there", async () => {
  expect(await recall("json", { jsonPath: "$.z" })).toBe('json: $ has no "z"; it has the keys a, n.');
  expect(await recall("json", { jsonPath: "$.a[7]" })).toBe("json: $.a has no 7; it is an array of 1.");
  expect(await recall("json", { jsonPath: "$.n.x" })).toContain("it is 1.50");
  expect(await recall("lines", { jsonPath: "$.a" })).toContain("it is not JSON");
  expect(await recall("json", { jsonPath: "$..a" })).toContain("expected keys and indexes");
});

test("law 10 · a search shows at most so many lines and says how many there are", async () => {
  world.originals.set("many", "hit\n".repeat(bounds.matchesDefault + 5));
  const lines = (await recall("many", { search: "hit" })).split("\n");
  expect(lines).toHaveLength(bounds.matchesDefault + 1);
  expect(lines.at(-1)).toBe("[100 of 105 lines shown; next: recall handle=many search=hit startLine=101]");
  expect(await recall("many", { search: "miss" })).toBe('[no line holds "miss"]');
});

test("a search shows what stands around few matches, and marks it", async () => {
  const text = Array.from({ length: 400 }, (_, n) => `row ${n + 1} of a long table`);
  text[199] = "const needle = 1;";
  text[9] = "needle too";
  world.originals.set("rows", text.join("\n"));
  const shown = (await recall("rows", { search: "needle" })).split("\n");
  expect(shown).toContain("200\tconst needle = 1;");
  expect(shown).toContain("10\tneedle too");
  expect(shown).toContain("199-\trow 199 of a long table");
  expect(shown.filter((line) => line === "--")).toHaveLength(1);
  expect(shown.at(0)).toBe("1-\trow 1 of a long table");
});

test("what stands around matches is never more than a search may show, whatever the script", async () => {
  for (const filler of ["x".repeat(90), "漢字".repeat(40), "😀".repeat(300)]) {
    const text = Array.from({ length: 300 }, (_, n) => (n === 150 ? "the needle" : `${n} ${filler}`));
    world.originals.set("wide", text.join("\n"));
    const shown = await recall("wide", { search: "needle" });
    expect(shown).toContain("151\tthe needle");
    expect(shown.split("\n").length).toBeGreaterThan(2);
    expect(new TextEncoder().encode(shown).length).toBeLessThan(bounds.outputTokensMax * 4);
    expect(shown.toWellFormed()).toBe(shown);
  }
});

test("an unknown handle and a range that is not there are failures that say what to do", async () => {
  expect(await world.run("recall", { handle: "nope" })).toMatchObject({
    ending: "failed",
    output: expect.stringContaining("run the call again"),
  });
  expect(await recall("lines", { startLine: 9 })).toBe("lines has 4 lines; startLine is 9.");
});

test("a handle may be quoted as notes spell it, and cut to what only one has; else it says which are near", async () => {
  world.originals.set("abcdef012345", "the first").set("abcdef678901", "the second").set("0123456789ab", "the third");
  expect(await recall("[0123456789AB]")).toBe("the third");
  expect(await recall("handle=012345")).toBe("the third");
  expect("01234".length).toBeLessThan(bounds.handleCharsMin);
  expect(await recall("01234")).toMatch(/^No result with handle 01234 is known/);
  expect(await recall("abcdef")).toBe(
    "abcdef begins 2 handles; give more of it:\n[abcdef012345] Bash made abcdef012345\n[abcdef678901] Bash made abcdef678901",
  );
  expect(await recall("abcdef012346")).toMatch(/Known here:\n\[abcdef012345\] Bash/);
});

test("grep takes a regular expression, lines and a path narrow it, and a note goes on with it", async () => {
  world.originals.set(
    "src",
    Array.from({ length: 300 }, (_, n) => `row ${n + 1}: ${n % 2 ? "odd" : "even"}\r`).join("\n"),
  );
  const narrowed = await recall("src", { grep: "^row (7|8): (odd|even)$", startLine: 8 });
  expect(narrowed).toContain("\n7-\trow 7: even\r\n8\trow 8: odd\r\n");
  const first = await recall("src", { grep: "odd" });
  expect(first).toContain("[100 of 150 lines shown; next: recall handle=src grep=odd startLine=202]");
  expect(await recall("src", { grep: "odd", startLine: 202 })).toContain("202\trow 202: odd");
  expect(await recall("src", { grep: "odd", startLine: 202 })).not.toContain("\n200\t");
  expect(await recall("json", { jsonPath: "$.a[0]", grep: "\\d{5}" })).toContain("12345678901234567890");
  expect(await recall("src", { grep: "never" })).toBe('[no line matches "never"]');
  expect(await recall("src", { grep: "(" })).toContain('a ")" is missing');
});

test("law 10 · a pattern that takes more than bounds.patternWorkMax ends, says where it stopped, and the call it names goes on", async () => {
  // The way through such a pattern is another one at nearly every character, so that nothing can be remembered.
  let [seed, line] = [7, ""];
  for (let at = 0; at < 60_000; at++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    line += (seed >> 16) % 2 === 0 ? "a" : "b";
  }
  world.originals.set("hostile", `short\n${line}\n`.repeat(2));
  const said = await recall("hostile", { grep: "a[ab]{900}a[ab]{900}c" });
  const stopped = /^\[the search stopped within line 2: the pattern takes too much work there; (.*)\]$/;
  expect(stopped.exec(said)?.[1]).toBe('next: recall handle=hostile grep="a[ab]{900}a[ab]{900}c" startLine=3');
});

test("words that stand in no line as they were given are looked for one by one, whatever their case", async () => {
  world.originals.set("words", "The Gateway\nrefused the connection to host\nGATEWAY connection lost\nnothing");
  expect(await recall("words", { search: "connection gateway" })).toContain("3\tGATEWAY connection lost");
  expect(await recall("words", { search: "connection zebra" })).toMatch(
    /^\[no line holds all of "connection zebra"; these hold some of it\]/,
  );
});

test("without a handle, search finds the words in everything, best first, and names the next call", async () => {
  for (let n = 0; n < 14; n++) world.originals.set(`hit${n}`, `noise\nthe quorum was lost at node${n}\n`);
  world.originals.set("best", "quorum restored: quorum of nodes, quorum again, and the lease");
  const found = await world.text("recall", { search: "quorum lease" });
  expect(found).toMatch(/^\[best\] Bash made best\n {2}1\tquorum restored/);
  expect(found.match(/^\[\w+\] Bash/gm)).toHaveLength(bounds.searchHitsMax);
  expect(found).toMatch(
    /\[1-10 of 15 found in \d+ originals, 1 with all of the words; next: recall search="quorum lease" startLine=11\]$/,
  );
  const rest = await world.text("recall", { search: "quorum lease", startLine: 11 });
  expect(rest).toMatch(/\[11-15 of 15 found in \d+ originals, 1 with all of the words; recall a handle to see it\]$/);
  expect(await world.text("recall", { search: "xyzzy" })).toMatch(
    /^\[nothing holds "xyzzy"; \d+ originals searched\]$/,
  );
});

test.each([
  [{}, "handle: missing"],
  [{ grep: "x" }, "handle: missing"],
  [{ search: "x", jsonPath: "$" }, "handle: missing"],
  [{ handle: "a", column: 3, grep: "x" }, "column: reads on within one line"],
  [{ handle: "a", grep: "x".repeat(bounds.patternCharsMax + 1) }, "at most"],
  [{ handle: "../x" }, "handle: expected letters and digits"],
  [{ handle: "a", grep: "x", search: "x" }, "name one of"],
  [{ handle: "a", startLine: 3, endLine: 2 }, "endLine: expected >= startLine"],
  [{ handle: "a", search: "" }, "search: expected some text"],
])("%j is refused", async (input, why) => {
  await expect(world.run("recall", input)).rejects.toThrow(why);
});
