import { describe, expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import { isPageChange } from "../../src/digest/page-change.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { itemsOf } from "../../src/kernel/vector.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { decodedBody, segmentsOf } from "../support/bodies.ts";
import { playwrightPage } from "../support/page.ts";
import { fakeTool, testWorld } from "../support/world.ts";

const tool = "mcp__pw__page_click";
/** Some 30 KB. */
const rows = 110;
const other = { rows: 90, url: "http://127.0.0.1:8080/customers", refs: "f1", button: "Add customer" };

/** One row of a hundred has another state after each action. */
const actions = (from: number, count: number) => {
  const states: Record<number, string> = {};
  for (let n = from; n < from + count; n++) states[n * 7] = `shipped ${n}`;
  return states;
};

async function play(pages: readonly string[], request = "look after the orders") {
  const calls = pages.map((_, n) => ({ text: `step ${n}`, calls: [{ id: `c${n}`, tool, input: { n } }] }));
  const model = scriptedModel([...calls, { text: "done" }]);
  const world = await testWorld({
    model,
    tools: [fakeTool(tool, false, async ({ n }) => pages[Number(n)] ?? "")],
    windowTokens: 200_000,
  });
  const session = await world.open();
  await session.prompt(request);
  const results = segmentsOf(model.bodies.at(-1) ?? "")
    .filter(({ kind }) => kind === "tool-result")
    .map(({ text }) => text ?? "");
  return { world, session, results, bodies: model.bodies };
}

describe("C-059 · each small action returns the whole page again", () => {
  const first = Array.from({ length: 10 }, (_, n) => playwrightPage({ rows, states: actions(1, n) }));
  const second = Array.from({ length: 3 }, (_, n) => playwrightPage({ ...other, states: actions(1, n) }));
  const pages = [...first, ...second];

  test("one copy of each page, and what has changed since; all of it by handle; nothing that was sent is written anew", async () => {
    expect(first.every((page) => page.length > 25_000)).toBe(true);
    const { world, session, results, bodies } = await play(pages);
    expect(results.map(isPageChange)).toEqual(pages.map((_, n) => n !== 0 && n !== 10));
    // Two copies under the cap and eleven notes, of 13 pages of some 10,000 tokens.
    expect(results.reduce((sum, text) => sum + estimate(text), 0)).toBeLessThan(2 * 2_000 + 11 * 250);
    for (const [n, text] of results.entries()) {
      if (!isPageChange(text)) continue;
      expect(text).toContain(`> ${lineOf(pages[n] ?? "", `shipped ${n < 10 ? n : n - 10}`)}`);
      expect(text).toContain(handleOf(hashOf(pages[n - 1] ?? "")));
      expect(text).toContain(`recall handle=${handleOf(hashOf(pages[n] ?? ""))}`);
      expect(text).toContain(n < 10 ? "http://127.0.0.1:8080/orders" : "http://127.0.0.1:8080/customers");
    }
    const texts = new Map([...itemsOf(session.state().originals)].map(({ handle, text }) => [handle, text]));
    for (const page of pages) {
      const text = texts.get(handleOf(hashOf(page)));
      expect(typeof text === "object" ? await world.fx.getBlob(text.blob) : text).toBe(page);
    }
    for (const [n, body] of bodies.entries()) {
      expect(wellformed(decodedBody(body))).toBeNull();
      const before = segmentsOf(bodies[n - 1] ?? body).map(({ hash }) => hash);
      expect(
        segmentsOf(body)
          .map(({ hash }) => hash)
          .slice(0, before.length),
      ).toEqual(before);
    }
  });

  test("every ref that the newest state shows is one of the newest page", async () => {
    const { results } = await play(first);
    const refs = (text: string) => [...text.matchAll(/\[ref=(\w+)\]/g)].map(([, ref]) => ref);
    const newest = new Set(refs(first.at(-1) ?? ""));
    for (const text of results) for (const ref of refs(text)) expect(newest).toContain(ref);
  });
});

test("of two actions in one step the second is a change, too", async () => {
  const [a, b] = [playwrightPage({ rows }), playwrightPage({ rows, states: actions(1, 1) })];
  const model = scriptedModel([{ calls: [0, 1].map((n) => ({ id: `c${n}`, tool, input: { n } })) }]);
  const world = await testWorld({ model, tools: [fakeTool(tool, false, async ({ n }) => (n === 0 ? a : b))] });
  await (await world.open()).prompt("look");
  const results = segmentsOf(model.bodies.at(-1) ?? "").filter(({ kind }) => kind === "tool-result");
  expect(results.map(({ text }) => isPageChange(text ?? ""))).toEqual([false, true]);
});

test("an element that is gone is told without a ref that looks as if it could be used", async () => {
  const page = playwrightPage({ rows });
  const line = lineOf(page, '"Edit 55"');
  const { results } = await play([page, page.replace(`${line}\n`, "")]);
  expect(results[1]).toMatch(/^< button "Edit 55" \(e\d+\)$/m);
  expect(results[1]).not.toContain('Edit 55" [ref=');
});

test("what the user names is shown with its ref, although nothing has changed and the first copy left it out", async () => {
  const page = playwrightPage({ rows: 300 });
  const model = scriptedModel([
    { calls: [{ id: "a", tool, input: {} }] },
    { text: "seen" },
    { calls: [{ id: "b", tool, input: {} }] },
  ]);
  const world = await testWorld({ model, tools: [fakeTool(tool, false, async () => page)], windowTokens: 200_000 });
  const session = await world.open();
  await session.prompt("look at the page");
  expect(model.bodies.at(-1)).not.toContain("Edit 222");
  await session.prompt("now press Edit 222");
  const newest = segmentsOf(model.bodies.at(-1) ?? "").findLast(({ kind }) => kind === "tool-result")?.text ?? "";
  expect(isPageChange(newest)).toBe(true);
  expect(newest).toContain("nothing else has changed");
  expect(newest).toContain(lineOf(page, '"Edit 222"').trim());
});

test("a page of which much is new enters as a page, and so does one that is small", async () => {
  const page = playwrightPage({ rows });
  const states = Object.fromEntries(Array.from({ length: rows }, (_, n) => [n, `moved ${n}`]));
  const { results } = await play([page, playwrightPage({ rows, states }), playwrightPage({ rows: 0 })]);
  expect(results.map(isPageChange)).toEqual([false, false, false]);
});

test("with pointers off pages enter as they are made", async () => {
  const page = playwrightPage({ rows });
  const model = scriptedModel([{ calls: [{ id: "a", tool, input: {} }] }, { calls: [{ id: "b", tool, input: {} }] }]);
  const reductions = { clearing: "off", collapsing: "off", summaries: "off", pointers: "off" } as const;
  const world = await testWorld({ model, tools: [fakeTool(tool, false, async () => page)], reductions });
  await (await world.open()).prompt("look");
  expect(model.bodies.at(-1)).not.toContain("[The same page as");
});

function lineOf(page: string, words: string): string {
  return page.split("\n").find((line) => line.includes(words)) ?? "";
}
