import { expect, test } from "vitest";
import { blobsWanted } from "../../src/agent/head.ts";
import { itemsOf } from "../../src/agent/stored-items.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import { brand } from "../../src/kernel/ids.ts";
import { emptyState } from "../../src/log/state.ts";

const noTexts = { get: () => undefined };

test("the accepted plan is shown by its own words, whatever its length: a long one is kept apart and is at hand", () => {
  const plan = `1. "quoted" \\ path\n2. 漢字 😀\n${"step ".repeat(2_000)}`;
  const input = JSON.stringify({ plan });
  const blob = hashOf(input);
  const kept = { ...emptyState, plan: { blob, chars: input.length } };
  expect(blobsWanted(kept)).toContain(blob);
  expect(itemsOf(kept, { get: (hash) => (hash === blob ? input : undefined) }).plan).toBe(plan);
  expect(itemsOf({ ...emptyState, plan: JSON.stringify({ plan: "a\nb" }) }, noTexts).plan).toBe("a\nb");
});

test("an input that is no plan is shown as it is, and none is none", () => {
  expect(itemsOf({ ...emptyState, plan: "{" }, noTexts).plan).toBe("{");
  expect(itemsOf(emptyState, noTexts).plan).toBeNull();
});

test("what runs beside the turn is shown by its name and command", () => {
  const state = { ...emptyState, background: { t1: { callId: brand<"CallId">("c"), command: "npm run dev" } } };
  expect(itemsOf(state, noTexts).background).toEqual([{ task: "t1", command: "npm run dev" }]);
});
