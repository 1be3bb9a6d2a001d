import { hashOf } from "../../src/kernel/hash.ts";
import { contentHash, sealSummary } from "../../src/testing/simulate/compaction-seal.ts";
import {
  anthropic,
  assistant,
  type Body,
  call,
  type Example,
  mark,
  responses,
  result,
  type Sent,
  text,
  tool,
  user,
} from "./builders.ts";

export const askBeta = { "anthropic-beta": "compact-2026-09-04" };
export const thresholdBeta = { "anthropic-beta": "compact-2026-01-12" };
const editBeta = { "anthropic-beta": "context-management-2025-06-27" };
const bothBetas = { "anthropic-beta": "context-management-2025-06-27,compact-2026-01-12" };

function sealOver(content: string, toolChanges: unknown, words = ""): string {
  const none = hashOf("");
  const hashes = { content: contentHash(content), toolChanges: contentHash(toolChanges), head: none, prefix: none };
  return sealSummary({ ...hashes, lastRole: "assistant", isBound: true, text: words });
}

/** As the simulator would have made it on demand, and at a threshold. */
const onDemand = (more: Body = {}): Body => ({
  type: "compaction",
  content: "what was",
  encrypted_content: null,
  signature: sealOver("what was", []),
  tool_changes: [],
  ...more,
});
const atThreshold = (more: Body = {}): Body => ({
  type: "compaction",
  content: "what was",
  encrypted_content: sealOver("what was", null),
  ...more,
});
const failed = { type: "compaction", content: null, encrypted_content: null };

const asks = (...messages: readonly unknown[]): Sent => ({
  body: anthropic({ compaction: { type: "summarize" }, ...(messages.length === 0 ? {} : { messages }) }),
  headers: askBeta,
});
const holds = (...messages: readonly unknown[]): Sent => ({ body: anthropic({ messages }), headers: askBeta });
const reached = (...messages: readonly unknown[]): Sent => ({ body: anthropic({ messages }), headers: thresholdBeta });
const asked = (compaction: unknown, more: Body = {}): Sent => ({
  body: anthropic({ compaction, ...more }),
  headers: askBeta,
});
const edits = (...list: readonly unknown[]): Sent => ({
  body: anthropic({ context_management: { edits: list } }),
  headers: bothBetas,
});

const edited = (list: readonly unknown[], ...messages: readonly unknown[]): Sent => ({
  body: anthropic({ context_management: { edits: list }, messages }),
  headers: { "anthropic-beta": "context-management-2025-06-27,compact-2026-01-12,compact-2026-09-04" },
});

const uses = "clear_tool_uses_20250919";
const thinking = { type: "clear_thinking_20251015" };
const clearing = { type: uses };
const compact = (more: Body = {}) => ({ type: "compact_20260112", ...more });
const tokens = (value: unknown, more: Body = {}) => ({ type: "input_tokens", value, ...more });

/** A call whose results name so many tools that are not loaded. */
function searched(count: number): Sent {
  const names = Array.from({ length: count }, (_, at) => `tool_${at}`);
  const found = names.map((tool_name) => ({ type: "tool_reference", tool_name }));
  const tools = [tool("Read"), ...names.map((name) => tool(name, { defer_loading: true }))];
  const messages = [user("x"), assistant([call("a")]), user([result("a", { content: found })])];
  return { body: anthropic({ compaction: { type: "summarize" }, messages, tools }), headers: askBeta };
}

