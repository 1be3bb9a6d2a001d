import { bindingPrefix, signThinking } from "../../src/testing/simulate/binding.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import {
  anthropic,
  assistant,
  type Body,
  call,
  type Example,
  mark,
  remembers,
  result,
  type Sent,
  text,
  tool,
  user,
} from "./builders.ts";

const bodies = (...list: readonly Body[]): readonly Sent[] => list.map((body) => ({ body }));
const says = (...messages: readonly unknown[]) => anthropic({ messages });
const newer = (more: Body) => anthropic({ model: "sim-bound", ...more });

const png = btoa("\x89PNG\r\n\x1a\n0000");
const image = (media_type: string, data = png) => ({ type: "image", source: { type: "base64", media_type, data } });

/** A loop in which the model thought before its call, as this simulator would have signed it. */
const asked = newer({ messages: [user("hello")] });
const thought = {
  type: "thinking",
  thinking: "hm",
  signature: signThinking({
    model: "sim-bound",
    prefix: bindingPrefix(cut("anthropic", JSON.stringify(asked))),
    text: "hm",
  }),
};
const remembered = remembers({ reasoningOf: (id) => (id === "a" ? JSON.stringify([thought]) : undefined) });
const loop = (first: string, blocks: readonly unknown[], more: Body = {}) =>
  newer({ messages: [user(first), assistant([...blocks, call("a")]), user([result("a")])], ...more });
const system = (content: unknown) => ({ role: "system", content });
const bindingBeta = { "anthropic-beta": "thinking-binding-controls-2026-08-01" };

