import { addCounts, noCounts } from "../budget/count.ts";
import { answerMarkTokens, carriedTokens, correct, initialEstimate, predict } from "../budget/learn.ts";
import { noUsage } from "../kernel/usage.ts";
import { countsOf } from "../reduction/segment-tokens.ts";
import { tokensIn } from "./shown.ts";
import type { Line } from "./varve-lines.ts";

/** Sizes before sending as the agent knows them: from the last report, and an estimate of what came since. */
export type Meter = {
  /** With the margin that law 5 asks for. */
  readonly sizeOf: (lines: readonly Line[]) => number;
  /** These were sent; the provider reports their tokens, and the estimate learns from it. */
  readonly sent: (lines: readonly Line[]) => void;
  readonly wasSent: (line: Line) => boolean;
};

export function openMeter(headTokens: number): Meter {
  let estimate = initialEstimate;
  let newest: readonly Line[] = [];
  let measured: ReadonlySet<Line> = new Set();
  const reportOf = (lines: readonly Line[]) => headTokens + tokensIn(lines.map(({ shown }) => shown));
  return {
    sizeOf: (lines) => {
      const { carried, counts } = basisOf(lines);
      const { tokens, marginTokens } = predict(estimate, carried, counts);
      return tokens + marginTokens;
    },
    sent: (lines) => {
      const { carried, counts } = basisOf(lines);
      const of = carried === null ? "whole" : "increment";
      const actualTokens = reportOf(lines) - (carried ?? 0);
      estimate = correct(estimate, { of, counts, actualTokens, trust: "reported" });
      newest = lines;
      measured = new Set(lines);
    },
    wasSent: (line) => measured.has(line),
  };

  /** As `ledger/forecast.ts` has it: after a break what stays has the tokens it was measured to have. */
  function basisOf(lines: readonly Line[]) {
    const fixed = (tokens: number) => ({ ...noCounts, fixed: tokens });
    const countOf = (added: readonly Line[]) => added.map(({ segment }) => countsOf(segment));
    if (newest.length === 0) return { carried: null, counts: countOf(lines).reduce(addCounts, fixed(headTokens)) };
    if (newest.every((line, at) => lines[at] === line)) {
      const came = lines.slice(newest.length);
      const output = tokensIn(came.filter(isAnswer).map(({ shown }) => shown));
      const carried = carriedTokens({ ...noUsage, uncached: reportOf(newest), output }, "kept");
      return {
        carried,
        counts: countOf(came.filter((line) => !isAnswer(line))).reduce(addCounts, {
          ...noCounts,
          marks: output > 0 ? answerMarkTokens : 0,
        }),
      };
    }
    const known = reportOf(lines.filter((line) => measured.has(line)));
    const added = lines.filter((line) => !measured.has(line));
    return { carried: 0, counts: countOf(added).reduce(addCounts, fixed(known)) };
  }
}

function isAnswer({ segment }: Line): boolean {
  return segment.role === "assistant";
}
