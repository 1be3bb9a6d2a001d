import { bounds } from "../kernel/bounds.ts";
import { canonicalJson } from "../kernel/canonical.ts";
import type { BreakReason, Failure, TurnEnd } from "../log/entry.ts";
import { asksForAnswer, pendingPieces } from "../log/reduce.ts";
import type { Call, State } from "../log/state.ts";
import { modelNow } from "./effort.ts";
import { requestModel } from "./request-model.ts";
import type { Effect, Pressure, Situation } from "./situation.ts";
import { type SummaryDue, summaryDue } from "./summary-due.ts";

/** The whole policy of the loop, without the loop. Empty means wait. */
export function decide(state: State, situation: Situation): readonly Effect[] {
  const { turn } = state;
  if (turn === null)
    return state.summary.wanted === null || state.summary.asked !== null ? [] : [askedFor(state, situation)];
  const isInterrupted = turn.interruptedAt !== null;
  const open = state.calls.filter((call) => call.status.type !== "returned");
  if (open.length > 0) return isInterrupted ? open.flatMap(closeInterrupted) : forCalls(state.calls, situation);
  if (state.request !== null || state.summary.asked !== null) return [];
  if (isInterrupted) return [end("interrupted", "stopped by the user")];
  if (state.failure !== null) return forFailure(state, situation);
  if (isAnswered(state)) return [answered(state)];
  if (state.repeats.insisted.answers >= bounds.repeatAnswersMax) return [endless(state)];
  if (turn.steps >= situation.stepsMax)
    return [end("step-limit", `the limit of ${situation.stepsMax} steps is reached`)];
  const due = breakDue(state, situation);
  return due === null ? [withinBudget(state, situation, 1)] : [due];
}

/** Read-only calls run side by side; any other runs alone, after all before it and before all behind it. */
function forCalls(calls: readonly Call[], situation: Situation): readonly Effect[] {
  const open = calls.filter((call) => call.status.type !== "returned");
  const running = open.filter((call) => call.status.type === "started").length;
  const firstWrite = open.findIndex((call) => !situation.isReadOnly(call.tool));
  const free = open.filter((_, index) => index === 0 || firstWrite === -1 || index < firstWrite);
  const ready = free.filter((call) => call.status.type === "allowed").slice(0, bounds.parallelCallsMax - running);
  const asked = open.find((call) => call.status.type === "waiting" || call.status.type === "asked");
  return [
    ...open.flatMap(closeRefused),
    ...(asked === undefined ? [] : [{ type: "permit", callId: asked.callId } as const]),
    ...ready.map(({ callId }) => ({ type: "run-tool", callId }) as const),
  ];
}

function closeRefused({ callId, status }: Call): readonly Effect[] {
  return status.type === "refused" ? [{ type: "close-call", callId, ending: "refused", why: status.why }] : [];
}

function closeInterrupted(call: Call): readonly Effect[] {
  // A started one ends by its signal, or is abandoned by the driver after a limit.
  if (call.status.type === "started") return [];
  const why = "Not run: the user interrupted the turn.";
  return [{ type: "close-call", callId: call.callId, ending: "not-run", why }];
}

function isAnswered(state: State): boolean {
  const { newest, turn } = state;
  if (turn === null || newest === null || turn.steps === 0 || state.hooks.goesOn) return false;
  return !pendingPieces(state).some(asksForAnswer) && !newest.hasCalls;
}

function answered(state: State): Effect {
  const stop = state.newest?.stop;
  if (stop === "refusal") return end("failed", "the model refused to answer");
  if (stop === "window-exceeded") return end("window-too-small", "the answer ran into the end of the model's window");
  if (stop === "output-limit") return end("done", "the answer was cut at the output limit");
  if ((state.turn?.refusals ?? 0) > 0) return end("permission-refused", "a call that was needed was refused");
  return end("done", "");
}

/** The model asks on for what cannot stay: the window does not hold what it wants to see at once (CASES C-015). */
function endless({ repeats }: State): Effect {
  const { answers, what } = repeats.insisted;
  return end(
    "window-too-small",
    `the model asked ${answers} times in a row for output that is the same as it was shown before, cut or taken away each ` +
      `time to make room, and for nothing new beside it (${what}): what it wants to see at once does not fit`,
  );
}

