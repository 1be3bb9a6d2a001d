import { estimate } from "../budget/count.ts";
import { madeAnew } from "../log/block.ts";
import type { Segment } from "../prompt/segment.ts";
import { startsAnswer } from "./answers.ts";
import { type FoldGoal, itemRooms } from "./fold-goal.ts";
import { openLoop, stepsOf } from "./fold-loop.ts";
import { type Memo, tokensIn } from "./memo.ts";
import { noItems, storedLines } from "./summary-items.ts";

export type KeptPart =
  | "head"
  | "user context"
  | "facts"
  | "instructions, skills and memories"
  | "newest request"
  | "unseen results"
  | "kept steps";

/** What a fold leaves as it is, and why. Each segment once. */
export type KeptSegments = Readonly<Record<Exclude<KeptPart, "head">, readonly Segment[]>>;

/** `body`: without tools and system. */
export function keptOf(body: readonly Segment[], memo: Memo, goal: FoldGoal, headTokens: number): KeptSegments {
  const ofKind = (kind: "context" | "facts" | "attached") => body.filter((segment) => memo.kindOf(segment) === kind);
  const [context, facts, attached] = [ofKind("context"), ofKind("facts"), ofKind("attached")];
  const asked = requestOf(body, memo, goal.window?.stays);
  const request = asked.filter((segment) => memo.kindOf(segment) !== "attached");
  const newest = goal.closeLoop ? [] : unseenStep(body, memo, goal);
  const fixed = new Set([...context, ...facts, ...attached, ...request, ...newest]);
  const rest = body.filter((segment) => !fixed.has(segment));
  const left = goal.targetTokens - headTokens - tokensIn([...fixed], memo);
  const steps =
    goal.scope === undefined
      ? fittingSteps(body, new Set(rest), memo, { ...goal, left: left - blockRoom(rest, memo, goal) })
      : outside(body, rest, memo, goal, goal.scope);
  return {
    "user context": context,
    facts,
    "instructions, skills and memories": attached,
    "newest request": request,
    "unseen results": newest,
    "kept steps": steps,
  };
}

export function keptIds(kept: KeptSegments): ReadonlySet<number> {
  return new Set(Object.values(kept).flatMap((segments) => segments.map(({ id }) => id)));
}

/**
 * All of the newest message of the user: what was sent with it stands beside it. With it what no answer has seen: further
 * messages, and a reminder that may be the only one to say that a file changed; and `stays`.
 */
function requestOf(body: readonly Segment[], memo: Memo, stays?: ReadonlySet<number>): readonly Segment[] {
  const last = body.findLastIndex((segment) => isRequest(segment, memo));
  const isSentWith = (segment: Segment | undefined) =>
    segment !== undefined && segment.role === "user" && sentWith.has(memo.kindOf(segment) ?? "");
  let from = last;
  let upto = last;
  while (last >= 0 && isSentWith(body[from - 1])) from--;
  while (last >= 0 && isSentWith(body[upto + 1])) upto++;
  const unsent = body.findLastIndex(({ role }) => role === "assistant");
  return body.filter((segment, at) => {
    if (stays?.has(segment.id) === true) return true;
    if (at >= from && at <= upto) return memo.kindOf(segment) !== "reminder" || at > unsent;
    return at > unsent && (isRequest(segment, memo) || isStale(segment, memo));
  });
}

const sentWith: ReadonlySet<string> = new Set(["message", "image", "reminder", "attached"]);

/** Whose memo calls all texts messages means those of the user. */
export function isRequest(segment: Segment, memo: Memo): boolean {
  return segment.role !== "assistant" && memo.kindOf(segment) === "message";
}

/** What a break writes anew in front of all else. */
export function isSaidAnew(segment: Segment, memo: Memo): boolean {
  const kind = memo.kindOf(segment);
  return kind !== null && madeAnew.has(kind);
}

/** The newest answer, where it asked for results that no answer has seen. */
function unseenStep(body: readonly Segment[], memo: Memo, goal: FoldGoal): readonly Segment[] {
  const newest = stepsOf(body).at(-1) ?? [];
  if (!newest.some(({ kind }) => kind === "tool-result")) return [];
  return newest.filter((segment) => isUseful(segment, memo, goal) && !isRequest(segment, memo));
}

