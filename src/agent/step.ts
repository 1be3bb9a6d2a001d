import { correct, initialEstimate } from "../budget/learn.ts";
import { hashOf } from "../kernel/hash.ts";
import type { RequestId } from "../kernel/ids.ts";
import { own } from "../kernel/own.ts";
import { promptTokensOf } from "../kernel/usage.ts";
import type { AssistantBlock, Text } from "../log/block.ts";
import type { EntryBody, Failure } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { WireRequest } from "../ports/model.ts";
import { chainHashes } from "../prompt/chain.ts";
import { wellformed } from "../prompt/wellformed.ts";
import type { Received } from "../provider/codec.ts";
import type { Lane } from "./lane.ts";
import type { Prompt } from "./prompt.ts";
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
  const marks = codec.placeMarks(segments, lane.state().sent?.marks ?? [], 0, global);
  const id = lane.fx.ids.request();
  const intent: EntryBody = {
    type: "request-sent",
    request: id,
    purpose: "step",
    attempt,
    segments: segments.length,
    chain: chainHashes(segments).at(-1) ?? hashOf(""),
    cacheKey: codec.cacheKeyOfDoc(doc),
    marks: marks.map(({ segment }) => segment),
    predicted: {
      promptTokens: forecast.promptTokens,
      marginTokens: forecast.marginTokens,
      cacheReadTokens: predictedRead(lane.state()),
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
    (id) => taken.has(id),
  );
  for await (const event of watched(fx.model, step.wire, fx.clock, signal)) {
    if (signal.aborted) break;
    for (const delta of decoder.push(event)) {
      firstTokenMs ??= fx.clock.now() - sentAt;
      emit(delta);
    }
  }
  const result = decoder.end();
  if (signal.aborted)
    return await failedEntries(step, interruption, result.type === "failed" ? result.partial : "", lane);
  if (result.type === "failed") return await failedEntries(step, result.failure, result.partial, lane);
  return await receivedEntries(step, result, firstTokenMs, lane);
}

async function receivedEntries(
  step: Step,
  received: Received,
  firstTokenMs: number | null,
  lane: Lane,
): Promise<readonly EntryBody[]> {
  const { messageId, model, stop, usage, report } = received;
  const blocks = await Promise.all(received.blocks.map((block) => keptBlock(block, lane)));
  const response: EntryBody = {
    type: "response-received",
    request: step.id,
    wire: step.wire.wire,
    model,
    messageId,
    blocks,
    stop,
    usage,
    firstTokenMs,
    report,
  };
  return [response, ...learned(step, received, lane)];
}

/** The estimate learns from what was reported for what it had counted (DESIGN 7). */
function learned(step: Step, { usage, report }: Received, lane: Lane): readonly EntryBody[] {
  const state = lane.state();
  const model = state.epoch?.model.model;
  if (usage === null || model === undefined) return [];
  const { carried, counts } = step.prompt.increment;
  const before = own(state.estimates, model) ?? initialEstimate;
  const after = correct(before, {
    of: carried === null ? "whole" : "increment",
    counts,
    actualTokens: promptTokensOf(usage) - (carried ?? 0),
    trust: report === null ? "reported" : trustOf(report),
  });
  return after === before ? [] : [{ type: "estimate-corrected", model, estimate: after }];
}

function trustOf(report: string): "reported" | "reasoning-dropped" | "server-edited" {
  if (report.includes("thinking_dropped") || report.includes('"removed"')) return "reasoning-dropped";
  return report.includes("applied_edits") ? "server-edited" : "reported";
}

async function failedEntries(step: Step, failure: Failure, partial: string, lane: Lane): Promise<readonly EntryBody[]> {
  const entry: EntryBody = {
    type: "request-failed",
    request: step.id,
    failure,
    partial: await lane.texts.keep(partial),
  };
  if (failure.class !== "overflow") return [entry];
  const model = step.prompt.doc.model.model;
  const refused = failure.promptTokens ?? step.prompt.forecast.promptTokens;
  // Without the number, what was refused is the only evidence: the limit lies below it.
  const limit = failure.limitTokens ?? Math.floor(refused * 0.9);
  return [entry, { type: "limit-learned", model, inputTokensMax: limit, from: failure.message }];
}

async function keptBlock(block: AssistantBlock, lane: Lane): Promise<AssistantBlock> {
  const keep = async (text: Text): Promise<Text> => (typeof text === "string" ? await lane.texts.keep(text) : text);
  if (block.type === "opaque") return { ...block, wire: await keep(block.wire) };
  const wire = block.wire === undefined ? {} : { wire: await keep(block.wire) };
  if (block.type === "tool-call") return { ...block, ...wire, input: await keep(block.input) };
  return { ...block, ...wire, text: await keep(block.text) };
}

/** Some servers count their call ids from 0 in every answer; in one conversation an id stands for one call. */
function callIdsOf(state: State): ReadonlySet<string> {
  return new Set(state.live.flatMap(({ block }) => (block.type === "tool-call" ? [block.callId] : [])));
}

/** All that was reported before and still stands is expected to be read. */
function predictedRead(state: State): number {
  const { newest } = state;
  return newest?.usage == null || newest.segments === 0 ? 0 : promptTokensOf(newest.usage);
}

const interruption: Failure = {
  class: "interrupted",
  status: null,
  message: "interrupted by the user",
  retryAfterMs: null,
  promptTokens: null,
  limitTokens: null,
};
