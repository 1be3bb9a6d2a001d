import { type Answer, type AnswerFrame, idOf } from "./anthropic-reply.ts";
import type { BrainReply } from "./brain.ts";
import type { CallIds } from "./chat-reply.ts";
import { type Fitted, fitReply } from "./fit.ts";
import { encryptReasoning } from "./responses-reasoning.ts";
import { responseFrames } from "./responses-stream.ts";
import { clientSearch, declaredTools, toolSearchName } from "./responses-tools.ts";
import { responsesUsage } from "./responses-usage.ts";
import { inputItemsOf, listOf, numberOf, recordOf, textOf } from "./value.ts";

export type OutputItem = { readonly type: string; readonly [member: string]: unknown };

/** The response object for a brain's reply, whole and as the stream of events that carries it (PROTOCOLS B.2, B.3, B.6). */
export function responsesAnswer(reply: BrainReply, frame: AnswerFrame, callIds: CallIds): Answer {
  const asked = numberOf(frame.body.max_output_tokens) ?? frame.model.outputTokensMax;
  const room = frame.model.windowTokens - Math.min(frame.promptTokens, frame.model.windowTokens - 1);
  const isPrewarm = recordOf(frame.body.prompt_cache_options).prewarm === true;
  const spoken = isPrewarm ? {} : isReasoning(frame) ? reply : { ...reply, reasoning: "" };
  const fitted = fitReply(spoken, Math.min(asked, room), frame.model.tokenRate);
  const ids = (fitted.reply.calls ?? []).map((call, index) => call.id ?? `call_${idOf(frame.seed, `call ${index}`)}`);
  const { compacted } = frame;
  const output = [
    ...(compacted === undefined ? [] : [compacted.block]),
    ...reasoningItems(fitted.reply, frame),
    ...(fitted.reply.raw ?? []).map((item, index) => sealed(item, frame, index)),
    ...messageItems(fitted, frame),
    ...callItems(fitted.reply, frame, { ids, callIds }),
  ];
  const isShort = fitted.isCut || fitted.reply.stop === "output-limit";
  const whole = {
    ...envelopeOf(frame),
    status: isShort ? "incomplete" : "completed",
    completed_at: isShort ? null : 1_700_000_001 + frame.n,
    incomplete_details: isShort ? { reason: "max_output_tokens" } : null,
    output,
    usage: responsesUsage(frame, fitted),
    ...reports(frame),
  };
  return {
    id: whole.id,
    whole,
    frames: responseFrames(whole, output, frame),
    blocks: output,
    reasoning: output.filter(({ type }) => type === "reasoning"),
    callIds: callIds === "given" ? ids : [],
    outputTokens: fitted.outputTokens + (compacted?.outputTokens ?? 0),
  };
}

/** The newest configuration update wins over what is set at the top (B.3). */
function isReasoning({ body }: AnswerFrame): boolean {
  const updates = inputItemsOf(body).filter((item) => item.type === "configuration_update");
  const efforts = [body, ...updates].map((item) => textOf(recordOf(item.reasoning).effort));
  return efforts.findLast((effort) => effort !== "") !== "none";
}

/** Encrypted content comes unless nothing is stored and it was not asked for (B.3). */
function reasoningItems(reply: BrainReply, frame: AnswerFrame): readonly OutputItem[] {
  const { reasoning: text = "" } = reply;
  if (text === "") return [];
  const { body, model, prefix, seed } = frame;
  const shows = recordOf(body.reasoning).summary ?? recordOf(body.reasoning).generate_summary;
  const isGiven = body.store !== false || listOf(body.include).includes("reasoning.encrypted_content");
  return [
    {
      id: `rs_${idOf(seed, "reasoning")}`,
      type: "reasoning",
      summary: shows == null ? [] : [{ type: "summary_text", text }],
      ...(isGiven ? { encrypted_content: encryptReasoning({ model: model.id, prefix, text }) } : {}),
    },
  ];
}

/** A brain cannot sign, and needs no ids: raw items get what real ones would carry. */
function sealed(item: OutputItem, frame: AnswerFrame, index: number): OutputItem {
  const id = item.id ?? `${prefixes[item.type] ?? "item"}_${idOf(frame.seed, `raw ${index}`)}`;
  if (item.type !== "reasoning" || item.encrypted_content !== undefined) return { ...item, id };
  const text = listOf(item.summary).map((part) => textOf(recordOf(part).text));
  const encrypted_content = encryptReasoning({
    model: frame.model.id,
    prefix: frame.prefix,
    text: text.join("\n"),
  });
  return { ...item, id, encrypted_content };
}

