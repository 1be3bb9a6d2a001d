import { lineShares } from "../budget/window.ts";
import type { Handle } from "../kernel/ids.ts";
import type { ClearNumbers } from "../log/entry.ts";
import type { Segment } from "../prompt/segment.ts";
import { newestAnswerStart } from "./answers.ts";
import { candidatesOf } from "./candidates.ts";
import { type Aim, type Chosen, chooseBatch } from "./clear-rules.ts";
import { clearLimits } from "./clear-table.ts";
import { type Costs, ratesOf } from "./costs.ts";
import { type DroppedRanges, rangesOf } from "./dropped-ids.ts";
import { loopStart } from "./fold-loop.ts";
import type { Memo } from "./memo.ts";
import { sizesOf } from "./sizes.ts";

/** A segment's text from a break on; what it was is under `handle`. */
export type Stub = { readonly segment: number; readonly text: string; readonly handle: Handle };

export type Clearing = {
  readonly stubs: readonly Stub[];
  /** Reasoning behind the first changed segment (DESIGN 4). */
  readonly drops: DroppedRanges;
  readonly numbers: ClearNumbers;
};

/**
 * Clear (DESIGN 6): results and large inputs that the work is done with go behind one cut, where that pays; null: nothing
 * does. What an answer has not seen stays, and so does a short history. Pure.
 */
export function clear(segments: readonly Segment[], memo: Memo, costs: Costs, aim: Aim = "mark"): Clearing | null {
  const { clearing, pressure, prices } = costs;
  if (clearing === "off" || (pressure === "none" && prices.type === "local")) return null;
  const sizes = sizesOf(segments, memo, costs.reasoning);
  if (pressure === "none" && sizes.historyTokens < smallHistoryTokens(costs)) return null;
  const floor = costs.closeLoop ? openLoopEnd(segments, memo) : 0;
  const pool = candidatesOf(segments, memo).filter(
    ({ at, as }) => at >= floor && (as !== "input" || clearing === "all"),
  );
  const chosen = chooseBatch(pool, sizes, costs, aim);
  return chosen === null ? null : clearingOf(segments, chosen, costs);
}

/** Law 8: below it nothing but first forms. */
function smallHistoryTokens({ lineTokens }: Costs): number {
  return Math.min(clearLimits.smallTokens, (lineTokens / lineShares.hard) * clearLimits.smallShare);
}

/**
 * Where the provider needs the reasoning of the open tool loop, nothing may change in front of it (DESIGN 4): the place
 * behind the last of it. A loop that holds none, or is closed, binds nothing.
 */
function openLoopEnd(segments: readonly Segment[], memo: Memo): number {
  const answer = newestAnswerStart(segments);
  if (!segments.slice(answer).some(({ kind }) => kind === "tool-result")) return 0;
  const thought = segments.findLastIndex(({ kind }) => kind === "reasoning");
  return thought > loopStart(segments, answer, memo) ? thought + 1 : 0;
}

function clearingOf(segments: readonly Segment[], { batch, going, reason }: Chosen, costs: Costs): Clearing {
  const { savedTokens, behindTokens, reasoningTokens, rent, price, recalls } = batch;
  const cut = going[0]?.at ?? segments.length;
  const dropped = costs.reasoning === "free" ? [] : segments.slice(cut).filter(({ kind }) => kind === "reasoning");
  return {
    stubs: going.map(({ at, form: { text, handle } }) => ({ segment: segments[at]?.id ?? at, text, handle })),
    drops: rangesOf(dropped),
    numbers: {
      reason,
      prices: costs.prices.type,
      savedTokens,
      behindTokens,
      reasoningTokens,
      rent: Math.round(rent),
      price: Math.round(price),
      recalls: Math.round(recalls),
      rates: ratesOf(costs.prices),
    },
  };
}
