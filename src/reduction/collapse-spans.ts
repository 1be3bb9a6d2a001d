import type { Segment } from "../prompt/segment.ts";
import { newestAnswerStart, startsAnswer } from "./answers.ts";
import type { FoldGoal } from "./fold-goal.ts";
import type { Memo } from "./memo.ts";
import { useOf } from "./use.ts";

/** Tool work with nothing said between, in order. */
export type Span = {
  /** Calls and results, and reminders between them. */
  readonly work: readonly Segment[];
  /** Of the answers that made the calls. */
  readonly reasoning: readonly Segment[];
  /** Id of the first kept segment behind it; null: there is none. */
  readonly before: number | null;
};

type Goal = Pick<FoldGoal, "targetTokens" | "reasoning">;

/** The spans that may go: all but those of the newest steps, of which as many stay as the target leaves room for. */
export function spansOf(segments: readonly Segment[], memo: Memo, goal: Goal): readonly Span[] {
  const placed = placedOf(segments, memo);
  const firstKept = firstKeptStep(placed, memo, goal);
  const going = placed.filter(({ goes, step }) => goes && step < firstKept);
  const worked = new Set(going.filter(({ segment }) => segment.kind === "tool-call").map(({ step }) => step));
  const isGone = ({ segment, goes, step }: Placed) =>
    segment.kind === "reasoning" ? goal.reasoning !== "free" || worked.has(step) : goes && step < firstKept;
  const separators = placed.filter((one) => !isGone(one) && !isResult(one)).map(separatorOf);
  // Of those that part the same steps the first stands for all.
  const behind = new Map(separators.toReversed().map(({ start, id }) => [start, id]));
  const starts = [...behind.keys()].toSorted((a, b) => a - b);
  const reasoning = placed.filter(({ segment, step }) => segment.kind === "reasoning" && worked.has(step));
  const spanOf = groupsOf(starts);
  const thoughts = Map.groupBy(reasoning, ({ step }) => spanOf(step));
  return [...Map.groupBy(going, ({ step }) => spanOf(step))].flatMap(([end, work]): readonly Span[] => {
    if (work.every(({ segment }) => memo.kindOf(segment) === "reminder")) return [];
    return [
      {
        work: work.map(({ segment }) => segment),
        reasoning: (thoughts.get(end) ?? []).map(({ segment }) => segment),
        before: behind.get(end) ?? null,
      },
    ];
  });
}

/** `step` counts answers from 1; a result belongs to the one that asked for it. `goes`: it may. */
type Placed = { readonly segment: Segment; readonly step: number; readonly goes: boolean };

function placedOf(segments: readonly Segment[], memo: Memo): readonly Placed[] {
  const newest = newestAnswerStart(segments);
  const calls = new Map<string, Placed>();
  const showing = new Set(segments.flatMap((one) => (memo.showsTools?.(one) === true ? (one.callId ?? []) : [])));
  let step = 0;
  return segments.map((segment, at): Placed => {
    const { kind, callId = "" } = segment;
    if (startsAnswer(segments, at)) step++;
    const call = kind === "tool-result" ? calls.get(callId) : undefined;
    if (call !== undefined) return { segment, step: call.step, goes: call.goes };
    const isWork =
      (kind === "tool-call" && useOf(segment).work !== "kept" && !showing.has(callId)) ||
      kind === "tool-result" ||
      memo.kindOf(segment) === "reminder";
    const placed = { segment, step, goes: isWork && step > 0 && at < newest };
    if (kind === "tool-call") calls.set(callId, placed);
    return placed;
  });
}

/** From which step on all stays: of the newest at least one. */
function firstKeptStep(placed: readonly Placed[], memo: Memo, { targetTokens, reasoning }: Goal): number {
  const isMovable = ({ segment, goes }: Placed) => goes || (segment.kind === "reasoning" && reasoning === "free");
  const sizes = new Map<number, number>();
  let left = targetTokens;
  for (const one of placed) {
    const tokens = memo.tokensOf(one.segment);
    if (isMovable(one)) sizes.set(one.step, (sizes.get(one.step) ?? 0) + tokens);
    else if (one.segment.kind !== "reasoning") left -= tokens;
  }
  let step = placed.at(-1)?.step ?? 0;
  for (; step > 1; step--) {
    left -= sizes.get(step - 1) ?? 0;
    if (left < 0) break;
  }
  return step;
}

function isResult({ segment }: Placed): boolean {
  return segment.kind === "tool-result";
}

/** What stays parts the steps: what an answer says those before it, a user's block also the one it stands behind. */
function separatorOf({ segment: { id, role }, step }: Placed): { readonly id: number; readonly start: number } {
  return { id, start: role === "assistant" ? step : step + 1 };
}

/** By the first step behind it that something kept parts it from; infinite where nothing does. */
function groupsOf(starts: readonly number[]): (step: number) => number {
  return (step) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) > step) high = middle;
      else low = middle + 1;
    }
    return starts[low] ?? Number.POSITIVE_INFINITY;
  };
}
