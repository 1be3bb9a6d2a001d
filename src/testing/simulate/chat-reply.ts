import { type Answer, type AnswerFrame, idOf, piecesOf, withoutReasoning } from "./anthropic-reply.ts";
import type { BrainReply } from "./brain.ts";
import { type Fitted, fitReply } from "./fit.ts";
import { numberOf, recordOf } from "./value.ts";

/** `missing` leaves the id out of a call, as some servers do (CASES C-023). */
export type CallIds = "given" | "missing" | "empty";

/** The chat completion for a brain's reply, whole and as chunks (PROTOCOLS B, D; STACK 5). */
export function chatAnswer(reply: BrainReply, frame: AnswerFrame, callIds: CallIds): Answer {
  const asked =
    numberOf(frame.body.max_completion_tokens) ?? numberOf(frame.body.max_tokens) ?? frame.model.outputTokensMax;
  const fitted = fitReply(
    frame.model.chat.usage === "cached-tokens" ? withoutReasoning(reply) : reply,
    Math.min(asked, frame.model.windowTokens - Math.min(frame.promptTokens, frame.model.windowTokens - 1)),
    frame.model.tokenRate,
  );
  const ids = (fitted.reply.calls ?? []).map((call, index) => call.id ?? `call_${idOf(frame.seed, `call ${index}`)}`);
  const calls = (fitted.reply.calls ?? []).map((call, index) => ({
    ...(callIds === "missing" ? {} : { id: callIds === "empty" ? "" : ids[index] }),
    type: "function",
    function: { name: call.tool, arguments: JSON.stringify(call.input ?? {}) },
  }));
  const message = {
    role: "assistant",
    content: fitted.reply.text ?? (calls.length > 0 ? null : ""),
    ...(fitted.reply.reasoning === undefined ? {} : { reasoning_content: fitted.reply.reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const id = `chatcmpl-${idOf(frame.seed, "message")}`;
  const envelope = { id, created: 1_700_000_000 + frame.n, model: frame.model.id, system_fingerprint: "fp_simulated" };
  const finish = finishReason(fitted);
  const usage = usageOf(frame, fitted);
  const whole = {
    ...envelope,
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    usage,
  };
  const reasoning = fitted.reply.reasoning === undefined ? [] : [fitted.reply.reasoning];
  const frames = framesOf({ ...envelope, object: "chat.completion.chunk" }, message, finish, usage, frame);
  return {
    id,
    whole,
    frames,
    blocks: [],
    reasoning,
    callIds: callIds === "given" ? ids : [],
    outputTokens: fitted.outputTokens,
  };
}

function finishReason(fitted: Fitted): string {
  if (fitted.isCut || fitted.reply.stop === "output-limit") return "length";
  if (fitted.reply.stop === "refusal") return "content_filter";
  return (fitted.reply.calls ?? []).length > 0 ? "tool_calls" : "stop";
}

/** Here the prompt's count INCLUDES what came from the cache (B.2); local servers say less (D). */
function usageOf(frame: AnswerFrame, fitted: Fitted): Readonly<Record<string, unknown>> {
  const { promptTokens, use, model } = frame;
  const evaluated = Math.max(1, promptTokens - use.readTokens);
  const prompt = model.chat.usage === "evaluated-only" ? evaluated : promptTokens;
  const details = {
    cached_tokens: use.readTokens,
    ...(model.chat.reportsWrites ? { cache_write_tokens: use.writeOtherTokens } : {}),
  };
  return {
    prompt_tokens: prompt,
    completion_tokens: fitted.outputTokens,
    total_tokens: prompt + fitted.outputTokens,
    ...(model.chat.usage === "cached-tokens" ? { prompt_tokens_details: details } : {}),
    ...(model.chat.usage === "hit-and-miss"
      ? { prompt_cache_hit_tokens: use.readTokens, prompt_cache_miss_tokens: promptTokens - use.readTokens }
      : {}),
    ...(fitted.reasoningTokens > 0 ? { completion_tokens_details: { reasoning_tokens: fitted.reasoningTokens } } : {}),
  };
}

type Message = {
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    readonly id?: string | undefined;
    readonly type: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
};

function framesOf(
  envelope: Readonly<Record<string, unknown>>,
  message: Message,
  finish: string,
  usage: Readonly<Record<string, unknown>>,
  frame: AnswerFrame,
): readonly string[] {
  const withUsage = recordOf(frame.body.stream_options).include_usage === true;
  const chunk = (delta: unknown, finishReason: string | null) =>
    data({
      ...envelope,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...(withUsage ? { usage: null } : {}),
    });
  return [
    chunk({ role: "assistant", content: "" }, null),
    ...piecesOf(message.reasoning_content ?? "", 24).map((reasoning_content) => chunk({ reasoning_content }, null)),
    ...piecesOf(message.content ?? "", 24).map((content) => chunk({ content }, null)),
    ...(message.tool_calls ?? []).flatMap((call, index) => [
      chunk({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: "" } }] }, null),
      ...piecesOf(call.function.arguments, 16).map((piece) =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }, null),
      ),
    ]),
    chunk({}, finish),
    ...(withUsage ? [data({ ...envelope, choices: [], usage })] : []),
    "data: [DONE]\n\n",
  ];
}

function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
