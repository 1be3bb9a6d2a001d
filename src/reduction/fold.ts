import { estimate } from "../budget/count.ts";
import { handleOf, hashOf } from "../kernel/hash.ts";
import type { Handle } from "../kernel/ids.ts";
import type { Segment } from "../prompt/segment.ts";
import { foldLines, shownLines } from "./fold-text.ts";
import type { Memo } from "./memo.ts";

export type KeptReasoning = "bound" | "bound-loop" | "free";

export type FoldGoal = {
  /** Size to come down to, of all the segments that were given. */
  readonly targetTokens: number;
  readonly textTokensMax: number;
  /**
   * The provider needs the reasoning of an open tool loop (budgeted thinking): no step is kept as it is, the loop is closed
   * by the fold's own user text (DESIGN 4).
   */
  readonly closeLoop: boolean;
  /**
   * `bound`: the provider ties reasoning to what stood before it, so none survives a fold. `bound-loop`: the same, and it
   * refuses an open loop that lost any that is still valid. `free`: kept steps keep theirs; some services refuse an open
   * loop without it (PROTOCOLS D).
   */
  readonly reasoning: KeptReasoning;
};

export type Fold =
  | { readonly type: "nothing"; readonly why: string }
  | {
      readonly type: "fold";
      /** Segments left out, as inclusive ranges of ids, in order. */
      readonly drops: readonly (readonly [from: number, to: number])[];
      /** What stands in their place; null: nothing but reasoning was left out. */
      readonly block: FoldBlock | null;
      readonly reasoningTokensLost: number;
    };

export type FoldBlock = {
  /** The fold's text stands in front of this segment; null: at the end. */
  readonly before: number | null;
  readonly text: string;
  /** The whole list `text` was made from, and its handle. */
  readonly original: { readonly handle: Handle; readonly text: string };
};

/**
 * The model-free fold, last rung of Compact (DESIGN 6): finished work becomes a deterministic list, one line per call with
 * its handle; the newest request stays verbatim; results no answer has seen stay; the newest steps stay while they fit.
 * Reasoning behind the first changed segment is left out whole, where the provider binds it. A fold that would be no
 * smaller than what it stands for is none (law 8).
 */
export function fold(segments: readonly Segment[], memo: Memo, goal: FoldGoal): Fold {
  const body = segments.filter((segment) => segment.role !== "tools" && segment.role !== "system");
  const kept = keptOf(body, memo, goal, headTokens(segments, memo));
  const dropped = droppedOf(body, kept, memo, goal);
  if (dropped.length === 0) return { type: "nothing", why: "all that is left is the newest request and what it needs" };
  const block = blockOf(body, dropped, kept, memo, goal);
  const tokensOf = (list: readonly Segment[]) => list.reduce((sum, segment) => sum + memo.tokensOf(segment), 0);
  if (block !== null && estimate(block.text) >= tokensOf(dropped))
    return { type: "nothing", why: "the list of what was done would be no smaller than the work itself" };
  const lost = tokensOf(dropped.filter(({ kind }) => kind === "reasoning"));
  return { type: "fold", drops: rangesOf(dropped), block, reasoningTokensLost: lost };
}

/**
 * Where only reasoning goes, nothing in front of the open tool loop changes: its own is still valid then, and providers
 * refuse the loop without it (PROTOCOLS A.3).
 */
function droppedOf(
  body: readonly Segment[],
  kept: ReadonlySet<number>,
  memo: Memo,
  goal: FoldGoal,
): readonly Segment[] {
  const gone = body.filter((segment) => !kept.has(segment.id));
  // An older fold alone is no work: folded again it would say the same.
  if (gone.some((segment) => segment.kind !== "reasoning" && memo.kindOf(segment) !== "fold")) return gone;
  const loop = new Set(openLoop(body, memo, goal));
  return gone.filter((segment) => segment.kind === "reasoning" && !loop.has(segment));
}

/** Its newest step, or where all of it is needed, from the message that began it. */
function openLoop(body: readonly Segment[], memo: Memo, { reasoning }: FoldGoal): readonly Segment[] {
  const newest = stepsOf(body).at(-1) ?? [];
  if (!newest.some(({ kind }) => kind === "tool-result")) return [];
  if (reasoning !== "bound-loop") return newest;
  return body.slice(loopStart(body, body.length - newest.length, memo) + 1);
}

/**
 * The place of the message that began the loop whose newest answer begins at `answer`, or of the fold in its place; -1:
 * there is none. What was said while a tool ran stands behind that answer and began nothing.
 */
