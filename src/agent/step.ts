import { bounds } from "../kernel/bounds.ts";
import type { RequestId } from "../kernel/ids.ts";
import type { EntryBody, Failure, ModelChoice } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import { fittedTo } from "../provider/usual-model.ts";
import type { Lane } from "./lane.ts";
import { type Outgoing, outgoing } from "./outgoing.ts";
import type { Prompt } from "./prompt.ts";
import { receivedEntries } from "./received.ts";
import { streamed } from "./streamed.ts";

/** A step request ready to leave. */
export type Step = Outgoing & { readonly id: RequestId; readonly prompt: Prompt };

export function prepareStep(prompt: Prompt, attempt: number, lane: Lane): Step {
  const { doc, segments, forecast } = prompt;
  const made = outgoing({ doc, segments, forecast, purpose: "step", attempt }, lane);
  return { ...made, id: made.intent.request, prompt };
}

/** Sends one attempt and turns what came back into entries. A failure is an entry like any other. */
export async function sendStep(step: Step, lane: Lane, signal: AbortSignal): Promise<readonly EntryBody[]> {
  const { result, firstTokenMs } = await streamed(step.wire, lane, signal, lane.emit);
  if (signal.aborted)
    return await failedEntries(step, interruption, result.type === "failed" ? result.partial : "", lane);
  if (result.type === "failed") return await failedEntries(step, result.failure, result.partial, lane);
  return await receivedEntries(step, result, firstTokenMs, lane);
}

async function failedEntries(step: Step, failure: Failure, partial: string, lane: Lane): Promise<readonly EntryBody[]> {
  const entry: EntryBody = {
    type: "request-failed",
    request: step.id,
    failure,
    partial: await lane.texts.keep(partial),
  };
  if (failure.class !== "overflow") return [entry];
  return [entry, ...limitLearned(failure, step.prompt, lane.state())];
}

/** What a refusal says of the model's limit. */
export function limitLearned(failure: Failure, { doc, forecast }: Prompt, state: State): readonly EntryBody[] {
  // It may have been as long as its margin allows for: a guess too high costs one refusal more.
  const refused = failure.promptTokens ?? forecast.promptTokens + forecast.marginTokens;
  // Without the number, what was refused is the only evidence: the limit lies below it. A guess that leaves no room for
  // work is none: a request of mere head that was refused says nothing of tokens, and must not end the session.
  const guess = Math.floor(refused * 0.9);
  const named = (failure.limitTokens ?? 0) < bounds.limitTokensMin ? null : failure.limitTokens;
  if (named === null && guess < 2 * forecast.fixedTokens) return [];
  const learned = { type: "limit-learned", model: doc.model.model, from: failure.message } as const;
  // A choice outlives any guess, and this guess is of prompts with just that answer behind them.
  if (named === null) return [{ ...learned, inputTokensMax: guess, basis: "guess" }];
  return [{ ...learned, inputTokensMax: named }, ...fitted(named, doc.model, state)];
}

/** Servers that add the longest answer to the prompt refuse every request of a window smaller than both. */
function fitted(limit: number, sent: ModelChoice, { model }: State): readonly EntryBody[] {
  if (model === null || model.model !== sent.model) return [];
  const next = fittedTo(limit, model);
  return next === model ? [] : [{ type: "model-chosen", model: next }];
}

const interruption: Failure = {
  class: "interrupted",
  status: null,
  message: "interrupted by the user",
  retryAfterMs: null,
  promptTokens: null,
  limitTokens: null,
};
