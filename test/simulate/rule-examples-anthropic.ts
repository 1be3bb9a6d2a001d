import {
  anthropic,
  assistant,
  type Body,
  call,
  type Example,
  result,
  type Sent,
  text,
  tool,
  user,
} from "./builders.ts";
import { anthropicMessageExamples } from "./rule-examples-anthropic-messages.ts";
import { anthropicCompactionExamples } from "./rule-examples-compaction.ts";

const bodies = (...list: readonly Body[]): readonly Sent[] => list.map((body) => ({ body }));
const says = (...messages: readonly unknown[]) => anthropic({ messages });
const newer = (more: Body) => anthropic({ model: "sim-bound", ...more });

const png = btoa("\x89PNG\r\n\x1a\n0000");
const image = (media_type: string, data = png) => ({ type: "image", source: { type: "base64", media_type, data } });

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
    bad: bodies(anthropic({ thread: { type: "create" } })),
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
  ...anthropicMessageExamples,
  ...anthropicCompactionExamples,
};
