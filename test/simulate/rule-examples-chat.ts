import {
  assistant,
  type Body,
  chat,
  chatCall,
  chatTool,
  type Example,
  remembers,
  type Sent,
  user,
} from "./builders.ts";

const bodies = (...list: readonly Body[]): readonly Sent[] => list.map((body) => ({ body }));
const says = (...messages: readonly unknown[]) => chat({ messages });
const calls = (ids: readonly string[], more: Body = {}) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => chatCall(id)),
  ...more,
});
const answer = (id: string, content: unknown = "ok") => ({ role: "tool", tool_call_id: id, content });
const part = (url: string) => ({ type: "image_url", image_url: { url } });
const png = btoa("\x89PNG\r\n\x1a\n0000");
const thought = remembers({ reasoningOf: (id) => (id === "a" ? JSON.stringify(["hm"]) : undefined) });
const reasoner = (...messages: readonly unknown[]) => chat({ model: "sim-reasoner", messages });

export const chatExamples: Readonly<Record<string, Example>> = {
  key: {
    bad: [
      { body: chat(), headers: { authorization: null } },
      { body: chat(), headers: { authorization: "Bearer " } },
    ],
    good: bodies(chat()),
  },
  "content-type": { bad: [{ body: chat(), headers: { "content-type": null } }], good: bodies(chat()) },
  size: { bad: [{ text: " ".repeat(32 * 1024 * 1024 + 1) }], good: bodies(chat()) },
  json: { bad: [{ text: "{" }, { text: "1" }], good: bodies(chat()) },
  surrogates: { bad: bodies(says(user("half \udc00"))), good: bodies(says(user("whole \u{1f600}"))) },
  "unknown-field": {
    bad: bodies(chat({ foo: 1 }), chat({ system: "s" }), chat({ thinking: { type: "enabled" } })),
    good: bodies(
      chat({ prompt_cache_key: "k", user: "u" }),
      chat({ model: "sim-reasoner", thinking: { type: "enabled" } }),
    ),
  },
  model: {
    bad: bodies(chat({ model: "nope" }), chat({ model: undefined }), chat({ model: "sim-plain" })),
    good: bodies(chat({ model: "gpt-5.5" })),
  },
  "max-tokens": {
    bad: bodies(
      chat({ max_tokens: 0 }),
      chat({ max_completion_tokens: 16_001 }),
      chat({ model: "gpt-5.5", max_tokens: 10 }),
    ),
    good: bodies(chat({ max_tokens: 16_000 }), chat({ model: "gpt-5.5", max_completion_tokens: 10 })),
  },
  sampling: {
    bad: bodies(chat({ model: "gpt-5.5", temperature: 0 })),
    good: bodies(chat({ temperature: 0 }), chat({ model: "gpt-5.5", temperature: 1 })),
  },
  "stream-options": {
    bad: bodies(chat({ stream_options: { include_usage: true } })),
    good: bodies(chat({ stream: true, stream_options: { include_usage: true } })),
  },
  "field-types": {
    bad: bodies(chat({ stream: 1 }), chat({ n: 2 }), chat({ prompt_cache_key: "k".repeat(65) })),
    good: bodies(chat({ stream: false, n: 1, prompt_cache_key: "k".repeat(64) })),
  },
  tools: {
    bad: bodies(
      chat({ tools: [] }),
      chat({ tools: [{ name: "a" }] }),
      chat({ tools: [chatTool("a b")] }),
      chat({ tools: [chatTool("a"), chatTool("a")] }),
      chat({ tools: [chatTool("a", { parameters: { type: "string" } })] }),
    ),
    good: bodies(chat({ tools: [chatTool("a"), chatTool("b", { parameters: undefined })] })),
  },
  "tools-count": {
    bad: bodies(chat({ tools: Array.from({ length: 129 }, (_, n) => chatTool(`t${n}`)) })),
    good: bodies(chat({ tools: Array.from({ length: 128 }, (_, n) => chatTool(`t${n}`)) })),
  },
  "tool-choice": {
    bad: bodies(chat({ tool_choice: "auto" }), chat({ parallel_tool_calls: true })),
    good: bodies(chat({ tools: [chatTool("a")], tool_choice: "auto", parallel_tool_calls: true })),
  },
  "tools-with-effort": {
    bad: bodies(
      chat({ model: "gpt-5.5", tools: [chatTool("a")], reasoning_effort: "high" }),
      ...["gpt-6-astra", "gpt-6.1-sol", "gpt-6.2-sol", "gpt-6.2-astra"].map((model) =>
        chat({ model, tools: [chatTool("a")] }),
      ),
    ),
    good: bodies(
      chat({ model: "gpt-5.5", tools: [chatTool("a")], reasoning_effort: "none" }),
      chat({ model: "gpt-5.5", reasoning_effort: "high" }),
      chat({ model: "gpt-6.2-astra" }),
    ),
  },
  "messages-list": { bad: bodies(chat({ messages: [] }), chat({ messages: undefined })), good: bodies(chat()) },
  role: {
    bad: bodies(says({ role: "function", content: "x", name: "f" })),
    good: bodies(says({ role: "developer", content: "x" }, user("y"))),
  },
  "message-field": {
    bad: bodies(says({ ...user("x"), id: "m" }), says(user("x"), { ...assistant("y"), reasoning_content: "r" })),
    good: bodies(
      says({ ...user("x"), name: "n" }),
      reasoner(user("x"), { ...assistant("y"), reasoning_content: "r" }, user("z")),
    ),
  },
  content: {
    bad: bodies(
      says(user("")),
      says(user(null)),
      says(user([])),
      says(user([{ type: "text", text: "" }])),
      says(user("x"), assistant(null), user("y")),
      says(user([{ type: "image", source: {} }])),
      says(user("x"), calls(["a"]), answer("a", [part(`data:image/png;base64,${png}`)])),
    ),
    good: bodies(
      says(user([{ type: "text", text: "x" }]), calls(["a"]), answer("a", "")),
      says(user("x"), calls(["a"], { content: "" }), answer("a")),
    ),
  },
  image: {
    bad: bodies(says(user([part(`data:image/jpeg;base64,${png}`)])), says(user([part("file:///x.png")]))),
    good: bodies(says(user([part(`data:image/png;base64,${png}`)])), says(user([part("https://x.test/a.png")]))),
  },
  "tool-calls": {
    bad: bodies(
      says(user("x"), { ...assistant("y"), tool_calls: [] }),
      says(user("x"), { ...assistant("y"), tool_calls: [chatCall("")] }, answer("")),
      says(user("x"), { ...assistant("y"), tool_calls: [chatCall("a", { type: "tool" })] }, answer("a")),
      says(
        user("x"),
        { ...assistant("y"), tool_calls: [chatCall("a", { function: { name: "a.b", arguments: "{}" } })] },
        answer("a"),
      ),
      says(
        user("x"),
        { ...assistant("y"), tool_calls: [chatCall("a", { function: { name: "f", arguments: {} } })] },
        answer("a"),
      ),
      says(
        user("x"),
        { ...assistant("y"), tool_calls: [chatCall("a", { function: { name: "f", arguments: '{"a":' } })] },
        answer("a"),
      ),
    ),
    good: bodies(says(user("x"), calls(["a"]), answer("a"))),
  },
  "call-unique": {
    bad: bodies(
      says(user("x"), calls(["a", "a"]), answer("a"), answer("a")),
      says(user("x"), calls(["a"]), answer("a"), calls(["a"]), answer("a")),
    ),
    good: bodies(says(user("x"), calls(["a"]), answer("a"), calls(["b"]), answer("b"))),
  },
  "call-answered": {
    bad: bodies(
      says(user("x"), calls(["a"])),
      says(user("x"), calls(["a", "b"]), answer("a"), user("y")),
      says(user("x"), calls(["a", "b"]), answer("a"), user("y"), answer("b")),
      says(user("x"), calls(["a"]), user("y"), answer("a")),
    ),
    good: bodies(says(user("x"), calls(["a", "b"]), answer("b"), answer("a"), user("y"))),
  },
  "result-orphan": {
    bad: bodies(
      says(user("x"), answer("a")),
      says(user("x"), calls(["a"]), answer("a"), answer("a")),
      says(user("x"), calls(["a"]), answer("a"), answer("z")),
    ),
    good: bodies(says(user("x"), calls(["a"]), answer("a"))),
  },
  "reasoning-replayed": {
    bad: [
      { body: reasoner(user("x"), calls(["a"]), answer("a")), memory: thought },
      { body: reasoner(user("x"), calls(["a"], { reasoning_content: "hm " }), answer("a")), memory: thought },
    ],
    good: [
      { body: reasoner(user("x"), calls(["a"], { reasoning_content: "hm" }), answer("a")), memory: thought },
      { body: reasoner(user("x"), calls(["a"]), answer("a"), assistant("done"), user("next")), memory: thought },
    ],
  },
};
