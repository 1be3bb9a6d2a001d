import type { SimRequest } from "../../src/testing/simulate/core.ts";
import type { StoredPrompt } from "../../src/testing/simulate/gemini-cached.ts";
import { type Memory, noMemory } from "../../src/testing/simulate/memory.ts";

export type Body = { readonly [key: string]: unknown };
/** One request to check: a body or raw text, headers over the usual ones (null takes one away), what was sent before. */
export type Sent = {
  readonly body?: Body;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly memory?: Memory;
  readonly stored?: StoredPrompt;
  readonly isWindow?: boolean;
};
/** A minimal malformed request, and its well-formed twins. */
export type Example = { readonly bad: readonly Sent[]; readonly good: readonly Sent[] };

export const user = (content: unknown) => ({ role: "user", content });
export const assistant = (content: unknown) => ({ role: "assistant", content });
export const text = (value: string, more: Body = {}) => ({ type: "text", text: value, ...more });
export const call = (id: string, more: Body = {}) => ({ type: "tool_use", id, name: "Read", input: {}, ...more });
export const result = (id: string, more: Body = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content: "ok",
  ...more,
});
export const tool = (name: string, more: Body = {}) => ({
  name,
  description: "d",
  input_schema: { type: "object" },
  ...more,
});
export const mark = (ttl?: string) => ({ cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) } });

export const anthropicHeaders = {
  "content-type": "application/json",
  "x-api-key": "k",
  "anthropic-version": "2023-06-01",
};
export const chatHeaders = { "content-type": "application/json", authorization: "Bearer k" };

export function anthropic(more: Body = {}): Body {
  return { model: "sim-plain", max_tokens: 100, messages: [user("hello")], ...more };
}

export function chat(more: Body = {}): Body {
  return { model: "sim-chat", messages: [user("hello")], ...more };
}

export function chatTool(name: string, more: Body = {}): Body {
  return { type: "function", function: { name, parameters: { type: "object" }, ...more } };
}

export function chatCall(id: string, more: Body = {}): Body {
  return { id, type: "function", function: { name: "read", arguments: "{}" }, ...more };
}

export function responses(more: Body = {}): Body {
  return { model: "sim-responses", input: "hello", ...more };
}

export const input = (value: string, more: Body = {}) => ({ type: "input_text", text: value, ...more });
export const fn = (name: string, more: Body = {}): Body => ({
  type: "function",
  name,
  parameters: { type: "object", properties: {} },
  ...more,
});
export const fnCall = (id: string, more: Body = {}) => ({
  type: "function_call",
  call_id: id,
  name: "read",
  arguments: "{}",
  ...more,
});
export const fnOutput = (id: string, more: Body = {}) => ({
  type: "function_call_output",
  call_id: id,
  output: "ok",
  ...more,
});
export const breakpoint = (ttl?: string) => ({
  prompt_cache_breakpoint: { mode: "explicit", ...(ttl === undefined ? {} : { ttl }) },
});

export function remembers(more: Partial<Memory>): Memory {
  return { ...noMemory, ...more };
}

const paths = { anthropic: "/v1/messages", chat: "/v1/chat/completions", responses: "/v1/responses" } as const;

export function post(wire: keyof typeof paths, body: Body): SimRequest {
  return {
    method: "POST",
    path: paths[wire],
    headers: wire === "anthropic" ? anthropicHeaders : chatHeaders,
    body: JSON.stringify(body),
  };
}

/** Text that counts exactly so many tokens in the simulator: one sign is one token. */
export function tokens(count: number): string {
  return "-+".repeat(Math.ceil(count / 2)).slice(0, count);
}
