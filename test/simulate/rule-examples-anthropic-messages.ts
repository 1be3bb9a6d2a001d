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

export const anthropicMessageExamples: Readonly<Record<string, Example>> = {
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
      newer({ messages: [user("x"), { ...system("s"), output_config: { effort: "low" } }] }),
    ),
    good: [
      { body: newer({ messages: [user("x"), system("s")] }) },
      ...["mid-conversation-output-config-2026-07-01", "per-turn-control-2026-07-01"].map((beta) => ({
        body: newer({ messages: [user("x"), { ...system("s"), output_config: { effort: "low" } }] }),
        headers: { "anthropic-beta": beta },
      })),
    ],
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
