import type { Brain, BrainReply } from "../../testing/simulate/brain.ts";
import { hasFailed, isUnknown, type View, viewOf } from "./view.ts";

/** A way through a task, one step after the other. Which step is next is read out of the request each time. */
export type Plan = { readonly steps: readonly Step[]; readonly summary: (view: View) => string };

export type Step = {
  /** After a fold a look counts as done; a change is checked, since its outcome is not in view. */
  readonly kind: "look" | "change";
  readonly say: string;
  readonly think?: string;
  /** What to do now, from what is in view. */
  readonly act: (view: View) => Move;
};

export type PlannedCall = { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

export type Move =
  | { readonly type: "do"; readonly calls: readonly PlannedCall[] }
  /** Something must be seen (again) before the step can be done. */
  | { readonly type: "look"; readonly why: string; readonly calls: readonly PlannedCall[] }
  /** What the step would do is already so. */
  | { readonly type: "skip" };

/**
 * A brain that follows the plan and remembers nothing: each of its messages starts with `[step/steps]`, and from those
 * that are in view (as messages or as lines of a fold) it finds its place. A step whose outcome it cannot see is done
 * again, after a look at the file, so every step can be repeated without harm.
 */
export function follow(plan: Plan): Brain {
  return (request) => {
    const view = viewOf(request);
    const place = placeIn(view, plan);
    if (place.attempts > attemptsMax)
      return { text: `I am stuck at "${plan.steps[place.step]?.say ?? "the end"}" and stop here.` };
    for (const [index, step] of plan.steps.entries()) {
      if (index < place.step) continue;
      const move = step.act(view);
      if (move.type !== "skip") return replyFor(plan, index, step, move, index === place.step ? place.why : null);
    }
    return { text: `[${plan.steps.length + 1}/${plan.steps.length + 1}] ${plan.summary(view)}` };
  };
}

/** The same step tried so often means that the world is not as the plan believes. */
const attemptsMax = 8;

type Place = { readonly step: number; readonly attempts: number; readonly why: string | null };

function placeIn(view: View, plan: Plan): Place {
  const marks = [
    ...view.notes.flatMap((text) => marksIn(text, false)),
    ...view.turns.flatMap((turn) => marksIn(turn.text, true)),
  ];
  const last = marks.at(-1);
  if (last === undefined) return { step: 0, attempts: 0, why: null };
  const attempts = marks.filter((mark) => mark.step === last.step).length;
  const again = { step: last.step, attempts };
  if (last.isLook) return { ...again, why: null };
  if (!last.isWhole) {
    const isChange = plan.steps[last.step]?.kind === "change";
    return isChange ? { ...again, why: null } : { step: last.step + 1, attempts: 0, why: null };
  }
  const calls = view.turns.findLast((turn) => marksIn(turn.text, true).length > 0)?.calls ?? [];
  if (calls.some(isUnknown)) return { ...again, why: "its outcome is unknown" };
  const wrote = calls.filter((call) => call.tool === "Edit" || call.tool === "Write");
  if (wrote.some(hasFailed)) return { ...again, why: "it failed" };
  return { step: last.step + 1, attempts: 0, why: null };
}

type Mark = { readonly step: number; readonly isLook: boolean; readonly isWhole: boolean };

/** `isWhole`: the message itself is in view, not only a line about it. */
function marksIn(text: string, isWhole: boolean): readonly Mark[] {
  const found = text.matchAll(/\[(\d+)\/\d+( look)?\] /g);
  return [...found].map((match) => ({ step: Number(match[1]) - 1, isLook: match[2] !== undefined, isWhole }));
}

function replyFor(
  plan: Plan,
  index: number,
  step: Step,
  move: Exclude<Move, { type: "skip" }>,
  why: string | null,
): BrainReply {
  const place = `${index + 1}/${plan.steps.length + 1}`;
  const reason = move.type === "look" ? move.why : why;
  const redone = reason === null ? "" : ` [redone: ${reason}]`;
  const mark = move.type === "look" ? `[${place} look]` : `[${place}]`;
  const thought = step.think === undefined || move.type === "look" ? {} : { reasoning: step.think };
  return { ...thought, text: `${mark} ${step.say}${redone}`, calls: move.calls };
}
