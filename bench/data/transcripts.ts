import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import { promptTokensOf } from "../../src/kernel/usage.ts";
import type { Spoken, SpokenBlock } from "./spoken.ts";

/** A session in the shape of another program's file (PROTOCOLS I): one JSON value per line. */
export type Transcript = (spoken: readonly Spoken[], about: About) => readonly object[];

export type About = { readonly session: string; readonly cwd: string };

type Answer = Extract<Spoken, { readonly type: "answer" }>;

/** One line per block; each line of a message repeats its id and its usage. */
export const claudeCode: Transcript = (spoken, { session, cwd }) => {
  let parent: string | null = null;
  let count = 0;
  const line = (at: number, rest: object) => {
    count += 1;
    const uuid = `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
    const head = { parentUuid: parent, isSidechain: false, userType: "external", cwd, sessionId: session };
    parent = uuid;
    return { ...head, version: "2.1.0", gitBranch: "main", ...rest, uuid, timestamp: timeOf(at) };
  };
  return spoken.flatMap((one) => {
    if (one.type === "user") {
      const meta = one.injected ? { isMeta: true } : {};
      return [line(one.at, { type: "user", message: { role: "user", content: one.text }, ...meta })];
    }
    if (one.type === "result") {
      const error = one.failed ? { is_error: true } : {};
      const content = [{ tool_use_id: one.callId, type: "tool_result", content: one.text, ...error }];
      return [line(one.at, { type: "user", message: { role: "user", content } })];
    }
    return one.blocks.map((block) => line(one.at, claudeMessage(one, block)));
  });
};

function claudeMessage(answer: Answer, block: SpokenBlock): object {
  const { usage } = answer;
  const message = {
    model: answer.model,
    id: answer.id,
    type: "message",
    role: "assistant",
    content: [claudeBlock(block)],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: usage.uncached,
      cache_creation_input_tokens: usage.cacheWrite5m + usage.cacheWrite1h + usage.cacheWriteOther,
      cache_read_input_tokens: usage.cacheRead,
      cache_creation: {
        ephemeral_5m_input_tokens: usage.cacheWrite5m,
        ephemeral_1h_input_tokens: usage.cacheWrite1h,
      },
      output_tokens: usage.output,
      service_tier: "standard",
    },
  };
  return { message, requestId: `req_${answer.id}`, type: "assistant" };
}

function claudeBlock(block: SpokenBlock): object {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "reasoning") return { type: "thinking", thinking: block.text, signature: "" };
  return { type: "tool_use", id: block.callId, name: block.tool, input: renamed(block, claudeFields) };
}

/** Messages, calls and results are items; `token_count` stands behind each answer and adds up. */
export const codex: Transcript = (spoken, { session, cwd }) => {
  const total = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, reasoning_output_tokens: 0 };
  const line = (at: number, type: string, payload: object) => ({ timestamp: timeOf(at), type, payload });
  const start = spoken[0]?.at ?? 0;
  const meta = { id: session, timestamp: timeOf(start), cwd, originator: "codex-tui", cli_version: "0.140.0" };
  const lines = spoken.flatMap((one) => {
    if (one.type === "user") return [line(one.at, "response_item", codexMessage("user", "input_text", one.text))];
    if (one.type === "result") {
      const output = { type: "function_call_output", call_id: one.callId, output: one.text };
      return [line(one.at, "response_item", output)];
    }
    const last = {
      input_tokens: promptTokensOf(one.usage),
      cached_input_tokens: one.usage.cacheRead,
      output_tokens: one.usage.output,
      reasoning_output_tokens: one.usage.reasoning,
    };
    for (const key of keysOf(total)) total[key] += last[key];
    const info = { total_token_usage: withTotal(total), last_token_usage: withTotal(last) };
    return [
      ...one.blocks.map((block) => line(one.at, "response_item", codexItem(block))),
      line(one.at, "event_msg", { type: "token_count", info: { ...info, model_context_window: 400_000 } }),
    ];
  });
  const model = spoken.find((one) => one.type === "answer")?.model;
  return [line(start, "session_meta", meta), line(start, "turn_context", { cwd, model }), ...lines];
};

type Counts = Readonly<
  Record<"input_tokens" | "cached_input_tokens" | "output_tokens" | "reasoning_output_tokens", number>
>;

function keysOf(_counts: Counts): readonly (keyof Counts)[] {
  return ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"];
}

function withTotal(counts: Counts): object {
  return { ...counts, total_tokens: counts.input_tokens + counts.output_tokens };
}

function codexMessage(role: string, type: string, text: string): object {
  return { type: "message", role, content: [{ type, text }] };
}

function codexItem(block: SpokenBlock): object {
  if (block.type === "text") return codexMessage("assistant", "output_text", block.text);
  if (block.type === "reasoning")
    return { type: "reasoning", summary: [{ type: "summary_text", text: block.text }], encrypted_content: "" };
  return { type: "function_call", name: block.tool, arguments: block.input, call_id: block.callId };
}

/** Usage stands in the message itself, in parts that do not overlap. */
export const pi: Transcript = (spoken, { session, cwd }) => {
  const start = timeOf(spoken[0]?.at ?? 0);
  const lines = spoken.map((one) => ({
    type: "message",
    timestamp: timeOf(one.at),
    message: { ...piMessage(one), timestamp: one.at },
  }));
  return [{ type: "session", id: session, timestamp: start, cwd, thinkingLevel: "off" }, ...lines];
};

function piMessage(one: Spoken): object {
  if (one.type === "user") return { role: "user", content: [{ type: "text", text: one.text }] };
  if (one.type === "result") {
    const content = [{ type: "text", text: one.text }];
    return { role: "toolResult", toolCallId: one.callId, toolName: one.tool, content, isError: one.failed };
  }
  const { usage } = one;
  const cacheWrite = usage.cacheWrite5m + usage.cacheWrite1h + usage.cacheWriteOther;
  const content = one.blocks.map(piBlock);
  const spent = { input: usage.uncached, output: usage.output, cacheRead: usage.cacheRead, cacheWrite };
  return {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: one.model,
    usage: spent,
  };
}

function piBlock(block: SpokenBlock): object {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "reasoning") return { type: "thinking", thinking: block.text };
  return { type: "toolCall", id: block.callId, name: block.tool.toLowerCase(), arguments: renamed(block, piFields) };
}

/** Our own names of input fields in theirs. */
const claudeFields: Readonly<Record<string, string>> = { path: "file_path", old: "old_string", new: "new_string" };
const piFields: Readonly<Record<string, string>> = { old: "oldText", new: "newText" };

function renamed(call: Extract<SpokenBlock, { type: "call" }>, names: Readonly<Record<string, string>>): object {
  const parsed = parseJson(call.input);
  if (parsed.type === "bad" || !isRecord(parsed.value)) return { input: call.input };
  const isFile = ["Read", "Edit", "Write"].includes(call.tool);
  const entries = Object.entries(parsed.value);
  return Object.fromEntries(entries.map(([key, value]) => [isFile ? (names[key] ?? key) : key, value]));
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
