import { hashOf } from "../kernel/hash.ts";
import type { Segment } from "../prompt/segment.ts";
import { clear } from "./clear.ts";
import type { Aim } from "./clear-rules.ts";
import { clipResult } from "./clip.ts";
import { collapse } from "./collapse.ts";
import type { Costs } from "./costs.ts";
import { droppedIds } from "./dropped-ids.ts";
import { blockTokens, type Fold, fold } from "./fold.ts";
import { overMark, targetTokens } from "./mark.ts";
import { type Memo, tokensIn } from "./memo.ts";
import type { Clip, Plan } from "./plan-parts.ts";
import { settledPlan } from "./plan-settled.ts";
import { withoutPointers } from "./pointers.ts";
import { roundsIn, slide } from "./slide.ts";

export type { Clip, Plan } from "./plan-parts.ts";

/** The fold's own block, as a share of the target. */
const foldTextShare = 0.2;
const foldTextTokensMax = 4_000;

/**
 * The reductions in their order (DESIGN 6). Over the hard line unsent results that would fill what is left are cut first.
 * What is finished with is cleared, below the lines only where it pays. Near the line and over it what comes down to the
 * mark is done: clear, else collapse, else fold, with sent results that no answer has seen cut in the same break. Over the
 * hard line something goes in any case, where anything can (CASES C-005). A window that slides does so instead of collapsing
 * and folding, and also when it holds too many rounds. Whatever goes, pointers into it are settled in the same break. Pure.
 */
export function plan(segments: readonly Segment[], memo: Memo, costs: Costs): Plan {
  const whole = withoutPointers(segments, memo);
  const planned = reduced(whole.segments, whole.memo, costs);
  // Law 8: where what is written out again is no less than what is cleared, something else has to go.
  return settledPlan(planned, segments, memo) ?? plan(segments, memo, { ...costs, clearing: "off" });
}

function reduced(segments: readonly Segment[], memo: Memo, costs: Costs): Plan {
  const clips = costs.pressure === "hard" ? clipsOf(segments, memo, costs) : [];
  const unsent = clips.filter(({ segment }) => memo.isUnsent(segment));
  if (unsent.length > 0) return { type: "forms", clips: unsent };
  if (costs.compaction?.forced === true)
    return foldedPlan(segments, memo, costs, { clips, over: 0 }) ?? tightPlan(segments, memo, costs) ?? nothing;
  if (costs.window !== undefined) return windowPlan(segments, memo, costs, { clips, window: costs.window });
  const over = overMark(tokensIn(segments, memo), costs);
  if (costs.pressure === "none" || over <= 0) return clearedPlan(segments, memo, calm(costs), "mark") ?? nothing;
  return (
    clearedPlan(segments, memo, costs, "mark") ??
    collapsedPlan(segments, memo, costs, over) ??
    foldedPlan(segments, memo, costs, { clips, over }) ??
    lastPlan(segments, memo, costs)
  );
}

const nothing: Plan = { type: "nothing" };

type Sliding = { readonly clips: readonly Clip[]; readonly window: NonNullable<Costs["window"]> };

function windowPlan(segments: readonly Segment[], memo: Memo, costs: Costs, sliding: Sliding): Plan {
  const isLong = roundsIn(segments, memo) > sliding.window.rounds;
  const slid = (how: "low" | "tight" = "low") => slidPlan(segments, memo, costs, { ...sliding, how });
  // Sliding asks no model and has nothing to prepare, so that the hard line itself is its high mark.
  if (costs.pressure !== "hard")
    return (isLong ? slid() : null) ?? clearedPlan(segments, memo, calm(costs), "mark") ?? nothing;
  // Results shrink before rounds leave.
  const cleared = isLong ? null : clearedPlan(segments, memo, costs, "mark");
  return (
    cleared ??
    slid() ??
    clearedPlan(segments, memo, costs, "all") ??
    collapsedPlan(segments, memo, costs, 1) ??
    slid("tight") ??
    nothing
  );
}

function slidPlan(
  segments: readonly Segment[],
  memo: Memo,
  costs: Costs,
  { clips, window, how }: Sliding & { readonly how: "low" | "tight" },
): Plan | null {
  const slid = costs.folding === "off" ? null : slide(withClips(segments, clips), memo, costs, { ...window, how });
  if (slid === null && (clips.length === 0 || how === "low")) return null;
  return { type: "break", reason: "window-slid", clips, ...(slid ?? { fold: notFolded, stubs: [] }) };
}

function calm(costs: Costs): Costs {
  return { ...costs, pressure: "none" };
}

function clearedPlan(segments: readonly Segment[], memo: Memo, costs: Costs, aim: Aim): Plan | null {
  const cleared = clear(segments, memo, costs, aim);
  return cleared === null ? null : { type: "break", reason: "cleared", ...cleared };
}

