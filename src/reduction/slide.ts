import { isOfMessages, type Segment } from "../prompt/segment.ts";
import { type Candidate, candidatesOf } from "./candidates.ts";
import type { Stub } from "./clear.ts";
import type { Costs } from "./costs.ts";
import { type Fold, fold } from "./fold.ts";
import type { FoldGoal, SlidingWindow } from "./fold-goal.ts";
import { isRequest } from "./fold-kept.ts";
import { slideTokens } from "./mark.ts";
import { type Memo, tokensIn } from "./memo.ts";
import { noItems, roomsFor, storedLines } from "./summary-items.ts";

export type Slid = {
  readonly fold: Extract<Fold, { readonly type: "fold" }>;
  /** Results in the rounds that stay, shrunk so that more rounds do. */
  readonly stubs: readonly Stub[];
};

/**
 * The window slides to its low-water mark (DESIGN 6): the oldest rounds go behind one block, and of those that stay results
 * shrink first. The newest request, the open task and what no answer has seen never go; where not even the newest round
 * fits, its older steps do. null: nothing goes, or what takes its place would be no smaller (law 8). Pure.
 */
export function slide(
  segments: readonly Segment[],
  memo: Memo,
  costs: Costs,
  { how, ...window }: SlidingWindow & { readonly how: "low" | "tight" },
): Slid | null {
  const body = segments.filter(isOfMessages);
  const starts = roundStarts(body, memo);
  const goal = goalOf(costs, window);
  // The request is too long although the window slid: all goes that can.
  if (how === "tight") return slidBy(fold(segments, memo, { ...goal, targetTokens: 0, tight: true }), []);
  const fitting = keptRounds(body, starts, memo, { goal, window, shrinks: costs.clearing !== "off" });
  // Of a round that is merely large nothing goes while there is room for it.
  const kept = fitting ?? (costs.pressure === "hard" ? null : newestRound(starts));
  // Nothing leaves but results, and those are cleared.
  if (kept !== null && kept.from === starts[0]) return null;
  const scope = kept === null ? {} : { scope: scopeUpTo(body, kept.from) };
  return slidBy(fold(segments, memo, { ...goal, ...scope }), kept?.stubs ?? []);
}

function slidBy(folded: Fold, stubs: readonly Stub[]): Slid | null {
  return folded.type === "nothing" ? null : { fold: folded, stubs };
}

export function roundsIn(segments: readonly Segment[], memo: Memo): number {
  return roundStarts(segments, memo).length;
}

/** Places where a round begins: at a message of the user, with what was sent beside it. */
function roundStarts(body: readonly Segment[], memo: Memo): readonly number[] {
  const starts: number[] = [];
  let from = -1;
  let said = false;
  for (const [at, segment] of body.entries()) {
    const kind = memo.kindOf(segment) ?? "";
    if (segment.role === "assistant" || !sentWith.has(kind)) {
      if (said) starts.push(from);
      from = -1;
      said = false;
      continue;
    }
    if (from === -1) from = at;
    said ||= isRequest(segment, memo);
  }
  return said ? [...starts, from] : starts;
}

const sentWith: ReadonlySet<string> = new Set(["message", "image", "reminder"]);

function goalOf(costs: Costs, window: SlidingWindow): FoldGoal {
  const { closeLoop, reasoning, compaction } = costs;
  const { items } = compaction?.goal ?? {};
  return {
    targetTokens: slideTokens(costs),
    textTokensMax: window.summaryTokens,
    closeLoop,
    reasoning,
    window,
    ...(items === undefined ? {} : { items }),
  };
}

type Kept = { readonly from: number; readonly stubs: readonly Stub[] };

/** As many of the newest rounds as the low-water mark allows, by number and by size; null: not even the newest one. */
function keptRounds(
  body: readonly Segment[],
  starts: readonly number[],
  memo: Memo,
  { goal, window, shrinks }: { readonly goal: FoldGoal; readonly window: SlidingWindow; readonly shrinks: boolean },
): Kept | null {
  const pool = shrinks ? candidatesOf(body, memo) : [];
  const newest = starts.at(-1) ?? body.length;
  const older = pool.filter(({ at }) => at < newest);
  const room = goal.targetTokens - frontTokens(body, memo) - blockRoom(goal, window);
  for (const from of starts.slice(-window.lowRounds)) {
    const rounds = body.slice(from);
    const due = shrunk(older, rounds, body, memo, { room, toolTokens: window.toolTokens });
    const left = tokensIn(rounds, memo) - due.reduce((sum, { savedTokens }) => sum + savedTokens, 0);
    if (left <= room) return { from, stubs: due.map((one) => stubOf(one, body)) };
  }
  return null;
}

function newestRound(starts: readonly number[]): Kept | null {
  const from = starts.at(-1);
  return from === undefined ? null : { from, stubs: [] };
}

/** Results of the rounds that stay, oldest first, until the others are no more than they may be. */
function shrunk(
  pool: readonly Candidate[],
  rounds: readonly Segment[],
  body: readonly Segment[],
  memo: Memo,
  { room, toolTokens }: { readonly room: number; readonly toolTokens: number },
): readonly Candidate[] {
  const stays = new Set(rounds);
  let results = tokensIn(
    rounds.filter(({ kind }) => kind === "tool-result"),
    memo,
  );
  let all = tokensIn(rounds, memo);
  return pool.filter((one) => {
    const segment = body[one.at];
    if (segment === undefined || !stays.has(segment) || (results <= toolTokens && all <= room)) return false;
    if (segment.kind === "tool-result") results -= one.savedTokens;
    all -= one.savedTokens;
    return true;
  });
}

function stubOf({ at, form: { text, handle } }: Candidate, body: readonly Segment[]): Stub {
  return { segment: body[at]?.id ?? at, text, handle };
}

/** User context, facts and what was attached stand in front of all rounds, whichever stay. */
function frontTokens(body: readonly Segment[], memo: Memo): number {
  return tokensIn(
    body.filter((segment) => isFront.has(memo.kindOf(segment) ?? "")),
    memo,
  );
}

const isFront: ReadonlySet<string> = new Set(["context", "facts", "attached"]);

/** What the block may come to. */
function blockRoom({ items, textTokensMax }: FoldGoal, { itemsTokens, summary }: SlidingWindow): number {
  const shares = Object.values(roomsFor(itemsTokens)).reduce((sum, room) => sum + room, 0);
  const stored = storedLines(items ?? noItems, 0, null).join("\n").length / charsPerToken;
  return textTokensMax * (summary === null ? 1 : 1.25) + shares + frameTokens + Math.ceil(stored);
}

const charsPerToken = 4;
/** Of the block's own words. */
const frameTokens = 120;

/** All in front of that place. */
function scopeUpTo(body: readonly Segment[], from: number): NonNullable<FoldGoal["scope"]> {
  const first = body[0]?.id ?? 0;
  return { from: first, upto: (body[from]?.id ?? first) - 1 };
}
