import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import type { RequestId } from "../kernel/ids.ts";
import type { EntryBody, Failure, ModelChoice } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { WireRequest } from "../ports/model.ts";
import { chainHashes } from "../prompt/chain.ts";
import { wellformed } from "../prompt/wellformed.ts";
import { legalCallId } from "../provider/anthropic/call-id.ts";
import { fittedTo } from "../provider/usual-model.ts";
import type { Lane } from "./lane.ts";
import { predictedCache } from "./meter.ts";
import type { Prompt } from "./prompt.ts";
import { receivedEntries } from "./received.ts";
import { watched } from "./watched.ts";

/** A step request ready to leave: its intent entry and its bytes belong together. */
export type Step = {
  readonly id: RequestId;
  readonly intent: EntryBody;
  readonly wire: WireRequest;
  readonly prompt: Prompt;
};

export function prepareStep(prompt: Prompt, attempt: number, lane: Lane): Step {
  const { doc, segments, forecast } = prompt;
  const violation = wellformed(doc.pieces);
  if (violation !== null) throw new Error(`the prompt is malformed after healing: ${violation}`);
  const codec = lane.config.codecFor(doc.model.wire);
  const global = doc.tools.length + doc.system.filter(({ scope }) => scope === "global").length;
  const marks = codec.placeMarks(segments, {
    model: doc.model.model,
    previous: lane.state().sent?.marks ?? [],
    taken: 0,
    globalSegments: global,
  });
  const cacheKey = codec.cacheKeyOfDoc(doc);
  const id = lane.fx.ids.request();
  const intent: EntryBody = {
    type: "request-sent",
    request: id,
    purpose: "step",
    attempt,
    segments: segments.length,
    chain: chainHashes(segments).at(-1) ?? hashOf(""),
    cacheKey,
    marks: marks.map(({ segment }) => segment),
    predicted: {
      promptTokens: forecast.promptTokens,
      marginTokens: forecast.marginTokens,
      ...predictedCache(lane, prompt, marks, cacheKey),
    },
  };
  return { id, intent, wire: codec.encode(doc, marks), prompt };
}

/** Sends one attempt and turns what came back into entries. A failure is an entry like any other. */
export async function sendStep(step: Step, lane: Lane, signal: AbortSignal): Promise<readonly EntryBody[]> {
  const { fx, emit, config } = lane;
  const sentAt = fx.clock.now();
  let firstTokenMs: number | null = null;
  const taken = callIdsOf(lane.state());
  const decoder = config.codecFor(step.wire.wire).decoder(
    () => `call_${fx.ids.token(12)}`,
    (id) => taken.has(legalCallId(id)),
  );
  for await (const event of watched(fx.model, step.wire, fx.clock, signal)) {
    if (signal.aborted) break;
    for (const delta of decoder.push(event)) {
      firstTokenMs ??= Math.max(0, fx.clock.now() - sentAt);
      emit(delta);
    }
  }
  const result = decoder.end();
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
  const { doc, forecast } = step.prompt;
  const refused = failure.promptTokens ?? forecast.promptTokens;
  // Without the number, what was refused is the only evidence: the limit lies below it. A guess that leaves no room for
  // work is none: a request of mere head that was refused says nothing of tokens, and must not end the session.
  const guess = Math.floor(refused * 0.9);
  const named = (failure.limitTokens ?? 0) < bounds.limitTokensMin ? null : failure.limitTokens;
  if (named === null && guess < 2 * forecast.fixedTokens) return [entry];
  const limit = named ?? guess;
  return [
    entry,
    { type: "limit-learned", model: doc.model.model, inputTokensMax: limit, from: failure.message },
    ...fitted(limit, doc.model, lane.state()),
  ];
}

/** Servers that add the longest answer to the prompt refuse every request of a window smaller than both. */
function fitted(limit: number, sent: ModelChoice, { model }: State): readonly EntryBody[] {
  if (model === null || model.model !== sent.model) return [];
  const next = fittedTo(limit, model);
  return next === model ? [] : [{ type: "model-chosen", model: next }];
}

/**
 * Some servers count their call ids from 0 in every answer; in one conversation an id stands for one call. Compared as the
 * stricter wire writes them, so that they stay apart whichever wire the session goes on with.
 */
function callIdsOf(state: State): ReadonlySet<string> {
  return new Set(state.live.flatMap(({ block }) => (block.type === "tool-call" ? [legalCallId(block.callId)] : [])));
}

const interruption: Failure = {
  class: "interrupted",
  status: null,
  message: "interrupted by the user",
  retryAfterMs: null,
  promptTokens: null,
  limitTokens: null,
};
