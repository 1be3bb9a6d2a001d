import { expect, test } from "vitest";
import { brand, type Handle } from "../../src/kernel/ids.ts";
import { applyPlan } from "../../src/reduction/apply-plan.ts";
import type { FoldBlock } from "../../src/reduction/fold.ts";

const items = ["a", "b", "c", "d", "e"];
const handle: Handle = brand("h");
const block = (before: number | null): FoldBlock => ({ before, text: "folded", original: { handle, text: "all" } });
const makers = {
  clipped: (item: string, { text }: { readonly text: string }) => `${item}:${text}`,
  folded: ({ text }: FoldBlock) => text,
};
const fold = (drops: readonly (readonly [number, number])[], made: FoldBlock | null) =>
  ({ type: "fold", drops, block: made, reasoningTokensLost: 0 }) as const;

test("nothing to do is the same list", () => {
  expect(applyPlan(items, { type: "nothing" }, makers)).toBe(items);
});

test("a shorter form takes the place of its item and of no other", () => {
  const clips = [{ segment: 1, text: "short", handle }];
  expect(applyPlan(items, { type: "forms", clips }, makers)).toEqual(["a", "b:short", "c", "d", "e"]);
});

test("a fold stands in front of the segment it names, in place of all ranges that were dropped", () => {
  const plan = {
    type: "break",
    fold: fold(
      [
        [0, 0],
        [2, 3],
      ],
      block(1),
    ),
    clips: [],
  } as const;
  expect(applyPlan(items, plan, makers)).toEqual(["folded", "b", "e"]);
});

test("a fold in front of nothing stands at the end; in front of a dropped segment it still stands", () => {
  const atEnd = { type: "break", fold: fold([[0, 1]], block(null)), clips: [] } as const;
  expect(applyPlan(items, atEnd, makers)).toEqual(["c", "d", "e", "folded"]);
  const atDropped = { type: "break", fold: fold([[1, 1]], block(1)), clips: [] } as const;
  expect(applyPlan(items, atDropped, makers)).toEqual(["a", "folded", "c", "d", "e"]);
});

test("a break without a block only leaves out, and cuts what it is told to", () => {
  const plan = { type: "break", fold: fold([[4, 4]], null), clips: [{ segment: 0, text: "x", handle }] } as const;
  expect(applyPlan(items, plan, makers)).toEqual(["a:x", "b", "c", "d"]);
});
