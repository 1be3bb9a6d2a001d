import type { Brain, BrainRequest } from "./brain.ts";
import type { Fault } from "./faults.ts";
import type { Script, ScriptStep } from "./script.ts";
import { failsAt } from "./script-condition.ts";

/** What a script moves besides the model's mind. */
export type Stage = { addFaults(faults: readonly Fault[]): void; advance(ms: number): void };

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
 * the next one that is answered in order.
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
  const judge = (request: BrainRequest) => {
    for (const { at, step } of expected) {
      const why = step.type === "expect" ? failsAt(step.condition, request) : null;
      if (why !== null) failures.push(`step ${at + 1}: ${why}`);
    }
    expected = [];
  };
  return {
    brain(request) {
      const reply = replies.find((one) => one.left > 0 && (one.when === null || failsAt(one.when, request) === null));
      if (reply === undefined || isInOrder(reply)) judge(request);
      if (reply === undefined) return { text: "The script is at its end." };
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

function isInOrder({ repeat }: { readonly repeat: number }): boolean {
  return Number.isFinite(repeat);
}
