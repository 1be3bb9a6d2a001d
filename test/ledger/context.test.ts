import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { priceOf } from "../../src/budget/prices.ts";
import { limitsOf } from "../../src/budget/window.ts";
import { type ContextSegment, contextView } from "../../src/ledger/context.ts";
import { contextText } from "../../src/ledger/context-text.ts";
import { emptyLane } from "../../src/ledger/lane.ts";
import { attempt, received, segs, settle } from "./build.ts";

const model = "claude-opus-5-5";
const limits = limitsOf({ model, outputTokensMax: 32_000 });
const price = priceOf(model, 0, 1_000);

const tagged = (names: string): readonly ContextSegment[] =>
  segs(names).map((segment, at) => ({
    ...segment,
    text: segment.kind === "tool-result" ? `first line of ${at}\nmore` : `text ${at}`,
    ...(segment.kind === "tool-result" ? { tool: at % 2 === 0 ? "Read" : "Bash", handle: `abc${at}` } : {}),
    isUserContext: at === 3,
  }));

const segments = tagged("t1 t2 s1 u1 u2 a1 r1 r2 r3");
const view = contextView({ segments, lane: emptyLane, limits, price });

describe("what fills the window", () => {
  test("by category, in the order of the prompt", () => {
    expect(view.categories.map(({ name, tokens }) => [name, tokens])).toEqual([
      ["tools", 2_000],
      ["system", 1_000],
      ["user context", 1_000],
      ["messages", 2_000],
      ["tool results", 3_000],
    ]);
  });
  test("tool results are told apart by tool", () => {
    expect(view.categories.at(-1)?.tools).toEqual([
      { tool: "Read", tokens: 2_000, share: 22.2 },
      { tool: "Bash", tokens: 1_000, share: 11.1 },
    ]);
  });
  test("M-22 · a definition that a search brought is counted with the tools, wherever it stands", () => {
    const { categories } = contextView({
      segments: segments.map((one, at) =>
        at === 6 ? { ...one, tool: "ToolSearch" } : at === 7 ? { ...one, kind: "tool", tool: "mcp__a__b" } : one,
      ),
      ...{ lane: emptyLane, limits, price },
    });
    const tokens = Object.fromEntries(categories.map((one) => [one.name, one.tokens]));
    expect(tokens).toMatchObject({ tools: 4_000, "tool results": 1_000 });
  });
  test("what was attached is apart, by its kind, and called by its name", () => {
    const attached = { kind: "instructions", name: "/w/app/CLAUDE.md" };
    const { categories, items } = contextView({
      segments: segments.map((one, at) => (at === 4 ? { ...one, attached } : one)),
      ...{ lane: emptyLane, limits, price },
    });
    expect(categories.find(({ name }) => name === "attached")).toMatchObject({
      tokens: 1_000,
      tools: [{ tool: "instructions", tokens: 1_000 }],
    });
    expect(items.find(({ category }) => category === "attached")).toMatchObject({
      tool: "instructions",
      title: "/w/app/CLAUDE.md",
    });
  });
  test("items are largest first and named by their handle", () => {
    const [largest] = contextView({
      segments: segments.map((one, at) => (at === 7 ? { ...one, tokens: 9_000 } : one)),
      lane: emptyLane,
      limits,
      price,
    }).items;
    expect(largest).toEqual({
      id: "abc7",
      category: "tool results",
      tool: "Bash",
      title: "first line of 7",
      tokens: 9_000,
    });
  });
  test("the percentage is of what is usable", () => {
    expect(view.percent).toBe(Math.round((9_000 / limits.usableTokens) * 1_000) / 10);
  });

  test("C-083 · all parts add up to what is said to be used, whatever the fractions", () => {
    const sizes = fc.array(fc.double({ min: 0, max: 5_000, noNaN: true }), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(sizes, (tokens) => {
        const sized = segments.map((one, at) => ({ ...one, tokens: tokens[at] ?? 0 }));
        const { categories, items, usedTokens } = contextView({ segments: sized, lane: emptyLane, limits, price });
        const sum = (list: readonly { readonly tokens: number }[]) =>
          list.reduce((total, { tokens: own }) => total + own, 0);
        expect(sum(categories)).toBe(usedTokens);
        expect(sum(items)).toBe(usedTokens);
        expect(sum(categories.flatMap((category) => category.tools))).toBe(
          categories.find(({ name }) => name === "tool results")?.tokens ?? 0,
        );
        expect(Math.abs(usedTokens - tokens.reduce((total, own) => total + own, 0))).toBeLessThanOrEqual(0.5 + 1e-6);
      }),
    );
  });

  test("what was reported replaces the estimate, and what came since is said to be estimated", () => {
    const { memo } = settle(emptyLane, attempt(segments.slice(0, 8)), received({ cacheWrite5m: 12_000 }));
    expect(contextView({ segments: segments.slice(0, 8), lane: memo, limits, price })).toMatchObject({
      counted: "reported",
      usedTokens: 12_000,
    });
    expect(contextView({ segments, lane: memo, limits, price })).toMatchObject({
      counted: "partly",
      usedTokens: 13_000,
    });
    expect(view.counted).toBe("estimated");
  });
  test("what the next prompt costs, warm and cold", () => {
    expect(view.nextRequest).toMatchObject({
      warm: { usd: expect.closeTo(0.0018) },
      cold: { usd: expect.closeTo(0.045) },
    });
    const unknown = contextView({ segments, lane: emptyLane, limits, price: priceOf("x", 0, 1) });
    expect(unknown.nextRequest.warm.type).toBe("unknown");
  });
  test("an empty prompt is no division by zero", () => {
    expect(contextView({ segments: [], lane: emptyLane, limits, price })).toMatchObject({
      usedTokens: 0,
      percent: 0,
      categories: [],
    });
  });
});