export const anthropicCompactionExamples: Readonly<Record<string, Example>> = {
  "edits-list": {
    bad: [
      { body: anthropic({ context_management: [] }), headers: editBeta },
      { body: anthropic({ context_management: { edits: {} } }), headers: editBeta },
      { body: anthropic({ context_management: { edits: [], more: 1 } }), headers: editBeta },
    ],
    good: [edits(), { body: anthropic({ context_management: {} }), headers: editBeta }],
  },
  "edit-type": { bad: [edits({ type: "clear_all" }), edits({})], good: [edits(thinking)] },
  "edit-header": {
    bad: [
      { ...edits({ type: uses }), headers: thresholdBeta },
      { ...edits(compact()), headers: editBeta },
    ],
    good: [edits({ type: uses }, compact()), { ...edits(compact()), headers: thresholdBeta }],
  },
  "edit-order": { bad: [edits({ type: uses }, thinking)], good: [edits(thinking, { type: uses })] },
  "edit-field": {
    bad: [
      edits({ type: uses, keep: { type: "thinking_turns", value: 1 } }),
      edits({ type: uses, keep: { type: "tool_uses", value: -1 } }),
      edits({ type: uses, trigger: tokens("many") }),
      edits({ type: uses, trigger: tokens(10, { of: 1 }) }),
      edits({ type: uses, clear_at_least: { type: "tool_uses", value: 3 } }),
      edits({ type: uses, exclude_tools: "Read" }),
      edits({ type: uses, clear_tool_inputs: 1 }),
      edits({ type: uses, pause: true }),
      edits({ ...thinking, keep: "none" }),
      edits({ ...thinking, keep: { type: "thinking_turns", value: 0 } }),
      edits(compact({ trigger: tokens(49_999) })),
      edits(compact({ trigger: { type: "tool_uses", value: 60_000 } })),
      edits(compact({ pause_after_compaction: "yes" })),
      edits(compact({ instructions: 1 })),
    ],
    good: [
      edits({
        type: uses,
        trigger: { type: "tool_uses", value: 9 },
        keep: { type: "tool_uses", value: 0 },
        clear_at_least: tokens(5_000),
        exclude_tools: ["Read"],
        clear_tool_inputs: ["Write"],
      }),
      edits({ type: uses, clear_at_least: null, exclude_tools: null, clear_tool_inputs: true }),
      edits({ ...thinking, keep: "all" }),
      edits({ ...thinking, keep: { type: "thinking_turns", value: 2 } }),
      edits(compact({ trigger: tokens(50_000), pause_after_compaction: true, instructions: "be brief" })),
    ],
  },
  "compaction-ask": {
    bad: [
      { ...asked({ type: "summarize" }), headers: {} },
      { ...asked({ type: "summarize" }), headers: thresholdBeta },
      asked({}),
      asked("summarize"),
      asked({ type: "summarize", instructions: 1 }),
      asked({ type: "summarize", trigger: tokens(60_000) }),
      {
        ...asked({ type: "summarize" }, { context_management: { edits: [] } }),
        headers: { "anthropic-beta": "compact-2026-09-04,context-management-2025-06-27" },
      },
      asked({ type: "summarize" }, { max_tokens: 0 }),
      asked({ type: "summarize" }, { model: "claude-sonnet-4-5" }),
      asked({ type: "summarize" }, { model: "claude-fable-5-2" }),
    ],
    good: [
      asked({ type: "summarize" }),
      asked({ type: "summarize", instructions: null }),
      asked({ type: "summarize", instructions: "be brief" }, { model: "claude-haiku-5-5" }),
      // Newer models take no answer at the end, but for a summary.
      {
        ...asks(user("x"), assistant("done")),
        body: anthropic({ ...asks(user("x"), assistant("done")).body, model: "sim-bound" }),
      },
    ],
  },
  "compaction-turn": {
    bad: [
      asks(user("x"), assistant([call("a")])),
      asks(user("x"), assistant([{ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }])),
    ],
    good: [asks(user("x"), assistant([call("a")]), user([result("a")])), asks(user("x"), assistant("done"))],
  },
  "compaction-nothing": {
    bad: [asks({ role: "system", content: "be brief" }), asks(assistant([failed]))],
    good: [asks(user("x")), asks(assistant([onDemand()]), user("x"))],
  },
  "compaction-references": { bad: [searched(101)], good: [searched(100)] },
  "compaction-header": {
    bad: [
      { ...holds(assistant([onDemand()]), user("x")), headers: {} },
      { ...holds(assistant([onDemand()]), user("x")), headers: thresholdBeta },
      { ...reached(user("x"), assistant([atThreshold(), text("y")]), user("z")), headers: askBeta },
    ],
    good: [holds(assistant([onDemand(mark())]), user("x")), reached(user([atThreshold()]), user("x"))],
  },
  "compaction-editing": {
    bad: [
      edited([clearing], assistant([onDemand()]), user("x")),
      edited([], assistant([onDemand()]), user("x")),
      edited([compact(), clearing], assistant([onDemand()]), user("x")),
    ],
    good: [edited([compact(), clearing], user("x"), assistant([atThreshold(), text("y")]), user("z"))],
  },
  "compaction-shape": {
    bad: [
      reached(assistant([atThreshold({ content: "" })]), user("x")),
      reached(assistant([atThreshold({ content: ["x"] })]), user("x")),
      reached(assistant([atThreshold({ encrypted_content: 1 })]), user("x")),
      holds(assistant([onDemand({ tool_changes: "none" })]), user("x")),
      holds(assistant([onDemand({ tool_changes: [{ type: "text", text: "x" }] })]), user("x")),
    ],
    good: [reached(user("x"), assistant([failed, text("y")]), user("z"))],
  },
  "compaction-single": {
    bad: [
      holds(assistant([onDemand()]), user("x"), assistant([onDemand()]), user("y")),
      {
        ...holds(assistant([onDemand()]), user("x"), assistant([atThreshold()]), user("y")),
        headers: { "anthropic-beta": "compact-2026-09-04,compact-2026-01-12" },
      },
    ],
    good: [
      holds(assistant([onDemand()]), user("x")),
      reached(user("x"), assistant([atThreshold(), text("y")]), user("z"), assistant([atThreshold()]), user("w")),
    ],
  },
  "compaction-place": {
    bad: [
      holds(user("x"), assistant([onDemand()]), user("y")),
      holds(user([text("x"), onDemand()])),
      reached(user("x"), assistant([text("y"), atThreshold()]), user("z")),
      reached(user("x"), assistant("y"), user([atThreshold()])),
    ],
    good: [
      holds(user([onDemand(), text("x")])),
      holds(assistant([onDemand()]), user("x")),
      reached(user("x"), assistant([atThreshold(), text("y")]), user("z")),
    ],
  },
  "compaction-signature": {
    bad: [
      holds(assistant([onDemand({ signature: "c2ln" })]), user("x")),
      holds(assistant([onDemand({ signature: sealOver("what was", []).slice(4) })]), user("x")),
      reached(assistant([atThreshold({ encrypted_content: null })]), user("x")),
    ],
    good: [holds(assistant([onDemand()]), user("x"))],
  },
  "compaction-content": {
    bad: [
      holds(assistant([onDemand({ content: "what was." })]), user("x")),
      reached(assistant([atThreshold({ content: "other" })]), user("x")),
    ],
    good: [reached(assistant([atThreshold()]), user("x"))],
  },
  "compaction-tools": {
    bad: [holds(assistant([onDemand({ tool_changes: [{ type: "tool_removal", tool_name: "Read" }] })]), user("x"))],
    good: [
      holds(assistant([onDemand()]), user("x")),
      holds(
        assistant([
          onDemand({
            tool_changes: [{ type: "tool_removal", tool_name: "Read" }],
            signature: sealOver("what was", [{ tool_name: "Read", type: "tool_removal" }]),
          }),
        ]),
        user("x"),
      ),
    ],
  },
};

