import { newProbing, type Probed } from "./probing.ts";
import type { Block, Probe, Recording } from "./recording.ts";
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
};

/** All in tokens, and costs in the price of a plain input token, but for what is named otherwise. */
export type Replayed = Probed & {
  readonly calls: number;
  readonly inputCost: number;
  readonly ownCallsCost: number;
  readonly reasoningLost: number;
  readonly promptTokens: number;
  readonly readTokens: number;
  /** Unchanged, and written again because the cache had expired. */
  readonly expiredTokens: number;
  readonly peakTokens: number;
  /** Prompts that changed what had been sent, where the recorded context did not begin anew. */
  readonly breaks: number;
  readonly overflows: { readonly at200k: number; readonly atH32k: number };
  /** Calls over a limit whatever a strategy does: head and unseen blocks alone exceed it. */
  readonly cannotFit: { readonly at200k: readonly number[]; readonly atH32k: readonly number[] };
  readonly stepMs: readonly number[];
};

/** One session under one strategy, as METRICS 1 charges it. */
export async function replay(input: ReplayInput): Promise<Replayed> {
  const { recording, strategy, terms } = input;
  const { headTokens, lifetimeMs, prices } = terms;
  const step = strategy.open(terms, { session: recording.session, calls: recording.calls, probes: input.probes });
  const probing = newProbing(input.probes, terms);
  const meter = newMeter(headTokens);
  let live: readonly Block[] = [];
  let before: { readonly shown: readonly Shown[]; readonly at: number | null } | null = null;
  for (const call of recording.calls) {
    const seen = call.restart?.kept ?? live;
    const blocks = [...seen, ...call.before];
    const idleMs = before === null || before.at === null || call.at === null ? null : call.at - before.at;
    const moment: Moment = {
      n: call.n,
      blocks,
      unseenFrom: seen.length,
      restarted: call.restart !== null,
      idleMs,
    };
    const startedMs = input.now();
    const decision = await step(moment);
    const stepMs = input.now() - startedMs;
    const unchanged = before === null ? 0 : unchangedOf(before.shown, decision.shown);
    const isChanged = before !== null && call.restart === null && unchanged < before.shown.length;
    const callIds = call.answer.flatMap(({ kind, callId }) =>
      kind === "tool-call" && callId !== null ? [callId] : [],
    );
    input.onCall({
      call: call.n,
      at: call.at,
      callIds,
      keep: before === null ? 0 : unchanged + 1,
      add: before === null ? [headOf(headTokens), ...decision.shown] : decision.shown.slice(unchanged),
      break: decision.break ?? call.restart?.why ?? (isChanged ? "undeclared" : null),
    });
    meter.add(decision, {
      n: call.n,
      unseen: tokensIn(call.before.map(({ text }) => ({ tokens: terms.tokensOf(text) }))),
      unchanged: before === null ? 0 : headTokens + tokensIn(decision.shown.slice(0, unchanged)),
      isExpired: lifetimeMs !== null && idleMs !== null && idleMs > lifetimeMs,
      isChanged,
      stepMs,
    });
    const recalled = probing.ask(call, blocks, decision.shown);
    live = [...blocks, ...recalled, ...call.answer];
    before = { shown: decision.shown, at: call.at };
  }
  return { ...meter.total(prices), ...probing.total() };
}

function headOf(tokens: number): Shown {
  return { role: "system", kind: "head", callId: null, text: null, tokens, handles: [] };
}

function unchangedOf(before: readonly Shown[], now: readonly Shown[]): number {
  const changed = now.findIndex((shown, at) => {
    const old = before[at];
    return old === undefined || !isSame(old, shown);
  });
  return changed < 0 ? now.length : changed;
}

type Step = {
  readonly n: number;
  readonly unseen: number;
  /** Tokens of the leading segments, the head among them, that are as they were. */
  readonly unchanged: number;
  readonly isExpired: boolean;
  readonly isChanged: boolean;
  readonly stepMs: number;
};

function newMeter(headTokens: number) {
  const limits = { at200k: 200_000, atH32k: headTokens + 32_000 };
  const over = { at200k: 0, atH32k: 0 };
  const cannotFit: { readonly at200k: number[]; readonly atH32k: number[] } = { at200k: [], atH32k: [] };
  const own = { readTokens: 0, writeTokens: 0, outputTokens: 0 };
  const stepMs: number[] = [];
  const sums = { prompt: 0, read: 0, expired: 0, peak: 0, breaks: 0, reasoningLost: 0 };
  return {
    add: (decision: Decision, step: Step) => {
      const tokens = headTokens + tokensIn(decision.shown);
      sums.prompt += tokens;
      sums[step.isExpired ? "expired" : "read"] += step.unchanged;
      sums.peak = Math.max(sums.peak, tokens);
      sums.breaks += step.isChanged ? 1 : 0;
      sums.reasoningLost += decision.reasoningTokensLost;
      for (const limit of ["at200k", "atH32k"] as const) {
        if (tokens <= limits[limit]) continue;
        if (headTokens + step.unseen > limits[limit]) cannotFit[limit].push(step.n);
        else over[limit]++;
      }
      for (const call of decision.calls) {
        own.readTokens += call.readTokens;
        own.writeTokens += call.writeTokens;
        own.outputTokens += call.outputTokens;
      }
      stepMs.push(step.stepMs);
    },
    total: ({ read, write, output }: Terms["prices"]) => ({
      calls: stepMs.length,
      inputCost: sums.read * read + (sums.prompt - sums.read) * write,
      ownCallsCost: own.readTokens * read + own.writeTokens * write + own.outputTokens * output,
      reasoningLost: sums.reasoningLost,
      promptTokens: sums.prompt,
      readTokens: sums.read,
      expiredTokens: sums.expired,
      peakTokens: sums.peak,
      breaks: sums.breaks,
      overflows: over,
      cannotFit,
      stepMs,
    }),
  };
}