describe("the text for people", () => {
  const lines = (width: number, color = false) => contextText(view, { width, color }).split("\n");
  test("no line is wider than asked, from 40 columns on", () => {
    for (const width of [40, 60, 80, 200]) {
      const bars = lines(width).filter((line) => /[░▓█]{5}/.test(line));
      for (const line of bars) expect(line.length).toBeLessThanOrEqual(Math.min(width, 100));
    }
  });
  test("the bar is as long as the width and holds the parts in order", () => {
    const small = contextView({
      segments,
      lane: emptyLane,
      limits: limitsOf({ model, settings: { windowTokens: 20_000 }, outputTokensMax: 1_000 }),
      price,
    });
    expect(contextText(small, { width: 40, color: false }).split("\n")[1]).toMatch(/^▓+▒+◇+█+▚+░+$/);
    expect(contextText(small, { width: 40, color: false }).split("\n")[1]).toHaveLength(40);
  });
  test("the lines where something happens stand below it", () => {
    expect(lines(100)[2]?.replace(/ +/g, " ").trim()).toBe("w a h");
  });
  test("without colour there is no escape sequence; with it the same text stands between them", () => {
    const colored = contextText(view, { width: 80, color: true });
    expect(contextText(view, { width: 80, color: false })).not.toContain("\u001b");
    expect(colored).toContain("\u001b[");
    expect(stripVTControlCharacters(colored)).toBe(contextText(view, { width: 80, color: false }));
  });
  test("an assumed window is said loudly, with how to set it", () => {
    const assumed = contextView({
      segments,
      lane: emptyLane,
      limits: limitsOf({ model: "my-model", outputTokensMax: 1_000 }),
      price,
    });
    expect(contextText(assumed, { width: 80, color: false })).toMatch(/ASSUMED: .*models\.json/);
  });
  test("estimates say so", () => {
    expect(contextText(view, { width: 80, color: false })).toContain("about 9,000 of");
    expect(contextText(view, { width: 80, color: false })).toContain("tokens estimated; nothing was reported yet");
  });
  test("control characters of a tool's output never reach the terminal, and wide signs keep the width", () => {
    const nasty = segments.map((one, at) =>
      at === 8 ? { ...one, tokens: 9_999, text: `\u001b]0;owned\u0007\u009b31m${"字".repeat(200)}` } : one,
    );
    const text = contextText(contextView({ segments: nasty, lane: emptyLane, limits, price }), {
      width: 60,
      color: false,
    });
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
    const line = text.split("\n").find((one) => one.includes("字")) ?? "";
    expect([...line].reduce((columns, point) => columns + (point === "字" ? 2 : 1), 0)).toBeLessThanOrEqual(60);
  });
  test("a prompt above the usable window still has a bar of the asked width", () => {
    const small = contextView({
      segments,
      lane: emptyLane,
      limits: limitsOf({ model, settings: { windowTokens: 5_000 }, outputTokensMax: 1_000 }),
      price,
    });
    expect(small.percent).toBeGreaterThan(100);
    expect(contextText(small, { width: 50, color: false }).split("\n")[1]).toHaveLength(50);
  });
});
