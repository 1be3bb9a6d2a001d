import { describe, expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import { firstForm } from "../../src/digest/first-form.ts";
import { pageLine } from "../../src/digest/page-line.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { promptPage } from "../../src/tools/recall-page.ts";
import { partOf } from "../../src/tools/recall-part.ts";
import { devtoolsPage, playwrightPage } from "../support/page.ts";

const formOf = (text: string, more: { readonly request?: string; readonly call?: string } = {}) =>
  firstForm({
    tool: "mcp__pw__browser_snapshot",
    text,
    exitCode: null,
    form: "output",
    handle: handleOf(hashOf(text)),
    ...more,
  }).text;

const nothingWanted = {
  startLine: undefined,
  endLine: undefined,
  column: undefined,
  jsonPath: undefined,
  grep: undefined,
};

describe.each([
  ["Playwright", playwrightPage(), (role: string, name: string) => new RegExp(`- ${role} "${name}" \\[ref=e\\d+\\]`)],
  ["Chrome's tools", devtoolsPage(), (role: string, name: string) => new RegExp(`uid=1_\\d+ ${role} "${name}"`)],
])("a large page of %s", (_, page, element) => {
  test("costs at most 15 % of its tokens, and no more than any output may", () => {
    const tokens = estimate(formOf(page));
    expect(tokens).toBeLessThan(estimate(page) * 0.15);
    expect(tokens).toBeLessThanOrEqual(bounds.outputTokensMax);
  });

  test("what can be used stands there with its ref, also behind a long table", () => {
    const shown = formOf(page);
    expect(shown).toMatch(element("textbox", "Customer"));
    expect(shown).toMatch(element("combobox", "Status"));
    expect(shown).toMatch(element("button", "Search orders"));
    expect(shown).toMatch(element("button", "Export as CSV"));
    expect(shown).toMatch(element("link", "Imprint"));
  });

  test("what the user named stands there, wherever it is: by its own name, or by what its row says", () => {
    expect(formOf(page, { request: "Please press Edit 171." })).toMatch(element("button", "Edit 171"));
    expect(formOf(page, { request: "change order 1222" })).toMatch(element("button", "Edit 222"));
    expect(formOf(page, { call: '{"element":"Edit 133"}' })).toMatch(element("button", "Edit 133"));
  });

  test("what is left out is counted by kind, with the way to it", () => {
    expect(formOf(page)).toMatch(
      /^\[… elements left out: .*button \d+ of 302.*; one with its ref: recall handle=\w+ search="its name" …\]$/m,
    );
  });

  test("every line of the form is a line of the page or a note", () => {
    const lines = new Set(page.split("\n"));
    for (const line of formOf(page).split("\n")) expect(lines.has(line) || line.startsWith("[")).toBe(true);
  });

  test("every label and every ref is reached by one recall", () => {
    for (const line of page.split("\n")) {
      const found = pageLine(line);
      if (found === null || found.ref === null) continue;
      for (const search of [found.name, found.ref].filter((words) => words !== "")) {
        const part = partOf("h", page, { ...nothingWanted, search }, promptPage);
        expect(part.type === "text" && part.text.includes("\t")).toBe(true);
        if (search === found.ref || /^(?:Edit|Customer) \d+/.test(search))
          expect(part.type === "text" ? part.text : "").toContain(line.trim());
      }
    }
  });

  test("a page of twice the size costs no more", () => {
    expect(estimate(formOf(playwrightPage({ rows: 600 })))).toBeLessThanOrEqual(bounds.outputTokensMax);
  });
});

test("a page that stands as a text in JSON is shown as a page, and each of its elements is found by one recall", () => {
  const packed = JSON.stringify({ ok: true, content: [{ type: "text", text: playwrightPage() }] });
  const shown = formOf(packed, { request: "press Edit 171" });
  expect(estimate(shown)).toBeLessThan(estimate(packed) * 0.15);
  expect(shown).toMatch(/button "Export as CSV" \[ref=e\d+\]/);
  expect(shown).toMatch(/button "Edit 171" \[ref=e\d+\]/);
  expect(shown).toContain("shown is the text at $.content[0].text");
  const part = partOf("h", packed, { ...nothingWanted, search: "Edit 233" }, promptPage);
  expect(part.type === "text" ? part.text : "").toMatch(/button \\"Edit 233\\" \[ref=e\d+\]/);
});

test("on a page whose elements fit, all that can be used is there", () => {
  const page = playwrightPage({ rows: 20 });
  const shown = formOf(page);
  expect(shown.length).toBeLessThan(page.length);
  for (let n = 0; n < 20; n++) expect(shown).toContain(`button "Edit ${n}" [ref=`);
  for (let n = 0; n < 20; n++) expect(shown).toContain(`link "Section ${n}" [ref=`);
  expect(shown).not.toContain("elements left out");
});

test("of a page too large to weigh every line of, what was named is still found", () => {
  const page = playwrightPage({ rows: 3_000 });
  expect(formOf(page, { request: "Press Edit 1555" })).toContain('button "Edit 1555" [ref=');
});

test.each([
  ['- button "Save" [ref=e12] [cursor=pointer]:', { indent: 0, role: "button", name: "Save", ref: "e12" }],
  [`    - 'link "Say \\"hi\\": now" [ref=f1e3]':`, { indent: 4, role: "link", name: 'Say \\"hi\\": now', ref: "f1e3" }],
  [
    "  - paragraph [ref=e5]: Shown 300 of 4,200",
    { indent: 2, role: "paragraph", name: "Shown 300 of 4,200", ref: "e5" },
  ],
  ["  - text: Customer", { indent: 2, role: "text", name: "Customer", ref: null }],
  ['  uid=1_20 StaticText "Home"', { indent: 2, role: "StaticText", name: "Home", ref: "1_20" }],
  ["- Page URL: http://127.0.0.1/", null],
  ["  - /url: /section/1", null],
  ["### Snapshot", null],
])("%s", (line, element) => {
  expect(pageLine(line)).toEqual(element);
});
