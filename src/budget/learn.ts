import { promptTokensOf, type Usage } from "../kernel/usage.ts";
import { type Counts, totalOf } from "./count.ts";

/**
 * What the counts miss, learned from what the provider reports: a hidden overhead (per model and tool set) and one
 * factor per content class (DESIGN 7). Structurally `EstimateState` of the log, where it is kept.
 */
export type EstimateState = {
  readonly overheadTokens: number;
  readonly factors: {
    readonly code: number;
    readonly json: number;
    readonly prose: number;
    readonly cjk: number;
    /** Left out by older logs: 1. */
    readonly marks?: number;
  };
  /** Upper triangle of the 6 x 6 covariance of (overhead, code, json, prose, cjk, marks), row by row. */
  readonly covariance: readonly number[];
  /** Newest relative errors of increments, for the 99 % bound of law 5; at most `errorsMax`. */
  readonly errors: readonly number[];
};

export type Observation = {
  /** `increment`: what was added since the last report. `whole`: a whole prompt, the first of a session or epoch. */
  readonly of: "increment" | "whole";
  readonly counts: Counts;
  /** What the provider says these counts were: reported prompt, less what was carried for an increment. */
  readonly actualTokens: number;
  /** Only `reported` teaches: a local server's evaluated count, dropped reasoning and server-side edits are other sums. */
  readonly trust: "reported" | "evaluated" | "reasoning-dropped" | "server-edited";
};

export type Prediction = { readonly tokens: number; readonly marginTokens: number };

/** Places of the upper triangle, row by row. */
const pairs: readonly (readonly [row: number, column: number])[] = [0, 1, 2, 3, 4, 5].flatMap((row) =>
  [0, 1, 2, 3, 4, 5].filter((column) => column >= row).map((column) => [row, column] as const),
);

export const initialEstimate: EstimateState = {
  overheadTokens: 0,
  factors: { code: 1, json: 1, prose: 1, cjk: 1, marks: 1 },
  covariance: priorCovariance(),
  errors: [],
};

/** What a response leaves in the next prompt: all that was sent, and what was answered as far as it goes back. */
export function carriedTokens(usage: Usage, reasoning: "kept" | "left-out"): number {
  return promptTokensOf(usage) + usage.output - (reasoning === "kept" ? 0 : usage.reasoning);
}

/** Marks of one message of an answer (item, where the wire has them): no part of its output, they come with the next prompt. */
export const answerMarkTokens = 4;

/**
 * Whether an answer that was counted so large can have been reported with this output. A stream that ended before its last
 * report, and some logs, have only what was said at its start: a token or a few.
 */
export function isBelievable(
  { output }: Usage,
  counted: { readonly of: "text" | "all"; readonly tokens: number },
): boolean {
  return output >= counted.tokens * believableShares[counted.of];
}

/** Far below any vocabulary at first; once a lane was doubted, about what a coarse one takes of text and marks. */
const believableShares = { text: 0.3, all: 0.85 } as const;

/** Tokens of the next prompt. `carried` is what the last report says is still there; null: nothing was reported yet. */
export function predict(state: EstimateState, carried: number | null, counts: Counts): Prediction {
  const x = regressors(counts, carried === null ? 1 : 0);
  const added = dot(meanOf(state), x) + counts.fixed;
  const spread = Math.sqrt(variance(covarianceOf(state), x) + noise(added, counts.fixed) + marginNoiseTokens ** 2);
  // One increment that was far off (an image, one odd file) says little of a whole prompt, in which such errors even out.
  const seen = carried === null ? 0 : Math.max(0, ...state.errors) * errorBase(added, counts.fixed) * seenFactor;
  const margin = Math.min(Math.max(sigmas * spread, seen), marginShareMax * added + marginFloorTokens);
  return { tokens: Math.ceil((carried ?? 0) + added), marginTokens: Math.ceil(margin + marginTokensMin) };
}

/** The same reference when there is nothing to learn. Recursive least squares: old prompts need not be kept. */
export function correct(state: EstimateState, observation: Observation): EstimateState {
  const { counts, of, actualTokens, trust } = observation;
  if (trust !== "reported" || totalOf(counts) <= 0 || actualTokens <= 0) return state;
  const x = regressors(counts, of === "whole" ? 1 : 0);
  const expected = dot(meanOf(state), x) + counts.fixed;
  if (actualTokens < expected * plausibleShareMin || !isPlausible(actualTokens, expected)) return state;
  const covariance = covarianceOf(state);
  const doubt = variance(covariance, x) + noise(expected, counts.fixed);
  const limit = (of === "whole" ? sigmas : trustedSigmas) * Math.sqrt(doubt);
  const error = clamp(actualTokens - expected, -limit, limit);
  const px = multiply(covariance, x);
  return {
    ...meanToState(meanOf(state).map((value, at) => value + (px[at] ?? 0) * (error / doubt))),
    covariance: shrink(covariance, px, doubt),
    errors:
      of === "whole" ? state.errors : remember(state.errors, (actualTokens - expected) / (expected + errorFloorTokens)),
  };
}

/** Whether a report can be of what we counted at all. */
export function isPlausible(reportedTokens: number, expectedTokens: number): boolean {
  return reportedTokens <= expectedTokens * plausibleShareMax + plausibleExtraTokens;
}

/**
 * What the largest error seen is taken of. Fixed tokens were measured, not counted: after a break they are nearly all of the
 * prompt, and the errors seen on small increments must not be taken of them.
 */