const item = (more: Body = {}): Body => ({
  type: "compaction",
  id: "cmp_1",
  encrypted_content: sealOver("what was", null, "what was"),
  ...more,
});
const trigger = { type: "compaction_trigger" };
const says = (...items: readonly unknown[]): Sent => ({ body: responses({ input: items }) });
const managed = (given: unknown): Sent => ({ body: responses({ context_management: given }) });
const windowOf = (more: Body = {}): Sent => ({ body: responses(more), isWindow: true });

export const responsesCompactionExamples: Readonly<Record<string, Example>> = {
  "window-field": {
    bad: [windowOf({ stream: true }), windowOf({ tools: [] }), windowOf({ max_output_tokens: 100 })],
    good: [windowOf(), windowOf({ instructions: "be brief", prompt_cache_key: "k", service_tier: "auto" })],
  },
  "context-management": {
    bad: [
      managed({ type: "compaction" }),
      managed(["compaction"]),
      managed([{ type: "truncation" }]),
      managed([{ type: "compaction", compact_threshold: 0 }]),
      managed([{ type: "compaction", compact_threshold: "many" }]),
      managed([{ type: "compaction", trigger: 1 }]),
    ],
    good: [
      managed([{ type: "compaction", compact_threshold: 1_000 }]),
      managed([{ type: "compaction", compact_threshold: null }]),
      managed([]),
    ],
  },
  "compaction-trigger": {
    bad: [says(trigger, user("x")), says(trigger), { ...says(user("x"), trigger), isWindow: true }],
    good: [says(user("x"), trigger), says(user("x"), { ...trigger, id: "t" })],
  },
  "compaction-item": {
    bad: [
      says(item({ encrypted_content: "c2ln" }), user("x")),
      says(item({ encrypted_content: sealOver("what was", null) }), user("x")),
      says(item({ encrypted_content: 1 }), user("x")),
    ],
    good: [says(user("before"), item(), user("x")), says(item({ id: undefined }), user("x"))],
  },
};