const prefixes: Readonly<Record<string, string>> = { message: "msg", reasoning: "rs", function_call: "fc" };

function messageItems({ reply, isCut }: Fitted, frame: AnswerFrame): readonly OutputItem[] {
  const isRefusal = reply.stop === "refusal";
  const text = reply.text ?? (isRefusal ? "I cannot help with that." : "");
  if (text === "") return [];
  return [
    {
      id: `msg_${idOf(frame.seed, "message")}`,
      type: "message",
      status: isCut ? "incomplete" : "completed",
      role: "assistant",
      content: [
        isRefusal ? { type: "refusal", refusal: text } : { type: "output_text", annotations: [], logprobs: [], text },
      ],
    },
  ];
}

function callItems(
  reply: BrainReply,
  frame: AnswerFrame,
  given: { readonly ids: readonly string[]; readonly callIds: CallIds },
): readonly OutputItem[] {
  const tools = declaredTools(frame.body);
  return (reply.calls ?? []).map((call, index) => {
    const declared = tools.find(({ name }) => name === call.tool);
    const call_id = given.callIds === "empty" ? "" : given.ids[index];
    const called = given.callIds === "missing" ? {} : { call_id };
    if (declared === undefined && call.tool === toolSearchName && clientSearch(frame.body) !== undefined)
      return { ...searchItem(call.input), id: `tsc_${idOf(frame.seed, `item ${index}`)}`, ...called };
    const isCustom = declared?.type === "custom";
    const namespace = declared?.namespace ?? null;
    return {
      id: `${isCustom ? "ctc" : "fc"}_${idOf(frame.seed, `item ${index}`)}`,
      type: isCustom ? "custom_tool_call" : "function_call",
      status: "completed",
      ...called,
      name: call.tool,
      ...(namespace === null ? {} : { namespace }),
      ...(isCustom ? { input: plainInput(call.input) } : { arguments: JSON.stringify(call.input ?? {}) }),
    };
  });
}

/** Its arguments are a value, not text (B.5). */
function searchItem(input: unknown): OutputItem {
  return { type: "tool_search_call", execution: "client", status: "completed", arguments: input ?? {} };
}

function plainInput(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input ?? {});
}

function envelopeOf({ body, model, seed, n }: AnswerFrame) {
  const { effort, summary } = recordOf(body.reasoning);
  const { format, verbosity } = recordOf(body.text);
  return {
    id: `resp_${idOf(seed, "response")}`,
    object: "response",
    created_at: 1_700_000_000 + n,
    background: false,
    error: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    metadata: body.metadata ?? {},
    model: model.id,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    ...(model.responses.cache === "breakpoints" ? { prompt_cache_options: cachingOf(body.prompt_cache_options) } : {}),
    reasoning: { effort: effort ?? "medium", summary: summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: "default",
    store: body.store ?? true,
    temperature: 1,
    text: { format: format ?? { type: "text" }, verbosity: verbosity ?? "medium" },
    tool_choice: body.tool_choice ?? "auto",
    tools: listOf(body.tools),
    top_logprobs: 0,
    top_p: 1,
    truncation: "disabled",
    user: body.user ?? null,
  };
}

function cachingOf(asked: unknown) {
  const { mode, ttl, comparison_response_id } = recordOf(asked);
  const compared = comparison_response_id === undefined ? {} : { comparison_response_id };
  return { mode: mode ?? "implicit", ttl: ttl ?? "30m", ...compared };
}

function reports({ body, model, dropped, diagnostics }: AnswerFrame): Readonly<Record<string, unknown>> {
  const items = inputItemsOf(body);
  const input_transformations = dropped.map(({ path, reason }) => ({
    id: items[Number(path.split(".")[1])]?.id ?? null,
    type: "reasoning",
    action: "removed",
    reason: reason === "model_binding_mismatch" ? "model_mismatch" : "prefix_mismatch",
  }));
  const isReported = model.thinking === "bound" || input_transformations.length > 0;
  return {
    ...(isReported ? { input_transformations } : {}),
    ...(diagnostics === undefined ? {} : { prompt_cache_diagnostics: diagnostics }),
  };
}
