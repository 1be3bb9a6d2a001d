import { unescaped } from "../src/budget/measure.ts";
import { countsOf } from "../src/reduction/segment-tokens.ts";
import type { Step } from "./estimate-walk.ts";
import { percentile } from "./timing.ts";

/** What was added to a prompt, beside an exact count of the text that the file holds of it. */
export type Told = {
  readonly step: Step;
  /** Tokens that no report had covered before. */
  readonly real: number;
  /** The text by o200k. */
  readonly exact: number;
  /** Marks around its blocks, in the estimate's own measure. */
  readonly marks: number;
  /** What the session's own rate makes of text and marks. */
  readonly fit: number;
  /** `more`: the provider counted tokens of which the file holds no text. `less`: text of the file was not in the prompt. */
  readonly inFile: "whole" | "more" | "less";
};

/**
 * Tells errors of the estimate from what a session file does not hold (reminders, notices, closed reasoning, files read
 * again after a compaction, results cut on their way). The yardstick is no part of the estimate: an exact count of another
 * vocabulary times the session's own rate, found in hindsight from all of its calls. What that cannot reach either, give or
 * take a quarter, no tokenizer makes of the text at hand.
 */
export function explain(steps: readonly Step[], exactOf: (text: string) => number): readonly Told[] {
  const rows = steps.map((step) => ({
    step,
    real: step.reported - step.known,
    exact: sum(step.added.map(({ block }) => exactOf(block.kind === "tool-call" ? unescaped(block.text) : block.text))),
    marks: sum(step.added.map(({ segment }) => countsOf(segment).marks)) + step.marks,
  }));
  const warm = rows.filter(({ step, real }) => step.break === null && real > 0);
  const rate = median(warm.filter(({ exact }) => exact >= longTokens).map(({ real, exact }) => real / exact)) ?? 1;
  const short = warm.filter(({ exact, marks }) => exact < longTokens && marks > 0);
  const perMark = Math.max(0, median(short.map(({ real, exact, marks }) => (real - rate * exact) / marks)) ?? 1);
  return rows.map((row) => {
    const fit = rate * row.exact + perMark * row.marks;
    return { ...row, fit, inFile: holding(row.real, fit) };
  });
}

/** From here on marks matter little, and the rate of text shows. */
const longTokens = 400;

function holding(real: number, fit: number): Told["inFile"] {
  if (real > fit * (1 + rateSlack) + slackTokens) return "more";
  return real < fit * (1 - rateSlack) - slackTokens ? "less" : "whole";
}

/** By content one vocabulary differs from another by so much, once their common rate is taken out. */
const rateSlack = 0.25;
const slackTokens = 24;

function median(values: readonly number[]): number | null {
  return values.length === 0 ? null : percentile(values, 0.5);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
