import { estimate, totalOf } from "../budget/count.ts";
import { measure } from "../budget/measure.ts";
import { handleOf, hashOf } from "../kernel/hash.ts";
import type { Handle } from "../kernel/ids.ts";
import { isHead, isOfMessages, type Segment } from "../prompt/segment.ts";
import { type DroppedRanges, rangesOf } from "./dropped-ids.ts";
import { type BlockParts, blockText, workLines } from "./fold-block.ts";
import { cutToTokens } from "./fold-cut.ts";
import { type FoldGoal, itemRooms } from "./fold-goal.ts";
import { isRequest, isSaidAnew, type KeptPart, keptIds, keptOf } from "./fold-kept.ts";
import { openLoop } from "./fold-loop.ts";
import { listLines, shownLines, type Told, tellWork } from "./fold-text.ts";
import { type Memo, tokensIn } from "./memo.ts";
import { boundedWork, noItems, noWork, storedLines } from "./summary-items.ts";
import { workItems } from "./summary-work.ts";

export type Fold =
  | { readonly type: "nothing"; readonly why: string }
  | {
      readonly type: "fold";
      readonly drops: DroppedRanges;
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
  /** Of one that stands beside a summary of the provider's: the words in its place for whoever cannot read that. */
  readonly instead?: string;
};

/**
 * With what stands in front of it, as far as that can be told. Counted as what goes is, with what stands around a block:
 * otherwise it would seem smaller than an older one that says the same, and take its place for ever.
 */
export function blockTokens(block: FoldBlock | null): number {
  return [block?.text, block?.instead].reduce((sum, text) => sum + (text === undefined ? 0 : textTokens(text)), 0);
}

function textTokens(text: string): number {
  return Math.ceil(totalOf(measure({ kind: "text", text, bytes: text.length })));
}

/**
 * Compact (DESIGN 6): finished work becomes a summary that a model made, or without one a deterministic list, one line per
 * call with its handle; behind it stand the items that code has to keep. The newest request stays verbatim; results no
 * answer has seen stay; the newest steps stay while they fit. Reasoning behind the first changed segment is left out whole,
 * where the provider binds it. A fold that would be no smaller than what it stands for is none (law 8).
 */
export function fold(segments: readonly Segment[], memo: Memo, goal: FoldGoal): Fold {
  const body = bodyOf(segments);
  const kept = keptIds(keptOf(body, memo, goal, headTokens(segments, memo)));
  const dropped = droppedOf(body, kept, memo, goal);
  if (dropped.length === 0) return { type: "nothing", why: "all that is left is the newest request and what it needs" };
  const block = blockOf(body, dropped, kept, memo, goal);
  if (block !== null && blockTokens(block) >= tokensIn(paying(dropped, memo), memo))
    return { type: "nothing", why: "what would stand for the work would be no smaller than the work itself" };
  const lost = tokensIn(
    dropped.filter(({ kind }) => kind === "reasoning"),
    memo,
  );
  return { type: "fold", drops: rangesOf(dropped), block, reasoningTokensLost: lost };
}

/**
 * What a block has to be smaller than: in the place of an older one, that alone. Else a block that says the same, with nothing
 * changed in front of it, would pay with reasoning that is still valid and may be needed, or with a reminder behind that.
 */
function paying(dropped: readonly Segment[], memo: Memo): readonly Segment[] {
  const said = dropped.filter((segment) => segment.kind !== "reasoning" && memo.kindOf(segment) !== "reminder");
  return said.every((segment) => memo.kindOf(segment) === "fold") ? said : dropped;
}

/**
 * What no fold of this goal takes away. Where it alone exceeds the target, compacting would only be due again
 * (CASES C-001): the largest part is what must shrink.
 */
export type Floor = {
  readonly fixedTokens: number;
  readonly parts: readonly { readonly what: KeptPart; readonly tokens: number }[];
};

export function floorOf(segments: readonly Segment[], memo: Memo, goal: FoldGoal): Floor {
  const head = headTokens(segments, memo);
  const kept = keptOf(bodyOf(segments), memo, goal, head);
  const part = (what: Exclude<KeptPart, "head">) => ({ what, tokens: tokensIn(kept[what], memo) });
  const parts: Floor["parts"] = [
    { what: "head", tokens: head },
    part("user context"),
    part("facts"),
    part("instructions, skills and memories"),
    part("newest request"),
    part("unseen results"),
    part("kept steps"),
  ];
  return { fixedTokens: parts.reduce((sum, { tokens }) => sum + tokens, 0), parts };
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
  const isGoing = (segment: Segment) =>
    isWork(segment, memo) || (goal.tight === true && memo.kindOf(segment) === "fold");
  if (gone.some(isGoing)) return gone;
  // Whoever has a summary or names a span wants work to go, and there is none (CASES C-013).
  if (goal.summary !== undefined || goal.scope !== undefined) return [];
  const loop = new Set(openLoop(body, memo, goal.reasoning));
  return gone.filter((segment) => segment.kind === "reasoning" && !loop.has(segment));
}

/** An older fold alone is none: folded again it would say the same. */
function isWork(segment: Segment, memo: Memo): boolean {
  const kind = memo.kindOf(segment);
  return segment.kind !== "reasoning" && kind !== "fold" && kind !== "reminder";
}

