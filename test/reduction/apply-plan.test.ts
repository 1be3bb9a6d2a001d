import { expect, test } from "vitest";
import { brand, type Handle } from "../../src/kernel/ids.ts";
import { applyPlan } from "../../src/reduction/apply-plan.ts";
import type { FoldBlock } from "../../src/reduction/fold.ts";
import type { Plan } from "../../src/reduction/plan.ts";

const items = ["a", "b", "c", "d", "e"];
const handle: Handle = brand("h");
const block = (before: number | null): FoldBlock => ({ before, text: "folded", original: { handle, text: "all" } });
const makers = {
  clipped: (item: string, { text }: { readonly text: string }) => `${item}:${text}`,
  cleared: (item: string, { text }: { readonly text: string }) => `${item}-${text}`,
  folded: ({ text }: FoldBlock) => text,
  written: (item: string, { text }: { readonly text: string }) => `${item}=${text}`,
};
const compacted = (
  drops: readonly (readonly [number, number])[],
  made: FoldBlock | null,
  clips: Extract<Plan, { readonly type: "forms" }>["clips"] = [],
): Plan => ({
  type: "break",
  reason: "compacted",
  fold: { type: "fold", drops, block: made, reasoningTokensLost: 0 },
  clips,
});

test("nothing to do is the same list", () => {
  expect(applyPlan(items, { type: "nothing" }, makers)).toBe(items);
});

test("a shorter form takes the place of its item and of no other", () => {
  const clips = [{ segment: 1, text: "short", handle }];
  expect(applyPlan(items, { type: "forms", clips }, makers)).toEqual(["a", "b:short", "c", "d", "e"]);
});

test("what was cleared stands where it stood, and reasoning behind it is left out", () => {
  const numbers = {
    reason: "rent",
    prices: "known",
    savedTokens: 1,
    behindTokens: 1,
    reasoningTokens: 1,
    rent: 1,
    price: 1,
    recalls: 0,
    rates: { read: 0.1, write: 1.25, output: 5 },
  } as const;
  const stubs = [{ segment: 1, text: "stub", handle }];
  const plan: Plan = { type: "break", reason: "cleared", stubs, drops: [[3, 3]], numbers };
  expect(applyPlan(items, plan, makers)).toEqual(["a", "b-stub", "c", "e"]);
});

test("a fold stands in front of the segment it names, in place of all ranges that were dropped", () => {
  const drops = [
    [0, 0],
    [2, 3],
  ] as const;
  expect(applyPlan(items, compacted(drops, block(1)), makers)).toEqual(["folded", "b", "e"]);
});

test("a fold in front of nothing stands at the end; in front of a dropped segment it still stands", () => {
  expect(applyPlan(items, compacted([[0, 1]], block(null)), makers)).toEqual(["c", "d", "e", "folded"]);
  expect(applyPlan(items, compacted([[1, 1]], block(1)), makers)).toEqual(["a", "folded", "c", "d", "e"]);
});

test("a break without a block only leaves out, and cuts what it is told to", () => {
  const plan = compacted([[4, 4]], null, [{ segment: 0, text: "x", handle }]);
  expect(applyPlan(items, plan, makers)).toEqual(["a:x", "b", "c", "d"]);
});

test("a result that lost its carrier is written out in the same break", () => {
  const written = [{ segment: 4, text: "all", pointers: null }];
  const fold = { type: "fold", drops: [[0, 1]], block: block(2), reasoningTokensLost: 0 } as const;
  const plan: Plan = { type: "break", reason: "compacted", fold, clips: [], written };
  expect(applyPlan(items, plan, makers)).toEqual(["folded", "c", "d", "e=all"]);
});
