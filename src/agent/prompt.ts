import { initialEstimate, predict } from "../budget/learn.ts";
import { own } from "../kernel/own.ts";
import type { LedgerMemo } from "../ledger/ledger.ts";
import type { State } from "../log/state.ts";
import type { Doc } from "../prompt/doc.ts";
import { docOf, type Head } from "../prompt/render.ts";
import type { Segment } from "../prompt/segment.ts";
import type { AgentConfig } from "./config.ts";
import { fixedTokens, floorTokens } from "./fixed-tokens.ts";
import { type Increment, incrementOf } from "./increment.ts";
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
  return { doc, segments, increment, forecast: forecastOf(lane, increment, { doc, segments }) };
}

function forecastOf(
  lane: Rendering,
  { carried, counts }: Increment,
  { doc, segments }: Pick<Prompt, "doc" | "segments">,
): Forecast {
  const state = lane.state();
  const model = state.epoch?.model;
  if (model === undefined) throw new Error("forecastOf: no epoch is open");
  const { tokens, marginTokens } = predict(own(state.estimates, model.model) ?? initialEstimate, carried, counts);
  return {
    promptTokens: tokens,
    marginTokens,
    ...limitsNow(state, lane.config),
    fixedTokens: fixedTokens(state, segments),
    floorTokens: floorTokens(doc, segments, tokens),
  };
}
