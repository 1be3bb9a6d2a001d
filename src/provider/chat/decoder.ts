import type { CallId } from "../../kernel/ids.ts";
import { own } from "../../kernel/own.ts";
import type { AssistantBlock } from "../../log/block.ts";
import type { Failure, StopReason } from "../../log/entry.ts";
import { quoted } from "../../prompt/apply.ts";
import { callIds, nothingTaken } from "../calls.ts";
import { brokenStream, classify, classifyStreamError } from "../classify.ts";
import type { Delta, Received, StreamDecoder } from "../codec.ts";
import { listAt, recordAt, recordOf, reportOf, stringAt } from "../lenient.ts";
import { type CallList, callList } from "./open-calls.ts";
import { chatUsage } from "./usage.ts";

/**
 * Puts a Chat Completions stream together. Only the first choice counts. Servers differ in where they put usage, ids and
 * indexes, so every field may be missing, repeated or early.
 */
export function chatDecoder(newToken: () => string, isTaken = nothingTaken): StreamDecoder {
  const stream: Stream = {
    head: {},
    last: {},
    usage: {},
    text: "",
    refusal: "",
    reasoning: new Map(),
    thought: "",
    calls: callList(),
    finish: "",
    failure: null,
  };
  return {
    push(event) {
      if (stream.failure !== null) return [];
      if (event.type === "event") return take(stream, recordOf(event.data));
      stream.failure = classify(event);
      return [];
    },
    end() {
      const failure =
        stream.failure ?? (stream.finish === "" ? brokenStream("the stream ended without a finish reason") : null);
      if (failure !== null) return { type: "failed", failure, partial: stream.text + stream.refusal };
      return received(stream, callIds(newToken, isTaken));
    },
  };
}

type Raw = Readonly<Record<string, unknown>>;
type Stream = {
  head: Raw;
  last: Raw;
  usage: Raw;
  text: string;
  refusal: string;
  /** By the field it came in: it goes back under the same name. */
  readonly reasoning: Map<string, string>;
  /** Reasoning inside `content` parts: shown and kept, but there is no way to send it back. */
  thought: string;
  readonly calls: CallList;
  finish: string;
  failure: Failure | null;
};

function take(stream: Stream, chunk: Raw): readonly Delta[] {
  if (chunk.error !== undefined && chunk.error !== null) {
    stream.failure = classifyStreamError(chunk);
    return [];
  }
  if (stringAt(chunk, "id") !== "" || stringAt(chunk, "model") !== "")
    stream.head = { ...chunk, ...nonEmpty(stream.head) };
  stream.last = { ...stream.last, ...chunk };
  const choices = listAt(chunk, "choices").map(recordOf);
  const choice = choices.find((one) => (one.index ?? 0) === 0);
  for (const raw of [recordAt(chunk, "usage"), recordAt(choice ?? {}, "usage")]) {
    if (chatUsage(raw) !== null) stream.usage = { ...stream.usage, ...raw };
  }
  if (choice === undefined) return [];
  const finish = stringAt(choice, "finish_reason");
  if (finish !== "") stream.finish = finish;
  return grow(stream, recordAt(choice, "delta"));
}

function nonEmpty(raw: Raw): Raw {
  return Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== "" && value !== null));
}

function grow(stream: Stream, delta: Raw): readonly Delta[] {
  const deltas: Delta[] = [];
  for (const field of reasoningFields) {
    const text = stringAt(delta, field);
    if (text === "") continue;
    stream.reasoning.set(field, (stream.reasoning.get(field) ?? "") + text);
    // Some gateways send the same words under both names; they are shown once.
    if (deltas.length === 0) deltas.push({ type: "reasoning", text });
  }
  for (const part of partsOf(delta.content)) {
    if (part.type === "text") stream.text += part.text;
    else stream.thought += part.text;
    deltas.push(part);
  }
  const refusal = stringAt(delta, "refusal");
  stream.refusal += refusal;
  if (refusal !== "") deltas.push({ type: "text", text: refusal });
  const legacy = recordAt(delta, "function_call");
  const calls = listAt(delta, "tool_calls").map(recordOf);
  const started = Object.keys(legacy).length > 0 ? [...calls, { index: 0, function: legacy }] : calls;
  return [...deltas, ...started.flatMap((call) => stream.calls.push(call))];
}

const reasoningFields = ["reasoning_content", "reasoning"] as const;

type Part = Extract<Delta, { readonly type: "text" | "reasoning" }>;

/** `content` is text, or (Mistral) a list of parts. */
function partsOf(content: unknown): readonly Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.map(recordOf).flatMap((part): readonly Part[] => {
    if (part.type === "thinking") return partsOf(part.thinking).map(({ text }) => ({ type: "reasoning", text }));
    return partsOf(stringAt(part, "text"));
  });
}

function received(stream: Stream, idFor: (id: string) => CallId): Received {
  const calls = stream.calls.close(idFor);
  const stop = own(stops, stream.finish) ?? "unknown";
  return {
    type: "received",
    messageId: stringAt(stream.head, "id"),
    model: stringAt(stream.head, "model"),
    blocks: [...reasoningBlocks(stream), ...textBlocks(stream.text), ...textBlocks(stream.refusal), ...calls],
    // Several servers finish with `stop` although they called tools.
    stop: stream.refusal !== "" ? "refusal" : calls.length > 0 && stop === "end-turn" ? "tool-use" : stop,
    usage: chatUsage(stream.usage),
    report: reportOf([stream.last], reported),
  };
}

const reported = ["prompt_cache_diagnostics", "input_transformations", "timings"];

const stops: Readonly<Record<string, StopReason>> = {
  stop: "end-turn",
  end_turn: "end-turn",
  eos: "end-turn",
  tool_calls: "tool-use",
  function_call: "tool-use",
  length: "output-limit",
  max_tokens: "output-limit",
  content_filter: "refusal",
  model_context_window_exceeded: "window-exceeded",
};

function reasoningBlocks(stream: Stream): readonly AssistantBlock[] {
  const fields = [...stream.reasoning];
  const [first] = fields;
  if (first === undefined) return stream.thought === "" ? [] : [{ type: "reasoning", text: stream.thought }];
  const wire = `{${fields.map(([field, text]) => `"${field}":${quoted(text)}`).join(",")}}`;
  return [{ type: "reasoning", text: first[1], wire }];
}

function textBlocks(text: string): readonly AssistantBlock[] {
  return text === "" ? [] : [{ type: "text", text, wire: quoted(text) }];
}
