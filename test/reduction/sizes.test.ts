import { expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import { sizesOf } from "../../src/reduction/sizes.ts";
import { did, message, says, thinks, words, worked } from "../support/worked.ts";

const sizeOf = (...texts: readonly string[]) => texts.reduce((sum, text) => sum + estimate(text), 0);
const asked = words(100, "ask");
const why = words(110, "why");
const result = words(120, "result");
const again = words(130, "again");
const said = words(140, "said");
const next = words(150, "next");
const { segments, memo } = worked(
  message(asked),
  thinks(why),
  did("a", "Bash", "make", result),
  thinks(again),
  says(said),
  message(next),
);

test("behind a place stands what was sent, and not the newest answer or what came after it", () => {
  const { behind } = sizesOf(segments, memo, "bound");
  expect(behind(0)).toEqual({ behindTokens: sizeOf(asked, why, "make", result), reasoningTokens: sizeOf(why) });
  expect(behind(2)).toEqual({ behindTokens: sizeOf("make", result), reasoningTokens: 0 });
  expect(behind(4)).toEqual({ behindTokens: 0, reasoningTokens: 0 });
});

test("reasoning that the provider does not bind is not lost by a change in front of it", () => {
  expect(sizesOf(segments, memo, "free").behind(0).reasoningTokens).toBe(0);
});

test("a step is the mean of the answers, however many pieces each has", () => {
  const { totalTokens, historyTokens, stepTokens } = sizesOf(segments, memo, "bound");
  expect(totalTokens).toBe(sizeOf(asked, why, "make", result, again, said, next));
  expect(historyTokens).toBe(totalTokens);
  expect(stepTokens).toBe(totalTokens / 2);
});
