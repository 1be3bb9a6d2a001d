import { addCounts, type Counts, noCounts } from "../budget/count.ts";
import { initialEstimate, isPlausible, predict } from "../budget/learn.ts";
import { own } from "../kernel/own.ts";
import { promptTokensOf } from "../kernel/usage.ts";
import { type Basis, basisOf } from "../ledger/forecast.ts";
import type { LedgerMemo } from "../ledger/ledger.ts";
import { headTokensOf, type State } from "../log/state.ts";
import type { Doc } from "../prompt/doc.ts";
import { docOf, type Head } from "../prompt/render.ts";
import type { Segment } from "../prompt/segment.ts";
import { countsOf, notedOf, tokensOf } from "../reduction/segment-tokens.ts";
import type { AgentConfig } from "./config.ts";
import { limitsNow } from "./limits-now.ts";
import type { Forecast } from "./situation.ts";
import type { TextCache } from "./texts.ts";

/** The next step request of a lane, rendered and measured; nothing of it is sent yet. */
export type Prompt = {
  readonly doc: Doc;
  readonly segments: readonly Segment[];
  readonly increment: Increment;
  readonly forecast: Forecast;
};

type Rendering = {
  readonly config: AgentConfig;
  readonly texts: TextCache;
  state(): State;
  ledger(): LedgerMemo;
  head(): Head;
};

export function renderPrompt(lane: Rendering): Prompt {
  const state = lane.state();
  const doc = docOf(state, lane.head(), lane.texts);
  const segments = lane.config.codecFor(doc.model.wire).segmentsOfDoc(doc);
  const increment = incrementOf(lane, doc.model.model, segments);
  return { doc, segments, increment, forecast: forecastOf(lane, increment, segments) };
}

/** What of a prompt is known from reports, and the counts of what is not (ledger/forecast.ts). */
export type Increment = { readonly carried: number | null; readonly counts: Counts };

export function incrementOf(lane: Rendering, model: string, segments: readonly Segment[]): Increment {
  const { carried, marks, measured, added } = plausible(basisIn(lane, model, segments), segments);
  const counts = added.flatMap((at) => segments[at] ?? []).map(countsOf);
  return { carried, counts: counts.reduce(addCounts, { ...noCounts, marks, fixed: measured }) };
}

/**
 * A server that adds up all its requests, or counts in other units, reports more than a prompt of this size can have.
 * Taken at its word, it would end a session that has all its window left.
 */
function plausible(basis: Basis, segments: readonly Segment[]): Basis {
  const counted = notedOf(segments).reduce((sum, { tokens }) => sum + tokens, 0);
  if (isPlausible((basis.carried ?? 0) + basis.measured, counted)) return basis;
  return { carried: null, marks: 0, measured: 0, added: segments.map((_, at) => at) };
}

/** Right after a session was opened the ledger knows nothing yet; what the log says of the newest report stands in for it. */
function basisIn(lane: Rendering, model: string, segments: readonly Segment[]): Basis {
  const { newest } = lane.state();
  if (lane.ledger().lane.previous === null && newest?.usage != null && newest.segments > 0) {
    const added = segments.slice(newest.segments).map((_, at) => newest.segments + at);
    return { carried: promptTokensOf(newest.usage), marks: 0, measured: 0, added };
  }
  return basisOf(lane.ledger().lane, model, notedOf(segments), headTokensOf(lane.state()));
}

function forecastOf(lane: Rendering, { carried, counts }: Increment, segments: readonly Segment[]): Forecast {
  const state = lane.state();
  const model = state.epoch?.model;
  if (model === undefined) throw new Error("forecastOf: no epoch is open");
  const { tokens, marginTokens } = predict(own(state.estimates, model.model) ?? initialEstimate, carried, counts);
  return {
    promptTokens: tokens,
    marginTokens,
    ...limitsNow(state, lane.config),
    fixedTokens: fixedTokens(state, segments),
  };
}

/** Head, user context, newest request and what no answer has seen: no fold can take it away. */
function fixedTokens(state: State, segments: readonly Segment[]): number {
  const lastAnswer = segments.findLastIndex((segment) => segment.role === "assistant");
  const head = segments.filter((segment) => segment.role === "tools" || segment.role === "system");
  const context = segments.slice(head.length, head.length + 1);
  const unseen = segments.slice(Math.max(lastAnswer + 1, head.length + 1));
  const parts = state.live.length === 0 ? [...head, ...unseen] : [...head, ...context, ...unseen];
  return parts.reduce((sum, segment) => sum + tokensOf(segment), 0);
}
