import { describe, expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import { firstForm } from "../../src/digest/first-form.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { promptPage } from "../../src/tools/recall-page.ts";
import { partOf } from "../../src/tools/recall-part.ts";

const records = Array.from({ length: 8_000 }, (_, n) => ({
  id: `cust-${n}`,
  name: `Customer Näme ${n} 客户`,
  status: n === 4_321 ? "failed" : "ok",
  tags: ["a", "b"],
  note: `${"x".repeat(90)}${n}`,
}));
const formOf = (text: string) =>
  firstForm({ tool: "mcp__crm__list", text, exitCode: null, form: "output", handle: handleOf(hashOf(text)) }).text;
const nothing = { startLine: undefined, endLine: undefined, column: undefined, grep: undefined, search: undefined };
const recall = (text: string, jsonPath: string) => {
  const part = partOf("h", text, { ...nothing, jsonPath }, promptPage);
  return part.type === "text" ? part.text : part.why;
};

describe.each([
  ["a list", JSON.stringify(records), "$"],
  ["a list in a member", JSON.stringify({ total: 8_000, data: { items: records } }), "$.data.items"],
  ["a list with white space", JSON.stringify(records, null, 2), "$"],
])("C-043 · 8,000 records as %s", (_, text, path) => {
  const shown = formOf(text);
  const note = shown.split("\n").at(-1) ?? "";

  test("are within the cap of an output, as whole records, in whole characters", () => {
    expect(text.length).toBeGreaterThan(1_400_000);
    expect(estimate(shown)).toBeLessThanOrEqual(bounds.outputTokensMax);
    expect(shown.isWellFormed()).toBe(true);
    const ids = [...shown.matchAll(/"id":"cust-(\d+)"/g)].map(([, n]) => Number(n));
    expect(ids.length).toBeGreaterThan(5);
    expect(ids).toContain(4_321);
    for (const n of ids) expect(shown).toContain(JSON.stringify(records[n]));
  });

  test("say how many there are, how large it is, and how the rest is read", () => {
    expect(note).toContain("8000 items");
    expect(note).toContain(`${text.length} characters in all`);
    expect(note).toContain(`recall handle=${handleOf(hashOf(text))}`);
    const [, from = "", to = ""] = /jsonPath=[$.\w]+\[(\d+):(\d+)\]/.exec(note) ?? [];
    const page = recall(text, `${path}[${from}:${to}]`);
    const values = `[${text.includes("\n") ? page.replaceAll(/^ {2}\},?$/gm, "},").replace(/,$/, "") : page.replaceAll("\n", ",")}]`;
    expect(JSON.parse(values)).toEqual(records.slice(Number(from), Number(to)));
  });
});

test("C-043 · items whose numbers reading would change are shown as they were written, whole", () => {
  const item = (n: number) =>
    `{"id": "c${n}", "price": ${n}.50, "big": 12345678901234567890, "note": "${"x".repeat(90)}"}`;
  const items = Array.from({ length: 8_000 }, (_, n) => item(n)).join(", ");
  for (const text of [`[${items}]`, `{"total": 8000, "data": {"items": [${items}], "next": 1.0}}`]) {
    const shown = formOf(text);
    expect(estimate(shown)).toBeLessThanOrEqual(bounds.outputTokensMax);
    const ids = [...shown.matchAll(/"id": "c(\d+)"/g)].map(([, n]) => Number(n));
    expect(ids.length).toBeGreaterThan(5);
    expect(ids).toContain(7_999);
    for (const n of ids) expect(shown).toContain(item(n));
    expect(shown).toMatch(/8000 items, whole ones by jsonPath=\$[.\w]*\[\d+:\d+\]; items as they were written/);
  }
});

test("a range of items, or one member of each, stands line by line as it was written", () => {
  const text = '{"a":[{"n":1.0},{"n":2.50,"m":"x"},{"m":"y"}]}';
  expect(recall(text, "$.a[0:2]")).toBe('{"n":1.0}\n{"n":2.50,"m":"x"}');
  expect(recall(text, "$.a[-1:]")).toBe('{"m":"y"}');
  expect(recall(text, "$.a[*].n")).toBe("1.0\n2.50\n");
  expect(recall(text, "$.a[:].m")).toBe('\n"x"\n"y"');
  expect(recall(text, "$.a[5:9]")).toContain("$.a has no 5:9; it is an array of 3");
  expect(recall(text, "$.a[*].z")).toContain('has no "z"; it has the keys n');
});

test("a short list has nothing to say of its length", () => {
  expect(formOf(JSON.stringify(records.slice(0, 40)))).not.toContain(" items,");
});