function breakDue(state: State, situation: Situation): Effect | null {
  const { epoch, damage } = state;
  const model = requestModel(state);
  if (epoch === null) {
    const lost = damage.lines > 0;
    return open(lost ? "history-damaged" : "start", lost ? `${damage.lines} unreadable lines` : "");
  }
  if (situation.headLost) return open("history-damaged", "the stored head of the epoch is missing or damaged");
  if (damage.lines > damage.declared)
    return open("history-damaged", `${damage.lines - damage.declared} unreadable lines`, afterDamage(state, situation));
  if (model !== null && (model.model !== epoch.model.model || model.wire !== epoch.model.wire))
    return open("model-changed", `${epoch.model.model} to ${model.model}`);
  if (model !== null && canonicalJson(model) !== canonicalJson(modelNow(state)))
    return open("effort-changed", "effort, thinking or output limit changed");
  if (state.turn?.steps === 0 && situation.sectionsChanged())
    return open("sections-changed", "the dynamic sections were rebuilt for this turn");
  if (situation.rendererChanged && situation.damaged)
    return open("history-damaged", "the log lost entries of what was sent", "changed");
  if (situation.rendererChanged)
    return open(
      "renderer-changed",
      "the history is rendered otherwise than it was sent: by another version, or after a redaction",
      "changed",
    );
  return null;
}

/** Law 5: checked before every request, pending blocks included; what law 6 adds comes first. */
function withinBudget(state: State, situation: Situation, attempt: number): Effect {
  if (situation.factsDue()) return { type: "show-facts" };
  const { promptTokens, marginTokens, autoTokens, lineTokens, usableTokens, fixedTokens } = situation.forecast();
  const size = promptTokens + marginTokens;
  const pressure = size > lineTokens ? "hard" : size > autoTokens ? "near" : "none";
  const why = pressure === "none" ? "" : `${size} tokens, line ${pressure === "hard" ? lineTokens : autoTokens}`;
  const due = reductionDue(state, situation, { pressure, why });
  if (due !== null) return due;
  if (size <= usableTokens) return { type: "send-request", attempt };
  return end(
    "window-too-small",
    `the next request needs ${size} tokens, ${usableTokens} are usable: ` +
      `${fixedTokens} are fixed (system, tools, newest request and results), ${Math.max(0, promptTokens - fixedTokens)} are history`,
  );
}

/** What has to go first, or is better gone; null: nothing. */
function reductionDue(
  state: State,
  situation: Situation,
  at: { readonly pressure: Pressure; readonly why: string },
): Effect | null {
  if (state.summary.made !== null || state.summary.wanted !== null) return compactionStep(state, situation, at);
  const { floorTokens, usableTokens } = situation.forecast();
  // Nothing is taken away for a request that could not be sent all the same.
  if (floorTokens > usableTokens) return null;
  const planned = situation.planned(at.pressure);
  if (planned.type === "nothing") return null;
  if (planned.type !== "compacted") return { type: "reduce", ...at };
  if ((state.turn?.folds ?? 0) >= bounds.foldsInARowMax) return null;
  return summedOrFolded(planned.worth ? summaryDue(state, situation, at.why) : notWorth, at);
}

/** A compaction the user asked for, also in mid-turn; and one whose summary is at hand. */
function compactionStep(
  state: State,
  situation: Situation,
  at: { readonly pressure: Pressure; readonly why: string },
): Effect {
  if (state.summary.made !== null) return { type: "compact", ...at, unasked: "" };
  const asked = situation.summaries.asked();
  if (asked.type === "refused") return { type: "refuse-compaction", why: asked.why };
  const why = "asked for by the user";
  return summedOrFolded(asked.type === "worth" ? summaryDue(state, situation, why) : notWorth, { ...at, why });
}

const notWorth: SummaryDue = { type: "none", why: "a summary would save too little" };

function summedOrFolded(due: SummaryDue, at: { readonly pressure: Pressure; readonly why: string }): Effect {
  return due.type === "none" ? { type: "compact", ...at, unasked: due.why } : due;
}

