import { type Metered, newMeter } from "./meter.ts";
import { newProbing, type Probed, type Recalled } from "./probing.ts";
import type { Block, Probe, RecordedCall, Recording } from "./recording.ts";
import { isSame, tokensIn } from "./shown.ts";
import type { Decision, Moment, Shown, Strategy, Terms } from "./strategy.ts";

export type ReplayInput = {
  readonly recording: Recording;
  readonly probes: readonly Probe[];
  readonly strategy: Strategy;
  readonly terms: Terms;
  /** Milliseconds, for the time per step. */
  readonly now: () => number;
  readonly onCall: (prompt: ReplayedPrompt) => void;
};

/** One prompt as a change of the one before: its first `keep` segments, the head among them, then `add`. */
export type ReplayedPrompt = {
  readonly call: number;
  readonly at: number | null;
  readonly callIds: readonly string[];
  readonly keep: number;
  readonly add: readonly Shown[];
  readonly break: string | null;
  /** What the answer's calls needed and the prompt did not show, asked for in steps of their own before the answer. */
  readonly recalled: readonly Recalled[];
  readonly calls: Decision["calls"];
  readonly reasoningTokensLost: number;
};

export type Replayed = Metered & Probed;

/** One session under one strategy, as METRICS 1 charges it. */
export async function replay(input: ReplayInput): Promise<Replayed> {
  const { recording, strategy, terms } = input;
  const { headTokens, lifetimeMs, prices } = terms;
  const step = strategy.open(terms, { session: recording.session, calls: recording.calls, probes: input.probes });
  const probing = newProbing(input.probes, terms, strategy.takesAway);
  const meter = newMeter(headTokens);
  let live: readonly Block[] = [];
  let before: Sent | null = null;
  for (const call of recording.calls) {
    const moment = momentOf(call, live, before);
    const startedMs = input.now();
    const decision = await step(moment);
    const stepMs = input.now() - startedMs;
    const change = changeOf(before, decision.shown);
    const isChanged = change.changed > 0 && !moment.restarted;
    meter.add(decision, {
      n: call.n,
      unseen: tokensIn(call.before.map(({ text }) => ({ tokens: terms.tokensOf(text) }))),
      unchanged: before === null ? 0 : headTokens + tokensIn(decision.shown.slice(0, change.kept)),
      isExpired: lifetimeMs !== null && moment.idleMs !== null && moment.idleMs > lifetimeMs,
      isChanged,
      stepMs,
    });
    const recalled = probing.ask(call, moment.blocks, decision.shown);
    input.onCall({
      call: call.n,
      at: call.at,
      callIds: callIdsOf(call.answer),
      keep: before === null ? 0 : change.kept + 1,
      add: before === null ? [headOf(headTokens), ...decision.shown] : decision.shown.slice(change.kept),
      break: decision.break ?? call.restart?.why ?? (isChanged ? "undeclared" : null),
      recalled,
      calls: decision.calls,
      reasoningTokensLost: decision.reasoningTokensLost,
    });
    live = [...moment.blocks, ...recalled.map(({ block }) => block), ...call.answer];
    before = { shown: decision.shown, at: call.at };
  }
  return { ...meter.total(prices), ...probing.total() };
}

type Sent = { readonly shown: readonly Shown[]; readonly at: number | null };

function momentOf(call: RecordedCall, live: readonly Block[], before: Sent | null): Moment {
  const seen = call.restart?.kept ?? live;
  return {
    n: call.n,
    blocks: [...seen, ...call.before],
    unseenFrom: seen.length,
    restarted: call.restart !== null,
    idleMs: before === null || before.at === null || call.at === null ? null : call.at - before.at,
  };
}

/** How many leading segments are as they were, and how many of those sent before are not. */
function changeOf(before: Sent | null, now: readonly Shown[]): { readonly kept: number; readonly changed: number } {
  const old = before?.shown ?? [];
  let kept = 0;
  for (const [at, shown] of now.entries()) {
    const same = old[at];
    if (same === undefined || !isSame(same, shown)) break;
    kept++;
  }
  return { kept, changed: old.length - kept };
}

function callIdsOf(answer: readonly Block[]): readonly string[] {
  return answer.flatMap(({ kind, callId }) => (kind === "tool-call" && callId !== null ? [callId] : []));
}

function headOf(tokens: number): Shown {
  return { role: "system", kind: "head", callId: null, text: null, tokens, handles: [] };
}
