import type { Wire } from "../../kernel/usage.ts";
import type { BrainRequest } from "./brain.ts";
import { brainRequestOf } from "./brain-request.ts";
import type { SimModel } from "./sim-model.ts";
import { inputItemsOf, listOf, numberOf, recordOf, textOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;

/** That the service itself sums the conversation up: the request is for that, or a threshold of it is reached. */
export type CompactionAsk = {
  readonly how: "asked" | "due";
  /** Whether the model answers behind the summary, or nothing comes after it. */
  readonly goesOn: boolean;
  readonly instructions: string;
};

const thresholdUsual = 150_000;
/** The service does not say what it takes where no threshold is given. */
const windowShareUsual = 0.8;

/** Null where the service has nothing to sum up. */
export function compactionAskOf(
  wire: Wire,
  body: Body,
  {
    isWindow,
    promptTokens,
    windowTokens,
  }: { readonly isWindow: boolean; readonly promptTokens: number; readonly windowTokens: number },
): CompactionAsk | null {
  if (isAsked(wire, body, isWindow)) {
    const instructions = textOf(recordOf(body.compaction).instructions);
    return { how: "asked", goesOn: false, instructions };
  }
  const due = thresholds[wire]?.(body, windowTokens) ?? null;
  if (due === null || promptTokens < due.tokens) return null;
  return { how: "due", goesOn: !due.pauses, instructions: due.instructions };
}

/** A request as the model comes to see it, the service's own words with it where it is for a summary of the service. */
export function requestAsAsked(
  model: Pick<SimModel, "wire" | "id">,
  body: Body,
  { isWindow, served }: { readonly isWindow: boolean; readonly served: number },
): BrainRequest {
  const request = brainRequestOf(model, body, served);
  return isAsked(model.wire, body, isWindow) ? askingForSummary(request, "", 0) : request;
}

/** Whether a request is for nothing but a summary; a prompt's size does not matter to that. */
function isAsked(wire: Wire, body: Body, isWindow: boolean): boolean {
  if (wire === "anthropic") return body.compaction != null;
  return wire === "responses" && (isWindow || inputItemsOf(body).at(-1)?.type === "compaction_trigger");
}

type Threshold = { readonly tokens: number; readonly pauses: boolean; readonly instructions: string };

const thresholds: Readonly<Partial<Record<Wire, (body: Body, windowTokens: number) => Threshold | null>>> = {
  anthropic: ({ context_management: given }) => {
    const edit = listOf(recordOf(given).edits)
      .map(recordOf)
      .find(({ type }) => type === "compact_20260112");
    if (edit === undefined) return null;
    const tokens = numberOf(recordOf(edit.trigger).value) ?? thresholdUsual;
    return { tokens, pauses: edit.pause_after_compaction === true, instructions: textOf(edit.instructions) };
  },
  responses: ({ context_management: given }, windowTokens) => {
    const entry = listOf(given)
      .map(recordOf)
      .find(({ type }) => type === "compaction");
    if (entry === undefined) return null;
    const tokens = numberOf(entry.compact_threshold) ?? Math.floor(windowTokens * windowShareUsual);
    return { tokens, pauses: false, instructions: "" };
  },
};

/** The conversation with the service's own words behind it; a brain knows them as it knows those of a client. */
export function askingForSummary(request: BrainRequest, instructions: string, tokensMax: number): BrainRequest {
  const words = instructions.trim() === "" ? usual : instructions;
  const text = `<summary-request kind="provider">\nAt most ${tokensMax} tokens.\n${words}\n</summary-request>`;
  const part = { type: "text" as const, text };
  const last = request.messages.at(-1);
  const before = last?.role === "user" ? request.messages.slice(0, -1) : request.messages;
  return {
    ...request,
    messages: [...before, { role: "user", parts: [...(last?.role === "user" ? last.parts : []), part] }],
  };
}

const usual = "Sum up all that came before, so that the work can go on from it alone.";
