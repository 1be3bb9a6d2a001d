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

test("what a form left out is what its note recalls", async () => {
  const text = Array.from({ length: 9_000 }, (_, n) => `line ${n + 1} of the log`).join("\n");
  const form = firstForm({ tool: "Bash", text, exitCode: 0, form: "output", handle: brand("log") }).text;
  world.originals.set("log", text);
  const [, startLine, endLine] = /recall handle=log startLine=(\d+) endLine=(\d+)\]/.exec(form) ?? [];
  const rest = await recall("log", { startLine, endLine });
  expect(form.replace(/\[… lines.*…\]/, () => rest).replace(/\n\[9000 lines.*\]$/, "")).toBe(text);
});

test("C-065 · one giant line comes back by columns and by search", async () => {
  expect(await recall("giant", { search: "NEEDLE" })).toContain("NEEDLE");
  expect((await recall("giant", { search: "NEEDLE" })).length).toBeLessThan(1_000);
  const part = await recall("giant", { startLine: 1, column: 50_007 });
  expect(part).toMatch(/^(?:😀)+\n\[line 1: characters 50007-\d+ of 100006\]$/u);
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
  expect(lines.at(-1)).toBe("[100 of 105 lines shown; search for more of the text]");
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

test("what stands around matches is never so long that the form cuts it, whatever the script", async () => {
  for (const filler of ["x".repeat(90), "漢字".repeat(40), "😀".repeat(300)]) {
    const text = Array.from({ length: 300 }, (_, n) => (n === 150 ? "the needle" : `${n} ${filler}`));
    world.originals.set("wide", text.join("\n"));
    const shown = await recall("wide", { search: "needle" });
    expect(shown).toContain("151\tthe needle");
    expect(shown.split("\n").length).toBeGreaterThan(2);
    expect(new TextEncoder().encode(shown).length).toBeLessThan(limitBytes("output"));
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

test.each([
  [{ handle: "../x" }, "handle: expected letters and digits"],
  [{ handle: "a", startLine: 2, search: "x" }, "name one of"],
  [{ handle: "a", startLine: 3, endLine: 2 }, "endLine: expected >= startLine"],
  [{ handle: "a", search: "" }, "search: expected some text"],
])("%j is refused", async (input, why) => {
  await expect(world.run("recall", input)).rejects.toThrow(why);
});
