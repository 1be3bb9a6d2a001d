import { expect, test } from "vitest";
import { addCounts, classify, noCounts, totalOf } from "../../src/budget/count.ts";
import { correct, initialEstimate, predict } from "../../src/budget/learn.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import { basisOf } from "../../src/ledger/forecast.ts";
import { afterBreak, emptyLane, type NotedSegment } from "../../src/ledger/lane.ts";
import { countForeign, foreignTexts } from "../budget/foreign.ts";
import { attempt, received, settle } from "./build.ts";

const foreign = { name: "fine", rate: 1.15, cjkRate: 1.3, overheadTokens: 1_350, blockTokens: 8 };

type Part = NotedSegment & { readonly text: string };

test("METRICS 5 · the first prompt after a break: error p95 <= 5 %, and none above prediction and margin", () => {
  const errors: number[] = [];
  const above: string[] = [];
  for (let seed = 1; seed <= 25; seed++) {
    for (const { error, excess } of breaks(seed)) {
      errors.push(error);
      if (excess > 0) above.push(`seed ${seed}: ${excess} tokens above`);
    }
  }
  errors.sort((a, b) => a - b);
  expect(errors.length).toBeGreaterThanOrEqual(100);
  expect(errors[Math.floor(errors.length * 0.95)]).toBeLessThanOrEqual(0.05);
  expect(above).toEqual([]);
});

/** A lane of 100 steps that drops all but its head and newest 24 parts every twenty, and adds a new fold text. */
function* breaks(seed: number): Iterable<{ readonly error: number; readonly excess: number }> {
  const text = foreignTexts(seed);
  const part = (role: "system" | "user"): Part => {
    const own = text();
    return {
      hash: hashOf(own),
      kind: role === "system" ? "system" : "text",
      role,
      tokens: totalOf(classify(own)),
      text: own,
    };
  };
  const head = Array.from({ length: 10 }, () => part("system"));
  let parts: readonly Part[] = head;
  let memo = emptyLane;
  let state = initialEstimate;
  for (let step = 0; step < 100; step++) {
    const isBreak = step % 20 === 19;
    if (isBreak) {
      memo = afterBreak(memo, "collapsed");
      parts = [...head, part("user"), ...parts.slice(head.length).slice(-24)];
    }
    parts = [...parts, part("user"), part("user")];
    const sent = attempt(parts, { at: step * 1_000 });
    const { carried, measured, added } = basisOf(memo, sent.model, parts);
    const counts = added
      .map((at) => classify(parts[at]?.text ?? ""))
      .reduce(addCounts, { ...noCounts, fixed: measured });
    const prediction = predict(state, carried, counts);
    const actual = foreign.overheadTokens + parts.reduce((sum, one) => sum + countForeign(one.text, foreign), 0);
    if (isBreak) {
      yield {
        error: Math.abs(actual - prediction.tokens) / actual,
        excess: actual - prediction.tokens - prediction.marginTokens,
      };
    } else {
      const of = carried === null ? "whole" : "increment";
      state = correct(state, { of, counts, actualTokens: actual - (carried ?? 0), trust: "reported" });
    }
    memo = settle(memo, sent, received({ cacheWrite5m: actual })).memo;
  }
}
