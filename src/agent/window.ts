import { bounds } from "../kernel/bounds.ts";
import type { State } from "../log/state.ts";
import { type WindowSize, windowSize } from "../memory/window.ts";
import type { Segment } from "../prompt/segment.ts";
import type { SlidingWindow } from "../reduction/fold-goal.ts";
import { type Memo, tokensIn } from "../reduction/memo.ts";
import { roundsIn } from "../reduction/slide.ts";
import { defaultCaps } from "../workspace/context-budget.ts";
import { countedShare } from "./counted-share.ts";
import { headTokens } from "./fixed-tokens.ts";
import type { Lane } from "./lane.ts";
import { limitsFor } from "./limits-now.ts";
import { memoryNow } from "./memory-now.ts";
import { memoOf } from "./piece-memo.ts";
import { pieceSegments } from "./piece-segments.ts";
import type { Prompt } from "./prompt.ts";

type Looking = Pick<Lane, "config" | "fx" | "state">;

/** The sliding window of the next request; null: the lane goes by epochs. */
export function windowNow(prompt: Prompt, lane: Looking & Pick<Lane, "texts">): SlidingWindow | null {
  if (memoryNow(lane, headTokens(prompt.segments)) === "epochs") return null;
  const state = lane.state();
  const { size, toolTokens, summaryTokens } = windowSizeNow(prompt, lane);
  const { rounds, lowRounds } = size;
  const summary = summaryIn(prompt, state, lane.texts);
  const stays = openTask(prompt, state);
  return { rounds, lowRounds, toolTokens, summaryTokens, summary, stays, itemsTokens: itemsShare * summaryTokens };
}

export type WindowNow = {
  readonly size: WindowSize;
  readonly toolTokens: number;
  readonly summaryTokens: number;
};

/** Of what the window leaves behind reserve and head. */
const toolShare = 0.25;
const summaryShare = 1 / 8;
const summaryTokensMin = 50;
/** Of the summary's tokens: those of which the kept items have shares, and the whole block's with its own words. */
const itemsShare = 2;
const blockShare = 2.5;
/** Of a round, before there was one. */
const roundTokensUsual = 1_400;

/** Derived from what stands in the prompt now (M-61), by our own plain count. */
export function windowSizeNow(prompt: Prompt, lane: Looking): WindowNow {
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

/** The newest finished summary, and what of the prompt it knows of; null: none is finished, or its text cannot be read. */
function summaryIn({ doc }: Prompt, { rolling }: State, texts: Lane["texts"]): SlidingWindow["summary"] {
  const { made } = rolling;
  if (made === null) return null;
  const text = typeof made.text === "string" ? made.text : texts.get(made.text.blob);
  if (text === undefined) return null;
  const knows = doc.pieces.flatMap((piece, at) => {
    const isBlock = piece.role === "user" && piece.kind === "fold";
    return Number.parseInt(piece.id, 10) <= (isBlock ? made.askedSeq : made.uptoSeq) ? [at] : [];
  });
  return { text, knows: new Set(knows) };
}

/** The message that the open turn began with: what is said in mid-turn adds to it. */
function openTask({ doc }: Prompt, { turn }: State): ReadonlySet<number> {
  if (turn === null) return new Set();
  const first = doc.pieces.findIndex(
    (piece) => piece.role === "user" && piece.kind === "message" && Number.parseInt(piece.id, 10) >= turn.fromSeq,
  );
  return new Set(first === -1 ? [] : [first]);
}
