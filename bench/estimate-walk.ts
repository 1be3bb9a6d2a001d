import { addCounts, type Counts, noCounts } from "../src/budget/count.ts";
import { correct, type EstimateState, initialEstimate, predict } from "../src/budget/learn.ts";
import { hashOf } from "../src/kernel/hash.ts";
import { brand } from "../src/kernel/ids.ts";
import { promptTokensOf, type Usage, type Wire } from "../src/kernel/usage.ts";
import { basisOf } from "../src/ledger/forecast.ts";
import { afterBreak, emptyLane, type LaneMemo, type SentAttempt } from "../src/ledger/lane.ts";
import { nextRow } from "../src/ledger/row.ts";
import type { BreakReason } from "../src/log/entry.ts";
import { usualModel } from "../src/provider/usual-model.ts";
import { countsOf, tokensOf } from "../src/reduction/segment-tokens.ts";
import type { RecordedCall, Recording } from "../src/replay/recording.ts";
import { answerParts, type Part, partsOf } from "./estimate-segments.ts";

/** What our predictor said of one recorded prompt, and what the provider reported. The first call of a session is none. */
export type Step = {
  readonly n: number;
  /** null: it only grew. */
  readonly break: BreakReason | null;
  /** Parts that no report covers: what had to be estimated. */
  readonly added: readonly Part[];
  /** Marks of an answer that was carried, beside those of `added`. */
  readonly marks: number;
  /** Tokens that were taken from reports, carried or measured. */
  readonly known: number;
  readonly predicted: number;
  readonly marginTokens: number;
  readonly reported: number;
  /** Of the call before. */
  readonly promptBefore: number;
};

type State = {
  lane: LaneMemo;
  estimates: Readonly<Record<string, EstimateState>>;
  live: readonly Part[];
  previous: RecordedCall | null;
  model: string;
};

/**
 * Walks the calls of a session as the agent would have: predicts each prompt from the last report and the estimate of what
 * came since, then learns from the report. A session file does not hold the head: its size is what the first report leaves
 * for it, so the first call is no prediction, and nothing is learned from it.
 */
export function* walk(recording: Recording, format: string): Iterable<Step> {
  const head = headPart(recording);
  const state: State = { lane: emptyLane, estimates: {}, live: [head], previous: null, model: "" };
  for (const call of recording.calls) {
    const step = stepOf(call, head, state, format);
    if (step !== null) yield step;
  }
}

function stepOf(call: RecordedCall, head: Part, state: State, format: string): Step | null {
  const { previous } = state;
  const model = call.model ?? state.model;
  const reason = breakOf(call, model, state);
  if (reason !== null) state.lane = afterBreak(state.lane, reason);
  const answer = previous === null ? [] : answerParts(previous, sendsReasoning(format));
  state.live = call.restart === null ? [...state.live, ...answer] : [head, ...partsOf(call.restart.kept)];
  state.live = [...state.live, ...partsOf(call.before)];
  state.previous = call;
  state.model = model;
  const sent = attemptOf(call, model, state.live, format, head);
  const { carried, marks, measured, added } = basisOf(state.lane, model, sent.segments);
  const parts = added.flatMap((at) => state.live[at] ?? []);
  const counts = parts.map((part) => (part === head ? headCounts(head) : countsOf(part.segment)));
  const sum = counts.reduce(addCounts, { ...noCounts, marks, fixed: measured });
  const before = state.estimates[model] ?? initialEstimate;
  const { tokens: predicted, marginTokens } = predict(before, carried, sum);
  const reported = promptTokensOf(call.usage);
  if (previous !== null) {
    const of = carried === null ? "whole" : "increment";
    const after = correct(before, { of, counts: sum, actualTokens: reported - (carried ?? 0), trust: "reported" });
    state.estimates = { ...state.estimates, [model]: after };
  }
  const usage = sendsReasoning(format) ? call.usage : withoutReasoning(call.usage);
  const outcome = { type: "received", usage, firstTokenMs: null } as const;
  const price = () => ({ type: "unknown", why: "not asked for" }) as const;
  state.lane = nextRow(state.lane, { sent, outcome, price }).memo;
  if (previous === null) return null;
  const known = (carried ?? 0) + measured;
  const promptBefore = promptTokensOf(previous.usage);
  return { n: call.n, break: reason, added: parts, marks, known, predicted, marginTokens, reported, promptBefore };
}

function breakOf({ restart }: RecordedCall, model: string, state: State): BreakReason | null {
  if (restart !== null) return restarts[restart.why];
  return state.previous !== null && model !== state.model ? "model-changed" : null;
}

const restarts = { compacted: "compacted", rewound: "undone", cleared: "cleared" } as const;

function attemptOf(call: RecordedCall, model: string, live: readonly Part[], format: string, head: Part): SentAttempt {
  return {
    request: brand(`call-${call.n}`),
    purpose: "step",
    attempt: 1,
    at: call.at ?? 0,
    wire: wireOf(format, model),
    model,
    cacheKey: "",
    segments: live.map((part) => ({
      ...part.segment,
      tokens: part === head ? headCounts(head).json : tokensOf(part.segment),
      markTokens: part === head ? 0 : countsOf(part.segment).marks,
    })),
    marks: [],
    predicted: { promptTokens: 0, marginTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  };
}

/** The head as one part of the size that the first report leaves for it. Most of it is declarations. */
function headPart({ session, headTokens }: Recording): Part {
  const block = { id: -1, role: "user", kind: "text", callId: null, tool: null, text: "" } as const;
  const hash = hashOf(`head of ${session}`);
  const segment = { id: 0, kind: "system", role: "system", hash, text: null, textSpans: [] } as const;
  return { block, segment: { ...segment, span: [0, headTokens] } };
}

function headCounts({ segment }: Part): Counts {
  return { ...noCounts, json: segment.span[1] };
}

function wireOf(format: string, model: string): Wire {
  return format === "codex" ? "responses" : usualModel(model).wire;
}

function withoutReasoning(usage: Usage): Usage {
  return { ...usage, output: usage.output - usage.reasoning, reasoning: 0 };
}

/** Gemini CLI leaves the model's thoughts out of the next request. */
function sendsReasoning(format: string): boolean {
  return format !== "gemini-cli";
}