function blockOf(
  body: readonly Segment[],
  dropped: readonly Segment[],
  kept: ReadonlySet<number>,
  memo: Memo,
  goal: FoldGoal,
): FoldBlock | null {
  const gone = dropped.filter((segment) => segment.kind !== "reasoning");
  const [first] = gone;
  if (first === undefined) return null;
  const told = tellWork(gone, memo);
  const work = workItems(gone, told, memo);
  const stored = goal.items ?? noItems;
  const rooms = itemRooms(goal);
  const original = [...listLines(told), ...workLines(work), ...storedLines(stored, rooms.plan, null)].join("\n");
  const handle = handleOf(hashOf(original));
  const shown = shownOf(body, told, memo, handle, goal);
  const inText = new Set(shown.lines);
  const done = work.done.entries.filter((line) => !inText.has(line));
  const bounded = boundedWork({ ...work, done: { ...work.done, entries: done } }, rooms, handle);
  const text = blockText({ ...shown, handle, work: bounded, stored: storedLines(stored, rooms.plan, handle) });
  const quoted = goal.closeLoop ? unseenResults(body) : [];
  return {
    before: placeOf(body, kept, memo, goal.scope === undefined ? null : first.id),
    text: [text, ...quoted].join("\n"),
    original: { handle, text: original },
    ...(goal.beside === true ? { instead: insteadOf(told, handle, goal) } : {}),
  };
}

/** What can be read of the provider's summary, or the list; what is kept stands beside it in any case. */
function insteadOf(told: readonly Told[], handle: Handle, goal: FoldGoal): string {
  const { summary = "" } = goal;
  const shown: Shown = summary === "" ? listed(told, handle, goal) : { kind: "summary", summary, lines: [] };
  return blockText({ ...shown, handle, work: noWork, stored: [] });
}

type Shown = Pick<BlockParts, "kind" | "summary" | "lines">;

function shownOf(body: readonly Segment[], told: readonly Told[], memo: Memo, handle: Handle, goal: FoldGoal): Shown {
  if (goal.summary !== undefined) return summed(body, told, memo, handle, goal);
  if (goal.window === undefined) return listed(told, handle, goal);
  const { summary } = goal.window;
  return summary === null ? { ...listed(told, handle, goal), kind: "window" } : rolled(told, handle, goal, summary);
}

/** The rolling summary whole, in the place of the one before it, and what came after it. */
function rolled(
  told: readonly Told[],
  handle: Handle,
  { textTokensMax }: FoldGoal,
  { text, knows }: NonNullable<NonNullable<FoldGoal["window"]>["summary"]>,
): Shown {
  const later = told.filter(({ segment }) => !knows.has(segment.id)).flatMap(({ lines }) => lines);
  const room = Math.max(Math.floor(textTokensMax / 4), textTokensMax - estimate(text));
  return { kind: "window", summary: text, lines: later.length === 0 ? [] : shownLines(later, handle, room) };
}

/** The list, and in front of it what an older block's summary says of what came before: at most half of the room. */
function listed(told: readonly Told[], handle: Handle, { textTokensMax }: FoldGoal): Shown {
  const older = told.flatMap(({ summary }) => (summary === null ? [] : [summary]));
  const summary = older.length === 0 ? null : cutToTokens(older.join("\n\n"), Math.floor(textTokensMax / 2), handle);
  const room = textTokensMax - frameTokens - (summary === null ? 0 : estimate(summary));
  return {
    kind: "fold",
    summary,
    lines: shownLines(
      told.flatMap(({ lines }) => lines),
      handle,
      room,
    ),
  };
}

/** Of the block's own words. */
const frameTokens = 60;

/** A summary, and behind it what was done for the newest request: no summary may lose that (CASES C-009). */
function summed(
  body: readonly Segment[],
  told: readonly Told[],
  memo: Memo,
  handle: Handle,
  { summary = "", beside, textTokensMax }: FoldGoal,
): Shown {
  const request = body.findLast((segment) => isRequest(segment, memo))?.id ?? 0;
  // Where no message goes, the request was the newest one already when an older block was made.
  const isSame = !told.some(({ segment }) => isRequest(segment, memo));
  const isOfRequest = ({ segment }: Told) =>
    memo.kindOf(segment) === "fold" ? isSame : segment.id > request && segment.kind === "tool-call";
  const lines = told.filter(isOfRequest).flatMap(({ lines: own }) => own);
  const shown = shownLines(lines, handle, Math.floor(textTokensMax / 2));
  return beside === true ? { kind: "beside", summary: null, lines: shown } : { kind: "summary", summary, lines: shown };
}

/** In front of what stays; of a span in the middle, in front of what stands behind it, and never among results. */
function placeOf(
  body: readonly Segment[],
  kept: ReadonlySet<number>,
  memo: Memo,
  firstGone: number | null,
): number | null {
  const place = body.find((segment) => {
    if (!kept.has(segment.id) || isSaidAnew(segment, memo)) return false;
    return firstGone === null || (segment.id > firstGone && segment.kind !== "tool-result");
  });
  return place?.id ?? null;
}

/** Where the loop is closed, results no answer has seen yet are quoted in the fold's own block. */
function unseenResults(body: readonly Segment[]): readonly string[] {
  const unsent = body.slice(body.findLastIndex((segment) => segment.role === "assistant") + 1);
  const results = unsent.filter((segment) => segment.kind === "tool-result");
  return results.map((result) => `Newest result of ${result.tool ?? "a tool"}:\n${result.text ?? ""}`);
}

function bodyOf(segments: readonly Segment[]): readonly Segment[] {
  return segments.filter(isOfMessages);
}

function headTokens(segments: readonly Segment[], memo: Memo): number {
  return tokensIn(segments.filter(isHead), memo);
}
