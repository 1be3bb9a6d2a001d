import { bounds } from "../kernel/bounds.ts";
import type { State } from "../log/state.ts";
import type { SummaryAttempt, SummaryOutcome, SummaryTry } from "../log/summary.ts";
import type { Effect, Situation } from "./situation.ts";

/** `none`: the work is folded, and why no model is asked. */
export type SummaryDue = Effect | { readonly type: "none"; readonly why: string };

/**
 * The next rung of the ladder (DESIGN 6, Compact): the provider's own summary where that is wanted, the riding request, one
 * stricter try, a shortened copy. At most `bounds.summaryTriesMax` calls.
 */
export function summaryDue({ summary }: State, situation: Situation, why: string): SummaryDue {
  const { tries, wanted, failedInARow } = summary;
  const { use, native, rides, shortFits } = situation.summaries;
  if (use !== "on") return none(unused[use]);
  if (failedInARow >= bounds.summaryFailuresMax) return none(`${failedInARow} compactions in a row got no summary`);
  const last = tries.at(-1);
  const own = rides() ? "ride" : "short";
  const first = own === "ride" && native() ? "native" : own;
  const as =
    last === undefined ? first : last.as === "native" ? afterNative(last, own) : after[last.outcome](last, tries);
  if (as === null || tries.length >= bounds.summaryTriesMax) return none(triedWords(tries));
  // Law 5 holds for side requests as well.
  if (as === "short" ? !shortFits() : !rides()) return none([triedWords(tries), "there is no room to ask"].join("; "));
  const scope = wanted?.scope ?? { kind: "all" };
  if (last === undefined) return { type: "summarize", as, scope, why };
  const wait = isTransient(last.outcome) ? (last.retryAfterMs ?? bounds.retryDelayMsFirst) : 0;
  if (wait > bounds.summaryWaitMsMax) return none(triedWords(tries));
  const { now } = situation;
  const untilMs = last.at + wait;
  // Before it: the clock was put back.
  if (now >= last.at && now < untilMs)
    return { type: "wait", untilMs, forMs: untilMs - now, why: "the summary is asked for again" };
  return { type: "summarize", as, scope, why };
}

const unused: Readonly<Record<Exclude<Situation["summaries"]["use"], "on">, string>> = {
  off: "summaries are switched off",
  cold: "the cache has expired, so that a model would read everything at full price",
};

function none(why: string): SummaryDue {
  return { type: "none", why };
}

function triedWords(tries: readonly SummaryAttempt[]): string {
  return tries.map(({ as, outcome }) => `${as}: ${outcome}`).join(", ");
}

/** Whatever became of the provider's own: ours begins where it would have begun, but not with what is too long. */
function afterNative({ outcome }: SummaryAttempt, own: SummaryTry): SummaryTry {
  return outcome === "too-long" ? "short" : own;
}

type Next = (last: SummaryAttempt, tries: readonly SummaryAttempt[]) => SummaryTry | null;

const stricter: Next = (_last, tries) => (tries.some(({ as }) => as === "strict") ? null : "strict");
const shorter: Next = ({ as }) => (as === "short" ? null : "short");
const again: Next = ({ as }, tries) => (tries.filter(({ outcome }) => isTransient(outcome)).length > 1 ? null : as);
const same: Next = ({ as }) => as;
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
  // Only of the provider's own: ours begins at its first rung.
  unsupported: never,
  // Not by the user, who ends the turn: something else broke it off.
  interrupted: same,
};

function isTransient(outcome: SummaryOutcome): boolean {
  return outcome === "rate-limited" || outcome === "failed";
}