/** What is said anew at a break, from the newest observations: reminders need not be kept. */
function isStale(segment: Segment, memo: Memo): boolean {
  return memo.kindOf(segment) === "reminder";
}

function isUseful(segment: Segment, memo: Memo, { reasoning }: FoldGoal): boolean {
  return (segment.kind !== "reasoning" || reasoning === "free") && !isStale(segment, memo);
}

/** The newest steps, while there is room for them. */
function fittingSteps(
  body: readonly Segment[],
  rest: ReadonlySet<Segment>,
  memo: Memo,
  goal: FoldGoal & { readonly left: number },
): readonly Segment[] {
  if (goal.closeLoop) return [];
  let { left } = goal;
  const kept: Segment[] = [];
  for (const step of stepsOf(body).toReversed()) {
    const useful = step.filter((segment) => rest.has(segment) && isUseful(segment, memo, goal));
    left -= tokensIn(useful, memo);
    if (left < 0) break;
    kept.push(...useful);
  }
  return kept;
}

/** What the fold's own block may take. */
function blockRoom(rest: readonly Segment[], memo: Memo, goal: FoldGoal): number {
  const rooms = itemRooms(goal);
  const carried = tokensIn(
    rest.filter((segment) => memo.kindOf(segment) === "fold"),
    memo,
  );
  const messages = tokensIn(
    rest.filter((segment) => isRequest(segment, memo)),
    memo,
  );
  const calls = rest.filter(({ kind }) => kind === "tool-call").length;
  const stored = storedLines(goal.items ?? noItems, rooms.plan, null).join("\n");
  return (
    (goal.summary === undefined || goal.summary === "" ? goal.textTokensMax : estimate(goal.summary)) +
    (goal.window?.summary == null ? 0 : Math.floor(goal.textTokensMax / 4)) +
    Math.min(rooms.messages, messages + carried) +
    Math.min(rooms.changed + rooms.read + rooms.done, calls * callTokens + carried) +
    estimate(stored)
  );
}

/** About what a call takes in the lists of files and of commands. */
const callTokens = 60;

/** What the scope does not name. Where the loop is to be closed, nothing of it can stay as it is, wherever it stands. */
function outside(
  body: readonly Segment[],
  rest: readonly Segment[],
  memo: Memo,
  goal: FoldGoal,
  scope: NonNullable<FoldGoal["scope"]>,
): readonly Segment[] {
  const within = withinScope(body, scope);
  if (!rest.some((segment) => within.has(segment))) return rest;
  // One whose last answer goes is open again.
  const left = body.filter((segment) => !within.has(segment));
  const loops = goal.closeLoop ? [body, left].flatMap((list) => openLoop(list, memo, "bound-loop")) : [];
  const loop = new Set(loops);
  const stays = rest.filter((segment) => !within.has(segment) && !loop.has(segment));
  const gone = new Set([...within, ...loop]);
  const first = rest.find((segment) => gone.has(segment))?.id ?? Number.POSITIVE_INFINITY;
  return stays.filter(({ id, kind }) => kind !== "reasoning" || goal.reasoning === "free" || id < first);
}

/** An answer and its results are one: they go only where all of them are named. */
function withinScope(body: readonly Segment[], { from, upto }: NonNullable<FoldGoal["scope"]>): ReadonlySet<Segment> {
  const answerOf = new Map<string, number>();
  let answer = -1;
  const groups = body.map((segment, at) => {
    const { role, kind, callId = "" } = segment;
    if (startsAnswer(body, at)) answer = at;
    if (kind === "tool-call") answerOf.set(callId, answer);
    if (role === "assistant") return answer;
    return kind === "tool-result" ? (answerOf.get(callId) ?? at) : at;
  });
  const isNamed = (segment: Segment | undefined) => segment !== undefined && segment.id >= from && segment.id <= upto;
  const staying = new Set(groups.filter((_, at) => !isNamed(body[at])));
  return new Set(body.filter((_, at) => !staying.has(groups[at] ?? -1)));
}
