import type { Told } from "./estimate-explain.ts";
import { percentile, rounded } from "./timing.ts";

/** METRICS 5, *Tokens*, as shares of 1; null where there was nothing to measure. */
export type Gates = {
  readonly calls: number;
  /** (i) Of what no report had covered: results and messages, and answers whose report cannot be true. */
  readonly added: Quantiles | null;
  /** The same error as a share of all by which the prompt grew, the answer included. */
  readonly grown: Quantiles | null;
  /** (ii) Of the whole prompt, at the first call after each break. */
  readonly afterBreak: (Quantiles & { readonly breaks: number }) | null;
  /** (iii) Calls whose prompt was above prediction and margin. */
  readonly aboveMargin: number;
  /** The margin that this took, in the mean of the calls. */
  readonly meanMarginTokens: number;
};

type Quantiles = { readonly p50: number; readonly p95: number };

export function gatesOf(told: readonly Told[]): Gates {
  const warm = told.filter(({ step }) => step.break === null);
  const broken = told.filter(({ step }) => step.break !== null);
  const afterBreak = quantiles(broken.map(({ step }) => missBy(step) / step.reported));
  const shares = (of: (one: Told) => number) =>
    quantiles(warm.flatMap((one) => (of(one) > 0 ? [missBy(one.step) / of(one)] : [])));
  return {
    calls: told.length,
    added: shares(({ real }) => real),
    grown: shares(({ step }) => step.reported - step.promptBefore),
    afterBreak: afterBreak === null ? null : { breaks: broken.length, ...afterBreak },
    aboveMargin: told.filter(isAboveMargin).length,
    meanMarginTokens: Math.round(told.reduce((sum, { step }) => sum + step.marginTokens, 0) / Math.max(1, told.length)),
  };
}

export type NotInFile = {
  readonly calls: number;
  /** Of all calls. */
  readonly share: number;
  /** Above prediction and margin: how many of the calls above are of these. */
  readonly aboveMargin: number;
  /** Tokens the providers counted beyond the text at hand, and text at hand that they did not count. */
  readonly moreTokens: number;
  readonly lessTokens: number;
  /** Error of an exact count times the session's own rate, on all calls: as good as any tokenizer can be with these files. */
  readonly exactFit: Quantiles | null;
  /** Where it happened, most tokens first. */
  readonly places: readonly { readonly place: string; readonly calls: number; readonly tokens: number }[];
};

export function notInFile(told: readonly Told[]): NotInFile {
  const odd = told.filter(({ inFile }) => inFile !== "whole");
  const beyond = (side: Told["inFile"]) =>
    Math.round(odd.filter(({ inFile }) => inFile === side).reduce((sum, one) => sum + beyondTokens(one), 0));
  const warm = told.filter(({ step, real }) => step.break === null && real > 0);
  return {
    calls: odd.length,
    share: rounded(odd.length / Math.max(1, told.length)),
    aboveMargin: odd.filter(isAboveMargin).length,
    moreTokens: beyond("more"),
    lessTokens: beyond("less"),
    exactFit: quantiles(warm.map(({ real, fit }) => Math.abs(real - fit) / real)),
    places: placesOf(odd),
  };
}

function placesOf(odd: readonly Told[]): NotInFile["places"] {
  return [...Map.groupBy(odd, placeOf)]
    .map(([place, own]) => ({
      place,
      calls: own.length,
      tokens: Math.round(own.reduce((sum, one) => sum + beyondTokens(one), 0)),
    }))
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, placesMax);
}

const placesMax = 12;

function placeOf({ step, inFile }: Told): string {
  if (step.break !== null) return `${inFile} after ${step.break}`;
  const added = step.added.map(({ block }) => block);
  if (added.some(({ role, kind }) => role === "user" && kind === "text")) return `${inFile} with a message`;
  const tool = added.findLast(({ kind }) => kind === "tool-result")?.tool;
  return `${inFile} with a result of ${tool ?? "no tool"}`;
}

function beyondTokens({ real, fit }: Told): number {
  return Math.abs(real - fit);
}

function isAboveMargin({ step }: Told): boolean {
  return step.reported > step.predicted + step.marginTokens;
}

function missBy({ predicted, reported }: Told["step"]): number {
  return Math.abs(reported - predicted);
}

function quantiles(values: readonly number[]): Quantiles | null {
  return values.length === 0 ? null : { p50: rounded(percentile(values, 0.5)), p95: rounded(percentile(values, 0.95)) };
}
