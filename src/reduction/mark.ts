import { lineShares } from "../budget/window.ts";
import type { Costs } from "./costs.ts";

/**
 * By how much a request under pressure is over the mark to which it should come down. Whoever asks has measured it, with a
 * margin on top: it is at least as long as its pressure says, whatever our estimate of its segments is.
 */
export function overMark(totalTokens: number, costs: Costs): number {
  const { pressure, lineTokens, headTokens } = costs;
  const measured = pressure === "hard" ? lineTokens : (lineTokens / lineShares.hard) * lineShares.auto;
  const over = Math.max(headTokens + totalTokens, measured) - sharedTokens(costs, markShares);
  return over <= 0 ? over : Math.max(over, pressureTokensMin);
}

/** Low-water mark: what is aimed at where finished work is collapsed or folded, the head included. */
export function targetTokens(costs: Pick<Costs, "lineTokens" | "headTokens">): number {
  return Math.floor(sharedTokens(costs, targetShares));
}

/** Of the hard line, or of what the head leaves of it, whichever is more: where the head is most of it, the newest work still stays. */
type Shares = { readonly ofLine: number; readonly ofRoom: number };

/**
 * The same for a window that slides: half of what the head leaves. Nothing of it need be read again, so the mark is not kept
 * up for the cache's sake.
 */
export function slideTokens({ lineTokens, headTokens }: Pick<Costs, "lineTokens" | "headTokens">): number {
  return Math.max(0, Math.floor((lineTokens - headTokens) * slideShare));
}

const slideShare = 0.5;

/** A reduction that brings less would call for the next one soon. */
const markShares: Shares = { ofLine: 0.6, ofRoom: 0.3 };
/** Less is not worth a break, however near the mark is. */
const pressureTokensMin = 4_000;
/** DESIGN 6: low-water 50 %. */
const targetShares: Shares = { ofLine: 0.5, ofRoom: 0.2 };

function sharedTokens(
  { lineTokens, headTokens }: Pick<Costs, "lineTokens" | "headTokens">,
  { ofLine, ofRoom }: Shares,
): number {
  return Math.max(lineTokens * ofLine, headTokens + (lineTokens - headTokens) * ofRoom);
}
