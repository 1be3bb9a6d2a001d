import { hashOf } from "../kernel/hash.ts";
import type { Handle } from "../kernel/ids.ts";
import type { Segment } from "../prompt/segment.ts";
import { type Clearing, clear } from "./clear.ts";
import { clipResult } from "./clip.ts";
import type { Costs } from "./costs.ts";
import { type Fold, fold } from "./fold.ts";
import type { Memo } from "./memo.ts";

/** A result cut to `text`; its original stays under `handle`. */
export type Clip = { readonly segment: number; readonly text: string; readonly handle: Handle };

/** What is to be done before the next request; whoever asked applies it in its own terms (log entries, spliced bytes). */
export type Plan =
  | { readonly type: "nothing" }
  /** Shorter first forms for results that were never sent: their free moment has not passed, so this is no break. */
  | { readonly type: "forms"; readonly clips: readonly Clip[] }
  | ({ readonly type: "break"; readonly reason: "cleared" } & Clearing)
  | { readonly type: "break"; readonly reason: "compacted"; readonly fold: Fold; readonly clips: readonly Clip[] };

/** Low-water mark: what a fold comes down to, as a share of the hard line (DESIGN 6). */
const lowWaterShare = 0.5;
/** The fold's own block, as a share of the target. */
const foldTextShare = 0.2;
const foldTextTokensMax = 4_000;

/**
 * The reductions in their order, as far as they are built (DESIGN 6): over the line, unsent results that would fill what is
 * left are cut; what is finished with is cleared, which below the line is done where it pays; else finished work is folded,
 * and sent results that no answer has seen are cut in the same break. Pure.
 */
export function plan(segments: readonly Segment[], memo: Memo, costs: Costs): Plan {
  const clips = costs.pressure === "hard" ? clipsOf(segments, memo, costs) : [];
  const unsent = clips.filter(({ segment }) => memo.isUnsent(segment));
  if (unsent.length > 0) return { type: "forms", clips: unsent };
  const cleared = clear(segments, memo, costs);
  if (cleared !== null) return { type: "break", reason: "cleared", ...cleared };
  if (costs.pressure === "none") return { type: "nothing" };
  const folded = foldOf(withClips(segments, clips), memo, costs);
  if (folded.type === "nothing" && clips.length === 0) return { type: "nothing" };
  return { type: "break", reason: "compacted", fold: folded, clips };
}

function foldOf(segments: readonly Segment[], memo: Memo, costs: Costs): Fold {
  const { lineTokens, headTokens, closeLoop, reasoning } = costs;
  const targetTokens = Math.floor(lineTokens * lowWaterShare);
  return fold(segments, memo, {
    targetTokens: targetTokens - headTokens,
    textTokensMax: Math.min(foldTextTokensMax, Math.floor(targetTokens * foldTextShare)),
    closeLoop,
    reasoning,
  });
}

/** Results no answer has seen, cut to an equal share each, where one alone takes more than that. */
function clipsOf(segments: readonly Segment[], memo: Memo, { lineTokens, headTokens }: Costs): readonly Clip[] {
  const newest = segments.slice(segments.findLastIndex(({ role }) => role === "assistant") + 1);
  const unseen = newest.filter(({ kind }) => kind === "tool-result");
  if (unseen.length === 0) return [];
  const free = Math.max(0, lineTokens * (1 - foldTextShare) - headTokens);
  const share = Math.floor(free / 2 / unseen.length);
  return unseen.flatMap(({ id, callId, text: whole }): readonly Clip[] => {
    const handle = callId === undefined ? null : memo.handleOf(callId);
    const text = handle === null || whole === null ? null : clipResult(whole, share, handle);
    return handle === null || text === null ? [] : [{ segment: id, text, handle }];
  });
}

function withClips(segments: readonly Segment[], clips: readonly Clip[]): readonly Segment[] {
  const texts = new Map(clips.map(({ segment, text }) => [segment, text]));
  return segments.map((segment) => {
    const text = texts.get(segment.id);
    // Another text is another content: its size must not be taken for the old one's.
    return text === undefined ? segment : { ...segment, text, hash: hashOf(text), span: [0, text.length] };
  });
}