function askedFor(state: State, situation: Situation): Effect {
  if (state.epoch === null || situation.headLost)
    return { type: "refuse-compaction", why: "nothing was sent yet: there is nothing to compact" };
  // A summary asked of one model and placed for another could not be read by it, nor undone for it.
  return breakDue(state, situation) ?? compactionStep(state, situation, { pressure: "none", why: "" });
}

function forFailure(state: State, situation: Situation): readonly Effect[] {
  const failed = state.failure;
  if (failed === null) return [];
  const { failure, attempt, at } = failed;
  const way = ways[failure.class];
  if (way === "stop")
    return [end(failure.class === "interrupted" ? "interrupted" : "provider-gave-up", failure.message)];
  // Another model, or a head that is lost: what failed would not be sent again as it was.
  const due = breakDue(state, situation);
  if (due !== null) return [due];
  if (way === "shrink") return [smaller(state, failure, situation)];
  if (way === "rebind") {
    const { epoch, turn, newest, live } = state;
    const isOfThisTurn = epoch?.reason === "renderer-changed" && epoch.seq > (turn?.fromSeq ?? 0);
    // An answer that came since shows that the way out leads somewhere; a summary of the provider's may be what it does not know.
    const tried = isOfThisTurn && (newest?.segments ?? 0) === 0 && live[0]?.block.type !== "compaction";
    if (tried) return [end("provider-gave-up", failure.message)];
    return [open("renderer-changed", `the provider found the prefix changed: ${failure.message}`, "changed")];
  }
  if (attempt >= (failure.class === "network" ? bounds.networkAttemptsMax : bounds.requestAttemptsMax))
    return [end("provider-gave-up", `${failure.message} (${attempt} attempts)`)];
  const wait = failure.retryAfterMs ?? backOffMs(attempt, at);
  if (wait > bounds.retryAfterMsMax)
    return [end("provider-gave-up", `${failure.message}; it asks to wait ${Math.ceil(wait / 1000)} s`)];
  // Before the failure: the clock was put back, by who knows how much, and waiting for it could take days.
  const isPutBack = situation.now < at;
  if (!isPutBack && situation.now < at + wait) {
    const untilMs = at + wait;
    return [{ type: "wait", untilMs, forMs: untilMs - situation.now, why: failure.message }];
  }
  return [withinBudget(state, situation, attempt + 1)];
}

/** The same oversized request is never sent twice (CASES C-005): either something was taken away, or the turn ends. */
function smaller(state: State, failure: Failure, situation: Situation): Effect {
  const due = reductionDue(state, situation, { pressure: "hard", why: failure.message });
  if (due !== null) return due;
  const { promptTokens, fixedTokens } = situation.forecast();
  return end("window-too-small", `${failure.message} (estimated ${promptTokens} tokens, ${fixedTokens} of them fixed)`);
}

type Way = "shrink" | "retry" | "rebind" | "stop";

const ways: Readonly<Record<Failure["class"], Way>> = {
  overflow: "shrink",
  "rate-limited": "retry",
  overloaded: "retry",
  server: "retry",
  network: "retry",
  "broken-stream": "retry",
  timeout: "retry",
  binding: "rebind",
  "bad-request": "stop",
  auth: "stop",
  billing: "stop",
  "not-found": "stop",
  refused: "stop",
  interrupted: "stop",
};

/** Exponential, with up to a quarter of jitter taken from the failure's own time, so that deciding stays pure. */
function backOffMs(attempt: number, at: number): number {
  const base = Math.min(bounds.retryDelayMsMax, bounds.retryDelayMsFirst * 2 ** (attempt - 1));
  return Math.round(base * (1 + (at % 256) / 1024));
}

/**
 * Lines were lost. What the newest answered request sent is known by its chain; where the intent of that request is among
 * what was lost, nobody knows what its reasoning stood behind.
 */
function afterDamage({ sent, newest }: State, { rendererChanged }: Situation): "stands" | "changed" {
  return !rendererChanged && sent !== null && newest?.request === sent.request ? "stands" : "changed";
}

function open(reason: "start" | BreakReason, detail: string, sent: "stands" | "changed" = "stands"): Effect {
  return { type: "open-epoch", reason, detail, sent };
}

function end(reason: TurnEnd, detail: string): Effect {
  return { type: "end-turn", reason, detail };
}
