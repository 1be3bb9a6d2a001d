import { addUsage, noUsage, promptTokensOf, type Usage } from "../kernel/usage.ts";
import { tokensText } from "./figures.ts";
import type { Rated } from "./rated.ts";
import type { AuditMoney, Sums, UsageKnown } from "./report.ts";

/** What is known of one call's tokens and money. */
export type Measured = {
  /** Of what was reported; zeros where nothing was. */
  readonly usage: Usage;
  readonly known: "all" | "output" | "none";
  readonly model: string | null;
  readonly rated: Rated | null;
  /** 0 where the prompt was reported. */
  readonly estimatedPromptTokens: number;
};

export type Meter = {
  /** `by` -1 takes a call out that was added: a later report of the same call replaces it. */
  readonly change: (call: Measured, by: 1 | -1) => void;
  readonly copied: () => void;
  readonly sums: () => Sums;
};

type State = {
  calls: number;
  copied: number;
  answersOnly: number;
  nothing: number;
  usage: Usage;
  estimated: number;
  priced: number;
  pricedTokens: number;
  usd: number;
  promptUsd: number;
  outputUsd: number;
  uncachedUsd: number;
};

/** Sums over calls: exactly what was reported, and money only where a price is known. */
export function openMeter(): Meter {
  const state: State = {
    calls: 0,
    copied: 0,
    answersOnly: 0,
    nothing: 0,
    usage: noUsage,
    estimated: 0,
    priced: 0,
    pricedTokens: 0,
    usd: 0,
    promptUsd: 0,
    outputUsd: 0,
    uncachedUsd: 0,
  };
  const unpriced = new Map<string, number>();
  return {
    change: (call, by) => {
      state.calls += by;
      if (call.known === "output") state.answersOnly += by;
      if (call.known === "none") state.nothing += by;
      state.usage = addUsage(state.usage, by === 1 ? call.usage : negative(call.usage));
      state.estimated += by * call.estimatedPromptTokens;
      if (call.rated !== null) addMoney(state, call, call.rated, by);
      else if (call.known === "all" && call.model !== null)
        unpriced.set(call.model, (unpriced.get(call.model) ?? 0) + by);
    },
    copied: () => {
      state.copied += 1;
    },
    sums: () => sumsOf(state, unpriced),
  };
}

function addMoney(state: State, call: Measured, rated: Rated, by: 1 | -1): void {
  state.priced += by;
  state.pricedTokens += by * (promptTokensOf(call.usage) + call.usage.output);
  state.usd += by * rated.usd;
  state.promptUsd += by * rated.promptUsd;
  state.outputUsd += by * rated.outputUsd;
  state.uncachedUsd += by * rated.uncachedUsd;
}

function negative(usage: Usage): Usage {
  return {
    uncached: -usage.uncached,
    cacheRead: -usage.cacheRead,
    cacheWrite5m: -usage.cacheWrite5m,
    cacheWrite1h: -usage.cacheWrite1h,
    cacheWriteOther: -usage.cacheWriteOther,
    output: -usage.output,
    reasoning: -usage.reasoning,
  };
}

function sumsOf(state: State, unpriced: ReadonlyMap<string, number>): Sums {
  const usageKnown = knownOf(state);
  return {
    calls: state.calls,
    callsUnknown: state.answersOnly + state.nothing,
    callsCopied: state.copied,
    usage: state.usage,
    promptTokens: promptTokensOf(state.usage),
    estimatedPromptTokens: Math.round(state.estimated),
    usageKnown,
    usageNote: noteOf(usageKnown, state),
    money: moneyOf(state, unpriced),
  };
}

function knownOf({ calls, answersOnly, nothing }: State): UsageKnown {
  if (calls === nothing) return "none";
  if (answersOnly + nothing === 0) return "all";
  return calls === answersOnly + nothing ? "output" : "partly";
}

function noteOf(known: UsageKnown, { calls, answersOnly, nothing }: State): string {
  if (calls === 0) return "no model call was recorded";
  const notes: Readonly<Record<UsageKnown, string>> = {
    all: "the tokens of every call were recorded",
    output:
      "no prompt tokens were recorded, only those of answers: prompts are estimated from their texts, money is unknown",
    partly: `${tokensText(answersOnly + nothing)} of ${tokensText(calls)} calls have no recorded prompt tokens: theirs are estimated, their money is unknown`,
    none: "no tokens were recorded: all sizes are estimated from the texts, money is unknown",
  };
  return notes[known];
}

function moneyOf(state: State, unpriced: ReadonlyMap<string, number>): AuditMoney {
  const tokens = promptTokensOf(state.usage) + state.usage.output;
  const has = state.priced > 0;
  return {
    usd: has ? state.usd : null,
    promptUsd: has ? state.promptUsd : null,
    outputUsd: has ? state.outputUsd : null,
    uncachedUsd: has ? state.uncachedUsd : null,
    pricedShare: tokens === 0 ? 0 : Math.round((state.pricedTokens / tokens) * 1_000) / 10,
    unpricedModels: [...unpriced].filter(([, calls]) => calls > 0).map(([model]) => model),
  };
}
