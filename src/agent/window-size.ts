import { bounds } from "../kernel/bounds.ts";
import { type WindowSize, windowSize } from "../memory/window.ts";
import type { Segment } from "../prompt/segment.ts";
import { type Memo, tokensIn } from "../reduction/memo.ts";
import { roundsIn } from "../reduction/slide.ts";
import { defaultCaps } from "../workspace/context-budget.ts";
import { countedShare } from "./counted-share.ts";
import { headTokens } from "./fixed-tokens.ts";
import type { Lane } from "./lane.ts";
import { limitsFor } from "./limits-now.ts";
import { memoOf } from "./piece-memo.ts";
import { pieceSegments } from "./piece-segments.ts";
import type { Prompt } from "./prompt.ts";

export type WindowNow = {
  readonly size: WindowSize;
  readonly toolTokens: number;
  readonly summaryTokens: number;
};

/** Of what the window leaves behind reserve and head. */
const toolShare = 0.25;
const summaryShare = 1 / 8;
const summaryTokensMin = 50;
/** Of the summary's tokens: its block's, with the kept items and its own words. */
const blockShare = 2.5;
/** Of a round, before there was one. */
const roundTokensUsual = 1_400;

/** Derived from what stands in the prompt now (M-61), by our own plain count. */
export function windowSizeNow(prompt: Prompt, lane: Pick<Lane, "config" | "state">): WindowNow {
  const state = lane.state();
  const { model, pieces } = prompt.doc;
  const share = countedShare(prompt, state);
  const { inputTokensMax, reserveTokens, lineTokens } = limitsFor(model, state, lane.config);
  const [windowTokens, reserve] = [Math.floor(inputTokensMax * share), Math.floor(reserveTokens * share)];
  const fixedTokens = headTokens(prompt.segments);
  const caps = lane.config.caps() ?? defaultCaps;
  const room = Math.max(0, lineTokens * share - fixedTokens);
  const summaryTokens = Math.min(caps.summaryTokens, Math.max(summaryTokensMin, Math.floor(room * summaryShare)));
  const toolTokens = Math.max(0, Math.floor((windowTokens - reserve - fixedTokens) * toolShare));
  const { frontTokens, roundTokens } = measured(pieceSegments(pieces), memoOf(pieces, state));
  const size = windowSize({
    windowTokens,
    fixedTokens,
    toolTokens,
    sessionTokens: frontTokens + Math.ceil(summaryTokens * blockShare),
    reserveTokens: reserve,
    roundTokens,
    roundsMax: Math.min(caps.windowRounds, bounds.windowRoundsMax),
  });
  return { size, toolTokens, summaryTokens };
}

/** What stands in front of the rounds, and what one of them has, its results apart. */
function measured(
  segments: readonly Segment[],
  memo: Memo,
): { readonly frontTokens: number; readonly roundTokens: number } {
  const front = segments.filter((segment) => isFront.has(memo.kindOf(segment) ?? ""));
  const said = segments.filter((segment) => !notSaid.has(memo.kindOf(segment) ?? ""));
  const rounds = roundsIn(segments, memo);
  const roundTokens = rounds === 0 ? roundTokensUsual : Math.ceil(tokensIn(said, memo) / rounds);
  return { frontTokens: tokensIn(front, memo), roundTokens };
}

const isFront: ReadonlySet<string> = new Set(["context", "facts", "attached"]);
const notSaid: ReadonlySet<string> = new Set([...isFront, "fold", "result"]);
