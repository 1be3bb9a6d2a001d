import { hashOf } from "../../kernel/hash.ts";
import type { Hash } from "../../kernel/ids.ts";
import { anthropicUsage } from "./anthropic-usage.ts";
import { type Dropped, signThinking } from "./binding.ts";
import type { BrainReply } from "./brain.ts";
import type { CacheUse } from "./cache.ts";
import type { Compacted } from "./compacted.ts";
import type { AppliedEdit } from "./context-edits.ts";
import { type Fitted, fitReply } from "./fit.ts";
import { type SimModel, usualThinking } from "./models.ts";
import type { StreamForm } from "./outcome.ts";
import { recordOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;
type Block = { readonly type: string; readonly [member: string]: unknown };

export type AnswerFrame = {
  readonly n: number;
  /** Makes ids unique over restarts of the simulator as well. */
  readonly seed: Hash;
  readonly body: Body;
  readonly model: SimModel;
  readonly stream: StreamForm;
  readonly promptTokens: number;
  readonly use: CacheUse;
  readonly prefix: Hash;
  readonly dropped: readonly Dropped[];
  /** The value of `diagnostics`, where it was asked for. */
  readonly diagnostics?: unknown;
  /** What the service took out of the prompt itself. */
  readonly applied: readonly AppliedEdit[];
  /** A summary that the service put before all else. */
  readonly compacted?: Compacted;
  /** Only a window to go on from was asked for. */
  readonly isWindow: boolean;
};

export type Answer = {
  readonly id: string;
  readonly whole: Readonly<Record<string, unknown>>;
  readonly frames: readonly string[];
  readonly blocks: readonly unknown[];
  readonly reasoning: readonly unknown[];
  readonly callIds: readonly string[];
  /** All that the answer held, where parts have to come back as they stood beside each other. */
  readonly turn?: { readonly id: string; readonly form: string };
  readonly outputTokens: number;
};

/** The provider's message for a brain's reply, whole and as the stream of events that carries it (PROTOCOLS A.10, A.11). */
export function anthropicAnswer(reply: BrainReply, frame: AnswerFrame): Answer {
  const room = frame.model.windowTokens - frame.promptTokens;
  const limit = typeof frame.body.max_tokens === "number" ? frame.body.max_tokens : 0;
  const fitted = fitReply(
    isThinking(frame) ? reply : withoutReasoning(reply),
    Math.min(limit, room),
    frame.model.tokenRate,
  );
  const callIds = (fitted.reply.calls ?? []).map(
    (call, index) => call.id ?? `toolu_${idOf(frame.seed, `call ${index}`)}`,
  );
  const { compacted } = frame;
  const blocks = [
    ...(compacted === undefined ? [] : [compacted.block]),
    ...thinkingBlocks(fitted.reply, frame),
    ...(fitted.reply.raw ?? []).map((block) => sealed(block, frame)),
    ...textBlocks(fitted.reply),
    ...callBlocks(fitted.reply, callIds),
  ];
  const stop = compacted?.goesOn === false ? "compaction" : stopReason(fitted, room < limit);
  const usage = anthropicUsage(frame, fitted, compacted);
  const whole = {
    id: `msg_${idOf(frame.seed, "message")}`,
    type: "message",
    role: "assistant",
    model: frame.model.id,
    content: blocks,
    stop_reason: stop,
    stop_sequence: null,
    ...(stop === "refusal" ? { stop_details: { type: "refusal", category: null, explanation: null } } : {}),
    usage,
    ...reports(frame),
  };
  return {
    id: whole.id,
    whole,
    frames: framesOf(whole, blocks),
    blocks,
    reasoning: blocks.filter(({ type }) => type === "thinking" || type === "redacted_thinking"),
    callIds,
    outputTokens: fitted.outputTokens + (compacted?.outputTokens ?? 0),
  };
}

export function event(data: { readonly type: string; readonly [member: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function idOf(seed: Hash, what: string): string {
  return `01${hashOf(`${seed} ${what}`).slice(0, 22)}`;
}

function isThinking({ body, model }: AnswerFrame): boolean {
  return model.thinking !== "none" && (recordOf(body.thinking).type ?? usualThinking(model)) !== "disabled";
}

/** Not every request or service shows it. */
export function withoutReasoning(reply: BrainReply): BrainReply {
  const { reasoning: _reasoning, ...rest } = reply;
  return rest;
}

/** Newer models return empty thinking with a signature unless a display that shows text is asked for (A.3). */
function thinkingBlocks(reply: BrainReply, frame: AnswerFrame): readonly Block[] {
  if (reply.reasoning === undefined || reply.reasoning === "") return [];
  const display =
    recordOf(frame.body.thinking).display ?? (frame.model.thinking === "bound" ? "omitted" : "summarized");
  const thinking = display === "omitted" ? "" : reply.reasoning;
  const signature = signThinking({ model: frame.model.id, prefix: frame.prefix, text: thinking });
  return [{ type: "thinking", thinking, signature }];
}

/** A brain cannot sign; redacted thinking without data gets what a real one would carry. */
function sealed(block: Block, frame: AnswerFrame): Block {
  if (block.type !== "redacted_thinking" || block.data !== undefined) return block;
  return { type: "redacted_thinking", data: signThinking({ model: frame.model.id, prefix: frame.prefix, text: "" }) };
}

function textBlocks(reply: BrainReply): readonly Block[] {
  return reply.text === undefined || reply.text === "" ? [] : [{ type: "text", text: reply.text }];
}

function callBlocks(reply: BrainReply, ids: readonly string[]): readonly Block[] {
  return (reply.calls ?? []).map((call, index) => ({
    type: "tool_use",
    id: ids[index],
    name: call.tool,
    input: call.input ?? {},
  }));
}

function stopReason(fitted: Fitted, windowIsNearer: boolean): string {
  if (fitted.isCut) return windowIsNearer ? "model_context_window_exceeded" : "max_tokens";
  if (fitted.reply.stop === "output-limit") return "max_tokens";
  if (fitted.reply.stop === "refusal") return "refusal";
  if (fitted.reply.stop === "pause") return "pause_turn";
  return (fitted.reply.calls ?? []).length > 0 ? "tool_use" : "end_turn";
}

function reports(frame: AnswerFrame): Readonly<Record<string, unknown>> {
  const transformations = frame.dropped.map(({ path, reason }) => ({ type: "thinking_dropped", path, reason }));
  return {
    ...(frame.model.thinking === "bound" || transformations.length > 0
      ? { input_transformations: transformations }
      : {}),
    ...(frame.diagnostics === undefined ? {} : { diagnostics: frame.diagnostics }),
    ...(frame.body.context_management == null ? {} : { context_management: { applied_edits: frame.applied } }),
  };
}

function framesOf(whole: Readonly<Record<string, unknown>>, blocks: readonly Block[]): readonly string[] {
  const usage = recordOf(whole.usage);
  const { stop_reason, stop_details, context_management, ...start } = whole;
  const message = { ...start, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  return [
    event({ type: "message_start", message }),
    event({ type: "ping" }),
    ...blocks.flatMap((block, index) => blockFrames(block, index)),
    event({
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null, ...(stop_details === undefined ? {} : { stop_details }) },
      ...(context_management === undefined ? {} : { context_management }),
      usage,
    }),
    event({ type: "message_stop" }),
  ];
}

function blockFrames(block: Block, index: number): readonly string[] {
  const { start, deltas } = opened(block);
  return [
    event({ type: "content_block_start", index, content_block: start }),
    ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
    event({ type: "content_block_stop", index }),
  ];
}

function opened(block: Block): { readonly start: unknown; readonly deltas: readonly unknown[] } {
  if (block.type === "text") {
    const deltas = piecesOf(String(block.text), 24).map((text) => ({ type: "text_delta", text }));
    return { start: { ...block, text: "" }, deltas };
  }
  if (block.type === "thinking") {
    const deltas = piecesOf(String(block.thinking), 24).map((thinking) => ({ type: "thinking_delta", thinking }));
    return {
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [...deltas, { type: "signature_delta", signature: block.signature }],
    };
  }
  if (block.type === "compaction") {
    const { content, encrypted_content } = block;
    const start = { ...block, content: null, encrypted_content: null };
    return { start, deltas: [{ type: "compaction_delta", content, encrypted_content }] };
  }
  if (block.type !== "tool_use") return { start: block, deltas: [] };
  // No input at all arrives as an empty string, which clients must read as {} (A.11).
  const json = JSON.stringify(block.input);
  const pieces = json === "{}" ? [""] : ["", ...piecesOf(json, 16)];
  return {
    start: { ...block, input: {} },
    deltas: pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
  };
}

/** By code units on purpose: a character outside the basic plane may be cut in two, as JSON allows. */
export function piecesOf(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}