export const anthropicExamples: Readonly<Record<string, Example>> = {
  key: {
    bad: [
      { body: anthropic(), headers: { "x-api-key": null } },
      { body: anthropic(), headers: { "x-api-key": " " } },
    ],
    good: [{ body: anthropic(), headers: { "x-api-key": null, authorization: "Bearer t" } }],
  },
  "content-type": {
    bad: [{ body: anthropic(), headers: { "content-type": "text/plain" } }],
    good: [{ body: anthropic(), headers: { "content-type": "application/json; charset=utf-8" } }],
  },
  size: { bad: [{ text: " ".repeat(32 * 1024 * 1024 + 1) }], good: bodies(anthropic()) },
  json: { bad: [{ text: "{" }, { text: "[]" }, { text: "" }], good: [{ text: ` ${JSON.stringify(anthropic())}\n` }] },
  surrogates: { bad: bodies(says(user("half \ud83d"))), good: bodies(says(user("whole \u{1f600}"))) },
  version: { bad: [{ body: anthropic(), headers: { "anthropic-version": null } }], good: bodies(anthropic()) },
  "not-simulated": {
    bad: bodies(anthropic({ compaction: { type: "summarize" } })),
    good: bodies(anthropic({ container: null })),
  },
  "unknown-field": { bad: bodies(anthropic({ foo: 1 })), good: bodies(anthropic({ metadata: { user_id: "u" } })) },
  beta: {
    bad: [
      { body: anthropic({ context_management: { edits: [] } }) },
      { body: newer({ thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } } }) },
      { body: newer({ thinking: { type: "adaptive", block_binding: {} } }), headers: bindingBeta },
    ],
    good: [
      {
        body: anthropic({ context_management: { edits: [] } }),
        headers: { "anthropic-beta": "context-management-2025-06-27" },
      },
      {
        body: newer({ thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } } }),
        headers: bindingBeta,
      },
    ],
  },
  model: {
    bad: bodies(anthropic({ model: "gpt-5.5" }), anthropic({ model: undefined })),
    good: bodies(anthropic({ model: "claude-sonnet-4-6" })),
  },
  "max-tokens": {
    bad: bodies(
      anthropic({ max_tokens: undefined }),
      anthropic({ max_tokens: 32_001 }),
      anthropic({ max_tokens: -1 }),
      anthropic({ max_tokens: 1.5 }),
    ),
    good: bodies(anthropic({ max_tokens: 32_000 }), anthropic({ max_tokens: 0 })),
  },
  prewarm: { bad: bodies(anthropic({ max_tokens: 0, stream: true })), good: bodies(anthropic({ max_tokens: 0 })) },
  "field-types": {
    bad: bodies(
      anthropic({ stream: "yes" }),
      anthropic({ metadata: { session: "s" } }),
      anthropic({ stop_sequences: [" "] }),
    ),
    good: bodies(anthropic({ stream: true, metadata: { user_id: "s" }, stop_sequences: ["END"] })),
  },
  sampling: {
    bad: bodies(newer({ temperature: 0.2 }), newer({ top_p: 0.9 })),
    good: bodies(newer({ temperature: 1 }), anthropic({ temperature: 0.2, top_p: 0.9 })),
  },
  "thinking-kind": {
    bad: bodies(
      newer({ thinking: { type: "enabled", budget_tokens: 2_000 } }),
      anthropic({ thinking: { type: "enabled", budget_tokens: 10 } }),
      anthropic({ thinking: { type: "enabled", budget_tokens: 4_000 } }),
      anthropic({ model: "claude-fable-5-2", thinking: { type: "disabled" } }),
      anthropic({ model: "claude-sonnet-4-5", thinking: { type: "adaptive" } }),
    ),
    good: bodies(
      anthropic({ max_tokens: 5_000, thinking: { type: "enabled", budget_tokens: 2_000 } }),
      newer({ thinking: { type: "adaptive" } }),
    ),
  },
  "tool-choice": {
    bad: bodies(
      newer({ tools: [tool("Read")], tool_choice: { type: "any" } }),
      anthropic({ tool_choice: { type: "auto" } }),
      anthropic({ tools: [tool("Read")], tool_choice: { type: "tool", name: "Write" } }),
    ),
    good: bodies(
      newer({ tools: [tool("Read")], tool_choice: { type: "auto" } }),
      anthropic({ tools: [tool("Read")], tool_choice: { type: "tool", name: "Read" } }),
    ),
  },
  system: {
    bad: bodies(
      anthropic({ system: [text("")] }),
      anthropic({ system: 1 }),
      anthropic({ system: [image("image/png")] }),
    ),
    good: bodies(anthropic({ system: "be brief" }), anthropic({ system: [text("be brief")] })),
  },
  "tools-list": { bad: bodies(anthropic({ tools: {} })), good: bodies(anthropic({ tools: [] })) },
  "tool-name": {
    bad: bodies(anthropic({ tools: [tool("a b")] }), anthropic({ tools: [tool("x".repeat(65))] })),
    good: bodies(anthropic({ tools: [tool("x".repeat(64)), tool("mcp__a-b__c")] })),
  },
  "tool-unique": {
    bad: bodies(anthropic({ tools: [tool("a"), tool("a")] })),
    good: bodies(anthropic({ tools: [tool("a"), tool("A")] })),
  },
  "tool-schema": {
    bad: bodies(
      anthropic({ tools: [tool("a", { input_schema: { type: "string" } })] }),
      anthropic({ tools: [{ name: "a" }] }),
    ),
    good: bodies(anthropic({ tools: [tool("a"), { type: "web_search_20250305", name: "web_search" }] })),
  },
  "tool-field": {
    bad: bodies(
      anthropic({ tools: [tool("a", { parameters: {} })] }),
      anthropic({ tools: [tool("a", { description: 1 })] }),
    ),
    good: bodies(anthropic({ tools: [tool("a", { strict: true })] })),
  },
  "tool-deferred": {
    bad: bodies(anthropic({ tools: [tool("a", { defer_loading: true })] })),
    good: bodies(anthropic({ tools: [tool("a", { defer_loading: true }), tool("b")] })),
  },
  "tool-reference": {
    bad: bodies(
      says(
        user("x"),
        assistant([call("a")]),
        user([result("a", { content: [{ type: "tool_reference", tool_name: "zeta" }] })]),
      ),
    ),
    good: bodies({
      ...says(
        user("x"),
        assistant([call("a")]),
        user([result("a", { content: [{ type: "tool_reference", tool_name: "zeta" }] })]),
      ),
      tools: [tool("Read"), tool("zeta", { defer_loading: true })],
    }),
  },
  "messages-list": {
    bad: bodies(anthropic({ messages: [] }), anthropic({ messages: undefined })),
    good: bodies(anthropic()),
  },
  role: {
    bad: bodies(says({ role: "tool", content: "x" }), says({ role: "user", content: "x", id: "m1" })),
    good: bodies(says(user("x"), assistant("y"), user("z"))),
  },
  content: {
    bad: bodies(
      says(user("")),
      says(user([])),
      says(user(undefined)),
      says(user([{ text: "x" }])),
      says(user("x"), assistant([]), user("y")),
    ),
    good: bodies(says(user([text("x")]))),
  },
  "first-user": {
    bad: bodies(says(assistant("x"), user("y")), newer({ messages: [system("s"), user("x")] })),
    good: bodies(says(user("x"))),
  },
  "system-support": {
    bad: bodies(
      says(user("x"), system("s")),
      newer({ messages: [user("x"), { ...system("s"), clear_at: "next_user_message" }] }),
    ),
    good: bodies(newer({ messages: [user("x"), system("s")] })),
  },
  "system-place": {
    bad: bodies(
      newer({ messages: [user("x"), assistant("y"), system("s"), user("z")] }),
      newer({ messages: [user("x"), system("s"), user("z")] }),
      newer({ messages: [user("x"), assistant([call("a")]), system("s"), user([result("a")])] }),
    ),
    good: bodies(newer({ messages: [user("x"), system("s"), system("t"), assistant("y"), user("z"), system("u")] })),
  },
  prefill: {
    bad: bodies(newer({ messages: [user("x"), assistant("So")] }), says(user("x"), assistant("So "))),
    good: bodies(says(user("x"), assistant("So"))),
  },
  "block-type": {
    bad: bodies(
      says(user([{ type: "novelty" }])),
      says(user("x"), assistant([{ type: "novelty" }]), user("y")),
      says(user([thought])),
    ),
    good: [
      { body: says(user("x"), assistant([{ type: "novelty" }]), user("y")), memory: remembers({ sent: () => true }) },
    ],
  },
  "block-field": {
    bad: bodies(
      says(user([text("x", { handle: "h" })])),
      says(user("x"), assistant([call("a", { wire: "w" })]), user([result("a")])),
    ),
    good: bodies(says(user([text("x", { citations: null })]))),
  },
  "text-empty": {
    bad: bodies(
      says(user([text("x"), text("")])),
      says(user([text(" \n")])),
      says(user("  ")),
      says(user("x"), assistant([text("")]), user("y")),
      says(user("x"), assistant([call("a")]), user([result("a", { content: [text("")] })])),
    ),
    good: [
      { body: says(user("x"), assistant([text("")]), user("y")), memory: remembers({ sent: () => true }) },
      { body: says(user("x"), assistant([call("a")]), user([result("a", { content: "" })])) },
      { body: says(user("x"), assistant([call("a")]), user([result("a", { content: [] })])) },
    ],
  },
  "tool-use": {
    bad: bodies(
      says(user("x"), assistant([call("")]), user([result("")])),
      says(user("x"), assistant([call("a", { input: "{}" })]), user([result("a")])),
      says(user("x"), assistant([call("a", { name: "a.b" })]), user([result("a")])),
    ),
    good: bodies(says(user("x"), assistant([call("a", { input: { n: 1 } })]), user([result("a")]))),
  },
  "tool-result": {
    bad: bodies(
      says(user("x"), assistant([call("a")]), user([result("a", { content: { ok: true } })])),
      says(user("x"), assistant([call("a")]), user([result("a", { is_error: "yes" })])),
      says(user("x"), assistant([call("a")]), user([result("a", { content: [{ type: "novelty" }] })])),
    ),
    good: bodies(
      says(
        user("x"),
        assistant([call("a")]),
        user([result("a", { content: [text("x"), image("image/png")], is_error: true })]),
      ),
    ),
  },
  image: {
    bad: bodies(
      says(user([image("image/jpeg")])),
      says(user([image("image/png", "AAAA")])),
      says(user([image("image/png", "%%")])),
    ),
    good: bodies(says(user([image("image/png")]))),
  },
  "call-unique": {
    bad: bodies(
      says(user("x"), assistant([call("a")]), user([result("a")]), assistant([call("a")]), user([result("a")])),
    ),
    good: bodies(
      says(user("x"), assistant([call("a")]), user([result("a")]), assistant([call("b")]), user([result("b")])),
    ),
  },
  "result-of-server-tool": {
    bad: bodies(
      says(
        user("x"),
        assistant([{ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }]),
        user([result("srvtoolu_1")]),
      ),
    ),
    good: bodies(says(user("x"), assistant([call("toolu_1")]), user([result("toolu_1")]))),
  },
  "result-twice": {
    bad: bodies(says(user("x"), assistant([call("a")]), user([result("a"), result("a")]))),
    good: bodies(says(user("x"), assistant([call("a"), call("b")]), user([result("a"), result("b")]))),
  },
  "call-answered": {
    bad: bodies(
      says(user("x"), assistant([call("a")]), user("y")),
      says(user("x"), assistant([call("a"), call("b")]), user([result("a")])),
      says(user("x"), assistant([call("a"), call("b")]), user([result("a")]), user([result("b")])),
      says(user("x"), assistant([call("a")]), assistant("z"), user([result("a")])),
      says(user("x"), assistant([call("a")])),
    ),
    good: bodies(says(user("x"), assistant([call("a"), call("b")]), user([result("b"), result("a")]))),
  },
  "result-orphan": {
    bad: bodies(
      says(user([result("a")])),
      says(user("x"), assistant("y"), user([result("a")])),
      says(user("x"), assistant([call("a")]), user([result("a"), result("b")])),
    ),
    good: bodies(says(user("x"), assistant([call("a")]), user([result("a")]))),
  },
  "results-first": {
    bad: bodies(says(user("x"), assistant([call("a"), call("b")]), user([result("a"), text("hurry"), result("b")]))),
    good: bodies(says(user("x"), assistant([call("a"), call("b")]), user([result("a"), result("b"), text("hurry")]))),
  },
  "server-tool-open": {
    bad: bodies(
      says(
        user("x"),
        assistant([{ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }, call("a")]),
        user([result("a"), text("go")]),
      ),
    ),
    good: bodies(
      says(
        user("x"),
        assistant([{ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }, call("a")]),
        user([result("a")]),
      ),
    ),
  },
  "mark-shape": {
    bad: bodies(
      says(user([text("x", { cache_control: { type: "ephemeral", ttl: "2h" } })])),
      says(user([text("x", { cache_control: { type: "permanent" } })])),
      anthropic({ cache_control: { type: "ephemeral", ttl: "1d" } }),
      says(user([text("x", { cache_control: { type: "ephemeral", scope: "global" } })])),
    ),
    good: bodies(says(user([text("x", mark("1h"))])), anthropic(mark("5m"))),
  },
  "mark-count": {
    bad: bodies(says(user([1, 2, 3, 4, 5].map((n) => text(`${n}`, mark())))), {
      ...says(user([...[1, 2, 3, 4].map((n) => text(`${n}`, mark())), text("5")])),
      ...mark(),
    }),
    good: bodies(says(user([1, 2, 3, 4].map((n) => text(`${n}`, mark())))), {
      ...says(user([1, 2, 3, 4].map((n) => text(`${n}`, mark())))),
      ...mark(),
    }),
  },
  "mark-place": {
    bad: [
      { body: says(user("x"), assistant([text("", mark())]), user("y")), memory: remembers({ sent: () => true }) },
      { body: newer({ messages: [user("hello"), assistant([{ ...thought, ...mark() }, text("t")]), user("y")] }) },
      { body: anthropic({ tools: [tool("a", { defer_loading: true, ...mark() }), tool("b")] }) },
    ],
    good: bodies(anthropic({ tools: [tool("a", { defer_loading: true }), tool("b", mark())] })),
  },
  "mark-automatic": {
    bad: bodies({ ...says(user([text("x", mark("5m"))])), ...mark("1h") }),
    good: bodies({ ...says(user([text("x", mark("1h"))])), ...mark("1h") }),
  },
  "mark-order": {
    bad: bodies(anthropic({ system: [text("s", mark())], messages: [user([text("x", mark("1h"))])] })),
    good: bodies(anthropic({ system: [text("s", mark("1h"))], messages: [user([text("x", mark())])] })),
  },
  "thinking-signature": {
    bad: bodies(
      loop("hello", [{ ...thought, signature: "Zm9v" }]),
      loop("hello", [{ ...thought, thinking: "HM" }]),
      loop("hello", [{ type: "redacted_thinking", data: "x" }]),
    ),
    good: bodies(loop("hello", [thought])),
  },
  "thinking-loop": {
    bad: [
      { body: loop("hello", []), memory: remembered },
      { body: loop("hello", [thought, thought]), memory: remembered },
      {
        body: anthropic({
          max_tokens: 5_000,
          thinking: { type: "enabled", budget_tokens: 2_000 },
          messages: [user("x"), assistant([call("z")]), user([result("z")])],
        }),
      },
    ],
    good: [
      { body: loop("hello", [thought]), memory: remembered },
      // What stands before it changed: it would be invalid, so it may be left out, whole.
      { body: loop("another start", []), memory: remembered },
      { body: loop("hello", [], { model: "sim-plain" }), memory: remembered },
    ],
  },
  "thinking-bound": {
    bad: [
      { body: loop("another start", [thought]), memory: remembered },
      { body: loop("hello", [thought], { system: "new" }) },
    ],
    good: [
      { body: loop("hello", [thought]) },
      { body: newer({ messages: [user([text("hello", mark())]), assistant([thought, text("t")]), user("next")] }) },
      {
        body: loop("another start", [thought], {
          thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
        }),
        headers: bindingBeta,
      },
    ],
  },
};