export function loopStart(segments: readonly Segment[], answer: number, memo: Memo): number {
  return segments.findLastIndex((segment, at) => at < answer && startsLoop.has(memo.kindOf(segment) ?? ""));
}

const startsLoop: ReadonlySet<string> = new Set(["message", "fold"]);

function blockOf(
  body: readonly Segment[],
  dropped: readonly Segment[],
  kept: ReadonlySet<number>,
  memo: Memo,
  goal: FoldGoal,
): FoldBlock | null {
  const work = dropped.filter((segment) => segment.kind !== "reasoning");
  if (work.length === 0) return null;
  const lines = foldLines(work, memo);
  const original = lines.join("\n");
  const handle = handleOf(hashOf(original));
  const quoted = goal.closeLoop ? unseenResults(body) : [];
  const text = [shownLines(lines, handle, goal.textTokensMax), ...quoted].join("\n");
  const before = body.find((segment) => kept.has(segment.id) && !isMadeAnew(segment, memo))?.id ?? null;
  return { before, text, original: { handle, text: original } };
}

function keptOf(body: readonly Segment[], memo: Memo, goal: FoldGoal, head: number): ReadonlySet<number> {
  const always = body.filter((segment) => isMadeAnew(segment, memo));
  const request = body.findLast((segment) => memo.kindOf(segment) === "message");
  const fixed = request === undefined ? always : [...always, request];
  const tokensOf = (list: readonly Segment[]) => list.reduce((sum, segment) => sum + memo.tokensOf(segment), 0);
  const steps = stepsOf(body);
  const tail: Segment[] = [];
  let left = goal.targetTokens - head - tokensOf(fixed) - goal.textTokensMax;
  for (const [index, step] of steps.toReversed().entries()) {
    const stays = (segment: Segment) => segment.kind !== "reasoning" || goal.reasoning === "free";
    const useful = step.filter((segment) => stays(segment) && !isStale(segment, memo));
    // A message behind an answer is kept by itself; only results need the calls they answer.
    const unseen = index === 0 && step.some((segment) => segment.kind === "tool-result");
    left -= tokensOf(useful);
    if (goal.closeLoop || (left < 0 && !unseen)) break;
    tail.push(...useful);
  }
  const unsent = body.slice(body.findLastIndex((segment) => segment.role === "assistant") + 1);
  // A reminder that was not sent yet may be the only one to say that a file changed.
  const said = unsent.filter((segment) => memo.kindOf(segment) === "message" || isStale(segment, memo));
  return new Set([...fixed, ...tail, ...said].map((segment) => segment.id));
}

/** Where the loop is closed, results no answer has seen yet are quoted in the fold's own block. */
function unseenResults(body: readonly Segment[]): readonly string[] {
  const unsent = body.slice(body.findLastIndex((segment) => segment.role === "assistant") + 1);
  const results = unsent.filter((segment) => segment.kind === "tool-result");
  return results.map((result) => `Newest result of ${result.tool ?? "a tool"}:\n${result.text ?? ""}`);
}

/** What the break itself replaces: user context and blocks of facts, wherever they stand. */
function isMadeAnew(segment: Segment, memo: Memo): boolean {
  const kind = memo.kindOf(segment);
  return kind === "context" || kind === "facts";
}

/** What is said anew at a break, from the newest observations: reminders need not be kept. */
function isStale(segment: Segment, memo: Memo): boolean {
  return memo.kindOf(segment) === "reminder";
}

/** An assistant message with the user-side blocks behind it; what stands before the first is no step. */
function stepsOf(body: readonly Segment[]): readonly (readonly Segment[])[] {
  const steps: Segment[][] = [];
  for (const [index, segment] of body.entries()) {
    const starts = segment.role === "assistant" && body[index - 1]?.role !== "assistant";
    if (starts) steps.push([segment]);
    else steps.at(-1)?.push(segment);
  }
  return steps;
}

function headTokens(segments: readonly Segment[], memo: Memo): number {
  const head = segments.filter((segment) => segment.role === "tools" || segment.role === "system");
  return head.reduce((sum, segment) => sum + memo.tokensOf(segment), 0);
}

/** Ids in order as inclusive ranges. */
export function rangesOf(dropped: readonly Segment[]): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const { id } of dropped) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === id - 1) last[1] = id;
    else ranges.push([id, id]);
  }
  return ranges;
}
