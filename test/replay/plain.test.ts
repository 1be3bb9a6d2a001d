import { describe, expect, test } from "vitest";
import { chars4 } from "../../src/replay/count.ts";
import { plainRules } from "../../src/replay/plain.ts";
import type { Decision, Strategy } from "../../src/replay/strategy.ts";
import { chainOf, decided, recorded, terms } from "../support/recorded.ts";

const rule = (name: string): Strategy => {
  const found = plainRules.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no rule ${name}`);
  return found;
};
const long = (name: string, chars = 8_000) => `${name} `.padEnd(chars, "x");
const results = (count: number, chars = 8_000) =>
  recorded(chainOf(Array.from({ length: count }, (_, at) => long(`r${at}`, chars))));
const cleared = ({ shown }: Decision) => shown.flatMap(({ callId, handles }) => (handles.length > 0 ? [callId] : []));
const last = (decisions: readonly Decision[]) => {
  const decision = decisions.at(-1);
  if (decision === undefined) throw new Error("no call");
  return decision;
};

describe("plain rules as the reference script states them", () => {
  test("none shows everything as it was", async () => {
    const calls = results(3);
    const shown = last(await decided(rule("none"), calls)).shown.map(({ text }) => text);
    const all = calls.flatMap(({ before, answer }) => [...before, ...answer]).map(({ text }) => text);
    expect(shown).toEqual(all.slice(0, -1));
  });

  test("keep-last-3 clears all results but three, and says when it changed what was sent", async () => {
    const decisions = await decided(rule("keep-last-3"), results(5));
    expect(decisions.map(cleared)).toEqual([[], [], [], [], ["c0"], ["c0", "c1"]]);
    expect(decisions.map((decision) => decision.break)).toEqual([null, null, null, null, "cleared", "cleared"]);
  });

  test("a stub is 16 tokens and leads back to its result", async () => {
    const [stub] = last(await decided(rule("keep-last-3"), results(4))).shown.filter(
      ({ handles }) => handles.length > 0,
    );
    expect(stub?.tokens).toBe(16);
    expect(stub?.handles).toEqual([{ handle: terms().handleOf(long("r0")), callIds: ["c0"] }]);
    expect(stub?.text).toContain(terms().handleOf(long("r0")));
  });

  test("clear-50k-keep-3 waits until the prompt is larger than that", async () => {
    const below = await decided(rule("clear-50k-keep-3"), results(22));
    expect(cleared(last(below))).toEqual([]);
    const above = await decided(rule("clear-50k-keep-3"), results(23));
    expect(cleared(last(above))).toHaveLength(20);
  });

  test("cut-2k shows the first and the last 1,000 characters and 16 tokens between, of longer results only", async () => {
    const text = `${"a".repeat(1_000)}${"b".repeat(500)}${"😀".repeat(1_000)}`;
    const decision = last(await decided(rule("cut-2k"), recorded(chainOf([text, "x".repeat(2_000)]))));
    const cut = decision.shown.filter(({ kind }) => kind === "tool-result");
    expect(cut.map(({ tokens }) => tokens)).toEqual([516, 500]);
    expect(cut[0]?.text?.startsWith("a".repeat(1_000))).toBe(true);
    expect(cut[0]?.text?.endsWith("😀".repeat(1_000))).toBe(true);
    expect(decision.break).toBeNull();
  });

  test("ski-10 acts once the rent has reached the price of acting", async () => {
    const decisions = await decided(rule("ski-10"), results(30));
    const acted = decisions.map((decision) => decision.break).indexOf("cleared");
    // One result too many costs 200 a step to read again; behind it stand ten of 2,000 tokens, 1.15 each.
    const price = (results: number) => 1.15 * results * 2_000;
    const rent = Array.from({ length: acted - 10 }, (_, n) => 0.1 * (n + 1) * 1_984);
    const paid = rent.reduce((sum, one) => sum + one, 0);
    expect(paid).toBeGreaterThanOrEqual(price(10));
    expect(paid - (rent.at(-1) ?? 0)).toBeLessThan(price(10) * 1.1);
    expect(decisions[acted]).toMatchObject({ calls: [], reasoningTokensLost: 0 });
  });

  test("with reads nearly free nothing is worth clearing", async () => {
    const dear = await decided(rule("ski-10"), results(30), {
      terms: terms({ prices: { read: 0.001, write: 1.25, output: 5 } }),
    });
    expect(cleared(last(dear))).toEqual([]);
  });
});

test("characters are code points, four to a token, rounded down", () => {
  expect(["", "abc", "abcd", "😀😀😀😀", "漢字漢字漢"].map(chars4)).toEqual([0, 0, 1, 1, 1]);
});
