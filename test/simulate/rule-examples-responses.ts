import { type Body, type Example, fn, responses, type Sent, user } from "./builders.ts";
import { responsesCompactionExamples } from "./rule-examples-compaction.ts";
import { responsesItemExamples } from "./rule-examples-responses-items.ts";

const bodies = (...list: readonly Body[]): readonly Sent[] => list.map((body) => ({ body }));
const tools = (...list: readonly unknown[]) => responses({ tools: list });
const six = (...items: readonly unknown[]) => responses({ model: "gpt-6-sol", input: items });
const custom = (name: string, more: Body = {}) => ({ type: "custom", name, ...more });
const added = (...list: readonly unknown[]) => ({ type: "additional_tools", role: "developer", tools: list });
const strict = (schema: Body) => tools(fn("a", { strict: true, parameters: { type: "object", ...schema } }));
const search = { type: "tool_search", execution: "client" };
const asked = user("x");
const found = (id: string, more: Body = {}) => [
  { type: "tool_search_call", call_id: id, execution: "client", arguments: { query: "a" } },
  { type: "tool_search_output", call_id: id, execution: "client", tools: [fn("a", { defer_loading: true, ...more })] },
];

export const responsesExamples: Readonly<Record<string, Example>> = {
  key: {
    bad: [{ body: responses(), headers: { authorization: null } }],
    good: [{ body: responses() }, { body: responses(), headers: { authorization: "Bearer x" } }],
  },
  "content-type": { bad: [{ body: responses(), headers: { "content-type": null } }], good: bodies(responses()) },
  size: { bad: [{ text: " ".repeat(32 * 1024 * 1024 + 1) }], good: bodies(responses()) },
  json: { bad: [{ text: "{" }, { text: "[]" }], good: bodies(responses()) },
  surrogates: {
    bad: bodies(responses({ input: "half \udc00" })),
    good: bodies(responses({ input: "whole \u{1f600}" })),
  },
  "unknown-field": {
    bad: bodies(responses({ messages: [] }), responses({ max_tokens: 20 }), responses({ reasoning_effort: "low" })),
    good: bodies(responses({ prompt_cache_key: "k", client_metadata: { turn: "1" }, store: false })),
  },
  model: {
    bad: bodies(responses({ model: "nope" }), responses({ model: undefined }), responses({ model: "sim-chat" })),
    good: bodies(responses({ model: "gpt-5.4" }), responses({ model: "gpt-6.2-astra" })),
  },
  "not-played": {
    bad: bodies(
      responses({ previous_response_id: "resp_1" }),
      responses({ conversation: "conv_1" }),
      responses({ background: true }),
      responses({ truncation: "auto" }),
    ),
    good: bodies(responses({ previous_response_id: null, background: false, truncation: "disabled" })),
  },
  "field-types": {
    bad: bodies(
      responses({ stream: "yes" }),
      responses({ instructions: 1 }),
      responses({ prompt_cache_key: "k".repeat(65) }),
      responses({ include: ["reasoning"] }),
      responses({ service_tier: "gold" }),
      responses({ metadata: { a: 1 } }),
      responses({ truncation: "middle" }),
    ),
    good: bodies(
      responses({ stream: true, include: ["reasoning.encrypted_content"], metadata: { a: "1" }, service_tier: "flex" }),
    ),
  },
  "max-tokens": {
    bad: bodies(
      responses({ max_output_tokens: 15 }),
      responses({ max_output_tokens: 32_001 }),
      responses({ max_output_tokens: "16" }),
    ),
    good: bodies(responses({ max_output_tokens: 16 }), responses({ max_output_tokens: 32_000 })),
  },
  sampling: {
    bad: bodies(responses({ temperature: 0 }), responses({ top_p: 0.5 }), responses({ top_logprobs: 3 })),
    good: bodies(responses({ temperature: 1, top_p: 1, top_logprobs: 0 })),
  },
  "stream-options": {
    bad: bodies(
      responses({ stream_options: { include_obfuscation: false } }),
      responses({ stream: true, stream_options: { include_usage: true } }),
    ),
    good: bodies(responses({ stream: true, stream_options: { include_obfuscation: false } })),
  },
  reasoning: {
    bad: bodies(
      ...["gpt-6-astra", "gpt-6.1-sol", "gpt-6.1-terra", "gpt-6.2-sol", "gpt-6.2-astra"].map((model) =>
        responses({ model, reasoning: { effort: "none" } }),
      ),
      responses({ reasoning: { effort: "huge" } }),
      responses({ reasoning: { summary: "long" } }),
      responses({ reasoning: { budget: 1 } }),
      responses({ reasoning: "high" }),
    ),
    good: bodies(
      ...["gpt-5.5", "gpt-5.6-sol", "gpt-6-sol"].map((model) => responses({ model, reasoning: { effort: "none" } })),
      responses({ reasoning: { effort: "high", summary: "auto", context: "all_turns" } }),
    ),
  },
  text: {
    bad: bodies(
      responses({ text: { verbosity: "loud" } }),
      responses({ text: { format: { type: "xml" } } }),
      responses({ text: { format: { type: "json_schema", name: "a" } } }),
      responses({ text: { style: "x" } }),
    ),
    good: bodies(
      responses({ text: { verbosity: "low", format: { type: "text" } } }),
      responses({ text: { format: { type: "json_schema", name: "a", schema: { type: "object" } } } }),
    ),
  },
  "tools-list": { bad: bodies(responses({ tools: {} })), good: bodies(responses({ tools: [] })) },
  "tool-played": {
    bad: bodies(
      tools({ type: "mcp", server_label: "x" }),
      tools({ type: "code_interpreter" }),
      tools({ type: "tool_search", execution: "server" }),
    ),
    good: bodies(tools({ type: "web_search", external_web_access: true }), tools(search)),
  },
  tool: {
    bad: bodies(
      tools({ type: "function", function: { name: "a" } }),
      tools(fn("")),
      tools(fn("a b")),
      tools(fn("a", { parameters: undefined })),
      tools(fn("a", { parameters: { type: "string" } })),
      tools(fn("a", { input_schema: {} })),
      tools({ type: "telepathy" }),
      tools(custom("a", { format: { type: "grammar", syntax: "ebnf", definition: "x" } })),
      tools({ type: "namespace", name: "n", description: "", tools: [] }),
      tools({ type: "namespace", name: "n", description: "", tools: [search] }),
      six(added(fn("a b")), asked),
    ),
    good: bodies(
      tools(fn("a", { description: "d", strict: false }), fn("b", { parameters: null })),
      tools(custom("a", { format: { type: "grammar", syntax: "lark", definition: "start: /x/" } })),
      tools({ type: "namespace", name: "n", description: "", tools: [fn("a"), custom("b")] }, { type: "local_shell" }),
    ),
  },
  "tool-strict": {
    bad: bodies(
      strict({ properties: {} }),
      strict({ properties: { a: { type: "string" } }, additionalProperties: false }),
      strict({
        properties: { a: { type: "array", items: { type: "object", properties: {} } } },
        required: ["a"],
        additionalProperties: false,
      }),
    ),
    good: bodies(
      strict({ properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false }),
      tools(fn("a", { strict: false })),
    ),
  },
  "tool-unique": {
    bad: bodies(tools(fn("a"), fn("a")), tools(fn("a"), custom("a")), {
      ...six(added(fn("a")), asked),
      tools: [fn("a")],
    }),
    good: bodies(
      tools(fn("a"), fn("b"), { type: "namespace", name: "n", description: "", tools: [fn("a")] }),
      responses({ tools: [search], input: [asked, ...found("1"), ...found("2")] }),
    ),
  },
  "tool-same": {
    bad: bodies(
      responses({ tools: [search], input: [asked, ...found("1"), ...found("2", { description: "another" })] }),
      responses({
        tools: [fn("a", { parameters: { type: "object" } }), search],
        input: [asked, ...found("1")],
      }),
    ),
    good: bodies(
      responses({ tools: [fn("a"), search], input: [asked, ...found("1")] }),
      responses({ tools: [search], input: [asked, ...found("1"), ...found("2", { defer_loading: false })] }),
    ),
  },
  "tool-search-model": {
    bad: bodies({ ...tools(search), model: "gpt-5" }),
    good: bodies({ ...tools(search), model: "gpt-5.4" }, { ...tools(fn("a")), model: "gpt-5" }),
  },
  "search-declared": {
    bad: bodies(
      responses({ input: [asked, ...found("1", { defer_loading: false })] }),
      responses({ tools: [fn("ToolSearch")], input: [asked, ...found("1", { defer_loading: false })] }),
    ),
    good: bodies(
      responses({ tools: [search], input: [asked, ...found("1")] }),
      responses({
        input: [asked, ...found("1", { defer_loading: false }).map((item) => ({ ...item, execution: "server" }))],
      }),
    ),
  },
  "tool-deferred": {
    bad: bodies(tools(fn("a", { defer_loading: true }))),
    good: bodies(tools(fn("a", { defer_loading: true }), search)),
  },
  "tool-choice": {
    bad: bodies(
      responses({ tool_choice: "any" }),
      responses({ tool_choice: "required" }),
      responses({ tools: [fn("a")], tool_choice: { type: "function", name: "b" } }),
      responses({ tools: [fn("a")], tool_choice: { type: "file_search" } }),
      responses({ tools: [fn("a")], tool_choice: { type: "allowed_tools", mode: "all", tools: [] } }),
      responses({
        tools: [fn("a")],
        tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "b" }] },
      }),
    ),
    good: bodies(
      responses({ tool_choice: "auto", parallel_tool_calls: false }),
      responses({ tools: [fn("a")], tool_choice: { type: "function", name: "a" } }),
      responses({
        tools: [fn("a"), fn("b")],
        tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "b" }] },
      }),
    ),
  },
  ...responsesItemExamples,
  ...responsesCompactionExamples,
};
