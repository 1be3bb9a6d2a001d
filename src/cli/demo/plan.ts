import type { Brain, BrainReply } from "../../testing/simulate/brain.ts";
import { hasFailed, isUnknown, type View, viewOf } from "./view.ts";

/** Something the demo's user asks for, and a way through it, one step after the other. */
export type Task = {
  /** Stands in each of the brain's messages about the task; a short word of letters. */
  readonly id: string;
  /** What the user types; none may stand in another's. */
  readonly message: string;
  readonly steps: readonly Step[];
  readonly summary: (view: View) => string;
};

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
 * A brain that follows plans and remembers nothing. What it works on is the newest message of the user that it knows. Each
 * of its own starts with `[task step/steps]`, and from those that are in view (as messages or as lines of a fold) it finds
 * its place. A step whose outcome it cannot see is done again, after a look at the file, so every step can be repeated
 * without harm.
 */
export function follow(tasks: readonly [Task, ...Task[]]): Brain {
  return (request) => {
    const view = viewOf(request);
    const task = taskIn(view, tasks);
    const place = placeIn(view, task);
    if (place.attempts > attemptsMax)
      return { text: `${stuckWords} "${task.steps[place.step]?.say ?? "the end"}" and stop here.` };
    for (const [index, step] of task.steps.entries()) {
      if (index < place.step) continue;
      const move = step.act(view);
      if (move.type !== "skip") return replyFor(task, index, step, move, index === place.step ? place.why : null);
    }
    return { text: `${markOf(task, task.steps.length)} ${task.summary(view)}` };
  };
}

/** How a brain begins that gives up. */
export const stuckWords = "I am stuck at";

/** The same step tried so often means that the world is not as the plan believes. */
const attemptsMax = 8;

/** A fold quotes older messages of the user; the newest stands behind them. */
function taskIn(view: View, tasks: readonly [Task, ...Task[]]): Task {
  const asked = view.notes.join("\n");
  return tasks.reduce((newest, task) =>
    asked.lastIndexOf(task.message) > asked.lastIndexOf(newest.message) ? task : newest,
  );
}

type Place = { readonly step: number; readonly attempts: number; readonly why: string | null };

function placeIn(view: View, task: Task): Place {
  const marks = [
    ...view.notes.flatMap((text) => marksIn(text, task, false)),
    ...view.turns.flatMap((turn) => marksIn(turn.text, task, true)),
  ];
  const last = marks.at(-1);
  if (last === undefined) return { step: 0, attempts: 0, why: null };
  const attempts = marks.filter((mark) => mark.step === last.step).length;
  const again = { step: last.step, attempts };
  if (last.isLook) return { ...again, why: null };
  if (!last.isWhole) {
    const isChange = task.steps[last.step]?.kind === "change";
    return isChange ? { ...again, why: null } : { step: last.step + 1, attempts: 0, why: null };
  }
  const calls = view.turns.findLast((turn) => marksIn(turn.text, task, true).length > 0)?.calls ?? [];
  if (calls.some(isUnknown)) return { ...again, why: "its outcome is unknown" };
  const wrote = calls.filter((call) => call.tool === "Edit" || call.tool === "Write");
  if (wrote.some(hasFailed)) return { ...again, why: "it failed" };
  return { step: last.step + 1, attempts: 0, why: null };
}

type Mark = { readonly step: number; readonly isLook: boolean; readonly isWhole: boolean };

/** `isWhole`: the message itself is in view, not only a line about it. */
function marksIn(text: string, task: Task, isWhole: boolean): readonly Mark[] {
  const found = [...text.matchAll(/\[([a-z]+) (\d+)\/\d+( look)?\] /g)].filter((match) => match[1] === task.id);
  return found.map((match) => ({ step: Number(match[2]) - 1, isLook: match[3] !== undefined, isWhole }));
}

function markOf(task: Task, index: number, kind = ""): string {
  return `[${task.id} ${index + 1}/${task.steps.length + 1}${kind}]`;
}

function replyFor(
  task: Task,
  index: number,
  step: Step,
  move: Exclude<Move, { type: "skip" }>,
  why: string | null,
): BrainReply {
  const reason = move.type === "look" ? move.why : why;
  const redone = reason === null ? "" : ` [redone: ${reason}]`;
  const mark = markOf(task, index, move.type === "look" ? " look" : "");
  const thought = step.think === undefined || move.type === "look" ? {} : { reasoning: step.think };
  return { ...thought, text: `${mark} ${step.say}${redone}`, calls: move.calls };
}
