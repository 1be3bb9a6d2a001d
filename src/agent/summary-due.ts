import { bounds } from "../kernel/bounds.ts";
import type { State } from "../log/state.ts";
import type { SummaryAttempt, SummaryOutcome, SummaryTry } from "../log/summary.ts";
import type { Effect, Situation } from "./situation.ts";

/**
 * The next rung of the ladder (DESIGN 6, Compact): the riding request, one stricter try, a shortened copy. null: no summary is
 * to be had, or the breaker is open, and the work is folded. At most `bounds.summaryTriesMax` calls.
 */
export function summaryDue({ summary, turn }: State, situation: Situation, why: string): Effect | null {
  const { tries, wanted, failedInARow } = summary;
  const isOff = situation.summaries.use === "off" || failedInARow >= bounds.summaryFailuresMax;
  if (isOff || tries.length >= bounds.summaryTriesMax || turn?.interruptedAt != null) return null;
  const scope = wanted?.scope ?? { kind: "all" };
  const last = tries.at(-1);
  const first = situation.summaries.rides() ? "ride" : "short";
  const as = last === undefined ? first : after[last.outcome](last, tries);
  // Law 5 holds for side requests as well.
  if (as === null || (as === "short" && !situation.summaries.shortFits())) return null;
  if (last === undefined) return { type: "summarize", as, scope, why };
  const wait = isTransient(last.outcome) ? (last.retryAfterMs ?? bounds.retryDelayMsFirst) : 0;
  if (wait > bounds.summaryWaitMsMax) return null;
  const { now } = situation;
  const untilMs = last.at + wait;
  // Before it: the clock was put back.
  if (now >= last.at && now < untilMs)
    return { type: "wait", untilMs, forMs: untilMs - now, why: "the summary is asked for again" };
  return { type: "summarize", as, scope, why };
}

type Next = (last: SummaryAttempt, tries: readonly SummaryAttempt[]) => SummaryTry | null;

const stricter: Next = (_last, tries) => (tries.some(({ as }) => as === "strict") ? null : "strict");
const shorter: Next = ({ as }) => (as === "short" ? null : "short");
const again: Next = ({ as }, tries) => (tries.filter(({ outcome }) => isTransient(outcome)).length > 1 ? null : as);
const never: Next = () => null;

const after: Readonly<Record<SummaryOutcome, Next>> = {
  empty: stricter,
  "tool-call": stricter,
  junk: stricter,
  truncated: stricter,
  larger: stricter,
  "too-long": shorter,
  "rate-limited": again,
  failed: again,
  accepted: never,
  interrupted: never,
};

function isTransient(outcome: SummaryOutcome): boolean {
  return outcome === "rate-limited" || outcome === "failed";
}