function collapsedPlan(segments: readonly Segment[], memo: Memo, costs: Costs, savedTokensMin: number): Plan | null {
  if (costs.collapsing === "off") return null;
  const { headTokens, closeLoop, reasoning } = costs;
  const collapsed = collapse(segments, memo, {
    targetTokens: targetTokens(costs) - headTokens,
    savedTokensMin,
    closeLoop,
    reasoning,
  });
  if (collapsed.type === "nothing") return null;
  const { drops, blocks, reasoningTokensLost } = collapsed;
  return { type: "break", reason: "collapsed", drops, blocks, reasoningTokensLost };
}

type Need = { readonly clips: readonly Clip[]; readonly over: number };

function foldedPlan(segments: readonly Segment[], memo: Memo, costs: Costs, { clips, over }: Need): Plan | null {
  const folded = costs.folding === "off" ? notFolded : foldOf(withClips(segments, clips), memo, costs);
  if (folded.type === "nothing" && clips.length === 0) return null;
  if (costs.pressure === "near" && savedByFold(folded, segments, memo) < over) return null;
  return { type: "break", reason: "compacted", fold: folded, clips };
}

const notFolded: Fold = { type: "nothing", why: "switched off" };

function foldOf(segments: readonly Segment[], memo: Memo, costs: Costs): Fold {
  const { headTokens, closeLoop, reasoning } = costs;
  const target = targetTokens(costs);
  return fold(segments, memo, {
    targetTokens: target - headTokens,
    textTokensMax: Math.min(foldTextTokensMax, Math.floor(target * foldTextShare)),
    closeLoop,
    reasoning,
    ...costs.compaction?.goal,
  });
}

function savedByFold(folded: Fold, segments: readonly Segment[], memo: Memo): number {
  if (folded.type === "nothing") return 0;
  const gone = droppedIds(folded.drops);
  const dropped = segments.filter(({ id }) => gone.has(id));
  return tokensIn(dropped, memo) - blockTokens(folded.block);
}

/** Over the hard line what does not come down to the mark is still better than a request that is too long. */
function lastPlan(segments: readonly Segment[], memo: Memo, costs: Costs): Plan {
  if (costs.pressure !== "hard") return clearedPlan(segments, memo, calm(costs), "mark") ?? nothing;
  return (
    clearedPlan(segments, memo, costs, "all") ??
    collapsedPlan(segments, memo, costs, 1) ??
    tightPlan(segments, memo, costs) ??
    nothing
  );
}

/** Where a fold was made and the request is too long all the same: a shorter one, without the newest steps that it had kept. */
function tightPlan(segments: readonly Segment[], memo: Memo, costs: Costs): Plan | null {
  if (costs.pressure !== "hard") return null;
  const textTokensMax = Math.floor(roomTokens(costs) * tightShare);
  const goal = { ...costs.compaction?.goal, targetTokens: 0, textTokensMax, tight: true } as const;
  const compaction = { forced: false, ...costs.compaction, goal };
  return foldedPlan(segments, memo, { ...costs, compaction }, { clips: [], over: 0 });
}

/** Of what the head leaves of the line. */
const tightShare = 0.05;

function roomTokens({ lineTokens, headTokens }: Costs): number {
  return Math.max(0, lineTokens - headTokens);
}

/** Results no answer has seen, cut to an equal share each, where one alone takes more than that. */
function clipsOf(segments: readonly Segment[], memo: Memo, costs: Costs): readonly Clip[] {
  const newest = segments.slice(segments.findLastIndex(({ role }) => role === "assistant") + 1);
  const unseen = newest.filter(({ kind }) => kind === "tool-result");
  if (unseen.length === 0) return [];
  const free = Math.max(0, roomTokens(costs) - foldRoom(costs));
  const share = Math.floor(free / 2 / unseen.length);
  return unseen.flatMap((result): readonly Clip[] => {
    const { id, callId, text: whole } = result;
    // Of one with pointers the text is larger than what is sent.
    if (memo.tokensOf(result) <= share) return [];
    const handle = callId === undefined ? null : memo.handleOf(callId);
    const text = handle === null || whole === null ? null : clipResult(whole, share, handle);
    return handle === null || text === null ? [] : [{ segment: id, text, handle }];
  });
}

/** What takes the place of work that goes. */
function foldRoom({ lineTokens, window }: Costs): number {
  return window === undefined ? lineTokens * foldTextShare : window.summaryTokens * slideBlockShare;
}

/** Of a summary's tokens, with what stands behind it. */
const slideBlockShare = 2.5;

function withClips(segments: readonly Segment[], clips: readonly Clip[]): readonly Segment[] {
  const texts = new Map(clips.map(({ segment, text }) => [segment, text]));
  return segments.map((segment) => {
    const text = texts.get(segment.id);
    // Another text is another content: its size must not be taken for the old one's.
    return text === undefined ? segment : { ...segment, text, hash: hashOf(text), span: [0, text.length] };
  });
}
