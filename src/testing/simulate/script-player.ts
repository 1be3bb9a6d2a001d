import type { Brain, BrainReply, BrainRequest } from "./brain.ts";
import type { Fault } from "./faults.ts";
import type { Script, ScriptStep } from "./script.ts";
import { type Condition, failsAt } from "./script-condition.ts";
import { summaryAskOf } from "./summary-request.ts";

/** What a script moves besides the model's mind, and who answers beside it. */
export type Stage = {
  addFaults(faults: readonly Fault[]): void;
  advance(ms: number): void;
  /** The answer to a request for a summary, which no step has in mind; null for any other request. */
  sumUp(request: BrainRequest): BrainReply | null;
};

export type ScriptReport = {
  /** Replies given, and those never asked for (one that repeats for ever is never left). */
  readonly given: number;
  readonly left: number;
  /** Expectations that did not hold, or that no request came for; one line each. */
  readonly failures: readonly string[];
};

export type Player = { readonly brain: Brain; readonly begin: () => void; readonly report: () => ScriptReport };

type Reply = Extract<ScriptStep, { type: "reply" }> & { readonly after: readonly Placed[]; left: number };
type Placed = { readonly at: number; readonly step: Exclude<ScriptStep, { type: "reply" }> };

/**
 * Plays a script. A request gets the first reply that is left and whose `when` holds; as soon as a reply was given for
 * the last time, what stands behind it happens: the clock moves, faults wait for the next requests, expectations for
 * the next one that is answered in order. A request for a summary stands beside the order: only steps whose condition
 * says `summary` are for it, and without one it is summed up well.
 */
export function playScript(script: Script, stage: Stage): Player {
  const { before, replies } = arranged(script);
  const failures: string[] = [];
  let given = 0;
  let expected: readonly Placed[] = [];
  const happen = (steps: readonly Placed[]) => {
    for (const placed of steps) {
      const { step } = placed;
      if (step.type === "fault") stage.addFaults([step.fault]);
      else if (step.type === "advance") stage.advance(step.ms);
      else expected = [...expected, placed];
    }
  };
  const judge = (request: BrainRequest, isSummary: boolean) => {
    const due = expected.filter(({ step }) => step.type === "expect" && isFor(step.condition, isSummary));
    for (const { at, step } of due) {
      const why = step.type === "expect" ? failsAt(step.condition, request) : null;
      if (why !== null) failures.push(`step ${at + 1}: ${why}`);
    }
    expected = expected.filter((placed) => !due.includes(placed));
  };
  return {
    brain(request) {
      const isSummary = summaryAskOf(request) !== null;
      const reply = replies.find(
        ({ left, when }) => left > 0 && isFor(when, isSummary) && (when === null || failsAt(when, request) === null),
      );
      if (isSummary || reply === undefined || isInOrder(reply)) judge(request, isSummary);
      if (reply === undefined) return stage.sumUp(request) ?? { text: "The script is at its end." };
      given += 1;
      reply.left -= 1;
      if (reply.left === 0) happen(reply.after);
      return reply.reply;
    },
    begin: () => happen(before),
    report: () => {
      const waiting = replies.filter(({ left }) => left > 0);
      const unseen = [...expected, ...waiting.flatMap(({ after }) => after)].filter(
        ({ step }) => step.type === "expect",
      );
      return {
        given,
        left: waiting.filter(isInOrder).reduce((sum, { left }) => sum + left, 0),
        failures: [...failures, ...unseen.map(({ at }) => `step ${at + 1}: no request came for this expectation`)],
      };
    },
  };
}

/** Every step behind the reply it belongs to. A reply that is given for ever stands beside the order: nothing waits for it. */
function arranged(script: Script): { readonly before: readonly Placed[]; readonly replies: readonly Reply[] } {
  const before: Placed[] = [];
  const replies: Reply[] = [];
  let open = before;
  for (const [at, step] of script.entries()) {
    if (step.type !== "reply") {
      open.push({ at, step });
      continue;
    }
    const after: Placed[] = [];
    replies.push({ ...step, left: step.repeat, after });
    if (isInOrder(step)) open = after;
  }
  return { before, replies };
}

function isFor(when: Condition | null, isSummary: boolean): boolean {
  return (when?.summary === true) === isSummary;
}

function isInOrder({ repeat }: { readonly repeat: number }): boolean {
  return Number.isFinite(repeat);
}