function errorBase(tokens: number, fixed: number): number {
  return tokens - (1 - fixedErrorShare) * fixed + errorFloorTokens;
}

const fixedErrorShare = 0.05;
const errorsMax = 50;
/** 99 % of a normal error lies below this many standard deviations. */
const sigmas = 2.6;
/**
 * A report further off teaches no more than one just so far: it is likely of text we do not know. By `bench estimate --data
 * DIR` on recorded sessions (even ones) p50 of what was added is 5 % with it and 6 % at 2.6.
 */
const trustedSigmas = 1;
/** The largest of 50 errors is about the 98 % bound; a quarter more makes it the 99 %. */
const seenFactor = 1.25;
/** Below this size wrapping (ids, roles) dominates and relative errors mean nothing: taken of a folded prompt they would fill it. */
const errorFloorTokens = 512;
const marginTokensMin = 32;
const marginFloorTokens = 64;
/** A first request may be twice what was counted, not more: beyond this no small window could ever start. */
const marginShareMax = 1;
/** Outside of these the report counts something else (a cache hit left out, an image, a server's own prompt). */
const plausibleShareMin = 0.3;
const plausibleShareMax = 3.5;
const plausibleExtraTokens = 8_000;
const overheadTokensMax = 60_000;
const factorMin = 0.3;
const factorMax = 4;

/**
 * How far a count may be off by chance, apart from what can be learned. By `bench estimate --data DIR` on recorded sessions
 * (even ones) no prompt whose text is at hand was above its margin from 0.12 on; 0.13 leaves room for others.
 */
function noise(tokens: number, fixed: number): number {
  return (noiseShare * Math.max(0, tokens - fixed)) ** 2 + (fixedNoiseShare * fixed) ** 2 + noiseTokens ** 2;
}

const noiseShare = 0.13;
/** Images, and parts measured in another prompt. */
const fixedNoiseShare = 0.02;
const noiseTokens = 8;
/** A margin never counts on so little. */
const marginNoiseTokens = 48;

/**
 * Before any report: vocabularies differ by a common factor (one counts 30 % more than another on everything) and by
 * class on top. That they move together is why one report on code already helps with prose.
 */
function priorCovariance(): readonly number[] {
  const overhead = 1_500 ** 2;
  const common = 0.2 ** 2;
  const own = [0.12 ** 2, 0.12 ** 2, 0.12 ** 2, 0.25 ** 2];
  // Marks are another thing than text: services differ by a factor of three.
  const marks = 0.7 ** 2;
  return pairs.map(([row, column]) => {
    if (row === 0) return column === 0 ? overhead : 0;
    if (column === 5) return row === 5 ? marks : 0;
    return common + (row === column ? (own[row - 1] ?? 0) : 0);
  });
}

/** A log of before marks were learned knows their certainty for five numbers: all certainty begins anew. */
function covarianceOf({ covariance }: EstimateState): readonly number[] {
  return covariance.length === pairs.length ? covariance : initialEstimate.covariance;
}

/**
 * Nothing is ever quite certain: content changes (code, then logs), so what is known ages with each report. By `estimate` of
 * `varve demo --json` (simulated) p95 of what was added fell from 0.35 at 2e-5 to 0.29 on Gemini, and a little on two others.
 */
const aging = [0, 3e-4, 3e-4, 3e-4, 3e-4, 3e-4];

function shrink(covariance: readonly number[], px: readonly number[], doubt: number): readonly number[] {
  return pairs.map(([row, column], at) => {
    const left = (covariance[at] ?? 0) - ((px[row] ?? 0) * (px[column] ?? 0)) / doubt;
    return round(row === column ? Math.max(left, 0) + (aging[row] ?? 0) : left);
  });
}

function remember(errors: readonly number[], error: number): readonly number[] {
  return [...errors.slice(-(errorsMax - 1)), round(error)];
}

function meanOf(state: EstimateState): readonly number[] {
  const { code, json, prose, cjk, marks = 1 } = state.factors;
  return [state.overheadTokens, code, json, prose, cjk, marks];
}

function meanToState(mean: readonly number[]): Pick<EstimateState, "overheadTokens" | "factors"> {
  const factor = (at: number) => round(clamp(mean[at] ?? 1, factorMin, factorMax));
  return {
    overheadTokens: Math.round(clamp(mean[0] ?? 0, 0, overheadTokensMax)),
    factors: { code: factor(1), json: factor(2), prose: factor(3), cjk: factor(4), marks: factor(5) },
  };
}

function regressors(counts: Counts, overhead: 0 | 1): readonly number[] {
  return [overhead, counts.code, counts.json, counts.prose, counts.cjk, counts.marks];
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

function variance(covariance: readonly number[], x: readonly number[]): number {
  return Math.max(0, dot(multiply(covariance, x), x));
}

function multiply(covariance: readonly number[], x: readonly number[]): readonly number[] {
  const product = [0, 0, 0, 0, 0, 0];
  pairs.forEach(([row, column], at) => {
    const value = covariance[at] ?? 0;
    product[row] = (product[row] ?? 0) + value * (x[column] ?? 0);
    if (row !== column) product[column] = (product[column] ?? 0) + value * (x[row] ?? 0);
  });
  return product;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** Six digits: the state is written to the log after every request. */
function round(value: number): number {
  return Number(value.toPrecision(6));
}
