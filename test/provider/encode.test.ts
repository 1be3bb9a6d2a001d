import { describe, expect, test } from "vitest";
import { brand } from "../../src/kernel/ids.ts";
import { type Wire, wires } from "../../src/kernel/usage.ts";
import type { AssistantBlock, Piece, UserBlock } from "../../src/log/block.ts";
import type { ModelChoice } from "../../src/log/entry.ts";
import type { Doc } from "../../src/prompt/doc.ts";
import { createAnthropicCodec } from "../../src/provider/anthropic/codec.ts";
import { codecFor } from "../../src/provider/codecs.ts";

const user = (id: string, block: UserBlock): Piece => ({ id, role: "user", kind: "message", block });
const said = (id: string, text: string) => user(id, { type: "text", text });
const assistant = (id: string, from: Wire, block: AssistantBlock): Piece => ({ id, role: "assistant", from, block });
const call = (id: string, callId: string, from: Wire = "anthropic", input = "{}"): Piece =>
  assistant(id, from, { type: "tool-call", callId: brand(callId), tool: "Read", input });
const result = (id: string, callId: string, text: string, isError = false) =>
  user(id, { type: "tool-result", callId: brand(callId), tool: "Read", text, isError });
const image = (id: string) => user(id, { type: "image", mediaType: "image/png", data: "AAAA" });
const reminder = (id: string, text: string): Piece => ({
  id,
  role: "system",
  kind: "reminder",
  block: { type: "text", text },
});

const docOf = (
  wire: Wire,
  pieces: readonly Piece[],
  model: Partial<ModelChoice> = {},
  rest: Partial<Doc> = {},
): Doc => ({
  model: {
    wire,
    model: wire === "anthropic" ? "claude-sonnet-4-6" : "llama",
    effort: null,
    thinking: "off",
    outputTokensMax: 8000,
    ...model,
  },
  tools: [],
  system: [],
  pieces,
  cacheKey: "k",
  ...rest,
});
const bodyOf = (doc: Doc) => JSON.parse(codecFor(doc.model.wire).encode(doc, []).body);
const messagesOf = (wire: Wire, pieces: readonly Piece[], model: Partial<ModelChoice> = {}) =>
  bodyOf(docOf(wire, pieces, model)).messages;

describe("Messages", () => {
  test("C-019 · results stand first in the next user message, then the text, in one message", () => {
    const pieces = [
      said("1.0", "run tests"),
      call("2.0", "a"),
      call("2.1", "b"),
      result("3.0", "a", "interrupted", true),
      result("3.1", "b", "interrupted", true),
      said("4.0", "go on"),
    ];
    expect(messagesOf("anthropic", pieces)).toEqual([
      { role: "user", content: [{ type: "text", text: "run tests" }] },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "a", name: "Read", input: {} },
          { type: "tool_use", id: "b", name: "Read", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "interrupted", is_error: true },
          { type: "tool_result", tool_use_id: "b", content: "interrupted", is_error: true },
          { type: "text", text: "go on" },
        ],
      },
    ]);
  });

  test("C-027 · results, then images, then text in one user message; three tool messages and one user message in chat", () => {
    const pieces = [
      said("1.0", "q"),
      call("2.0", "a"),
      call("2.1", "b"),
      call("2.2", "c"),
      result("3.0", "a", "x"),
      result("3.1", "b", "y"),
      result("3.2", "c", "not run", true),
      image("3.3"),
      said("4.0", "hurry"),
    ];
    expect(
      messagesOf("anthropic", pieces)
        .at(-1)
        .content.map((b: { type: string }) => b.type),
    ).toEqual(["tool_result", "tool_result", "tool_result", "image", "text"]);
    const chat = messagesOf("chat", pieces);
    expect(chat.slice(2).map((m: { role: string }) => m.role)).toEqual(["tool", "tool", "tool", "user"]);
    expect(chat.at(-1).content).toEqual([
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      { type: "text", text: "hurry" },
    ]);
  });

  test("C-025 · blocks of this wire go back byte for byte; to the other wire goes no reasoning, signature or unknown block", () => {
    const wires = [
      '{"type":"thinking","thinking":"t","signature":"S1"}',
      '{"type":"redacted_thinking","data":"D1"}',
      '{"type":"text","text":""}',
      '{"type":"brand_new", "b":1.0}',
    ];
    const blocks: readonly AssistantBlock[] = [
      { type: "reasoning", text: "t", wire: wires[0] ?? "" },
      { type: "reasoning", text: "", wire: wires[1] ?? "" },
      { type: "text", text: "", wire: wires[2] ?? "" },
      { type: "opaque", wire: wires[3] ?? "" },
    ];
    const pieces = [
      said("1.0", "q"),
      ...blocks.map((b, i) => assistant(`2.${i}`, "anthropic", b)),
      call("2.4", "a"),
      result("3.0", "a", "r"),
    ];
    const body = codecFor("anthropic").encode(docOf("anthropic", pieces), []).body;
    expect(body).toContain(`"content":[${wires.join(",")},{"type":"tool_use"`);
    const other = codecFor("chat").encode(docOf("chat", pieces), []).body;
    expect(other).not.toMatch(/S1|D1|thinking|brand_new/);
    expect(JSON.parse(other).messages[1]).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "Read", arguments: "{}" } }],
    });
  });

  test("law 4 · no empty text of ours is sent; an empty result is legal here and says so in chat", () => {
    const pieces = [
      said("1.0", " \n"),
      said("1.1", "q"),
      reminder("1.2", ""),
      call("2.0", "a"),
      call("2.1", "b"),
      result("3.0", "a", ""),
      result("3.1", "b", " \n"),
    ];
    const [first, , last] = messagesOf("anthropic", pieces);
    expect(first.content).toEqual([{ type: "text", text: "q" }]);
    expect(last.content.map((b: { content: string }) => b.content)).toEqual(["", ""]);
    expect(
      messagesOf("chat", pieces)
        .slice(2)
        .map((m: { content: string }) => m.content),
    ).toEqual(["(no output)", "(no output)"]);
  });

  test("half surrogate pairs become U+FFFD wherever text of ours stands", () => {
    for (const wire of ["anthropic", "chat"] as const) {
      const doc = docOf(
        wire,
        [said("1.0", "a\ud83d"), call("2.0", "a"), result("3.0", "a", "\udc00b")],
        {},
        {
          system: [{ name: "s", scope: "global", text: "\ud800s" }],
          tools: [{ name: "t", description: "\ud800d", inputSchema: "{}" }],
        },
      );
      const { body } = codecFor(wire).encode(doc, []);
      expect(body.isWellFormed()).toBe(true);
      expect(body).not.toMatch(/\\ud[89a-f]/i);
      expect(body.match(/\ufffd/g)?.length).toBe(4);
    }
  });

  test("C-025 · OpenAI gets no other server's reasoning or call members, though they came over the same wire", () => {
    const wire = '{"id":"a","type":"function","function":{"name":"Read","arguments":"{}"},"extra_content":{"s":1}}';
    const pieces = [
      said("1.0", "q"),
      assistant("2.0", "chat", { type: "reasoning", text: "r", wire: '{"reasoning_content":"r"}' }),
      assistant("2.1", "chat", { type: "tool-call", callId: brand("a"), tool: "Read", input: "{}", wire }),
      result("3.0", "a", "x"),
    ];
    expect(codecFor("chat").encode(docOf("chat", pieces, { model: "deepseek-chat" }), []).body).toContain(
      `{"role":"assistant","reasoning_content":"r","content":null,"tool_calls":[${wire}]}`,
    );
    expect(codecFor("chat").encode(docOf("chat", pieces, { model: "gpt-5.2" }), []).body).toContain(
      '{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"Read","arguments":"{}"}}]}',
    );
  });

  test("C-023 · ids and names another provider made up become legal here, alike in call and result, and stay apart", () => {
    const pieces = [
      said("1.0", "q"),
      call("2.0", "functions.Read:0", "chat"),
      call("2.1", "functions.Read.0", "chat"),
      result("3.0", "functions.Read:0", "x"),
      result("3.1", "functions.Read.0", "y"),
    ];
    const [, asked, answered] = messagesOf("anthropic", pieces);
    const ids = asked.content.map((b: { id: string }) => b.id);
    expect(answered.content.map((b: { tool_use_id: string }) => b.tool_use_id)).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  test("an input that is no JSON object goes out as {}", () => {
    for (const input of ["[1]", '{"cut', "", "null"]) {
      const pieces = [said("1.0", "q"), call("2.0", "a", "chat", input), result("3.0", "a", "bad input", true)];
      expect(messagesOf("anthropic", pieces)[1].content[0].input).toEqual({});
      expect(
        messagesOf(
          "chat",
          pieces.map((p) => (p.role === "assistant" ? { ...p, from: "anthropic" as const } : p)),
        )[1].tool_calls[0].function.arguments,
      ).toBe("{}");
    }
  });

  test("system text in mid-conversation is a system message where the model takes it, else a reminder on the user's side", () => {
    const pieces = [said("1.0", "q"), reminder("1.1", "mode changed")];
    expect(messagesOf("anthropic", pieces, { model: "claude-opus-5-5" })).toEqual([
      { role: "user", content: [{ type: "text", text: "q" }] },
      { role: "system", content: [{ type: "text", text: "mode changed" }] },
    ]);
    const text = "<system-reminder>\nmode changed\n</system-reminder>";
    expect(messagesOf("anthropic", pieces, { model: "claude-sonnet-5" })[0].content[1]).toEqual({ type: "text", text });
    expect(messagesOf("chat", pieces, { model: "gpt-5.5" })[1]).toEqual({ role: "system", content: "mode changed" });
    expect(messagesOf("chat", pieces, { model: "qwen3" })[1]).toEqual({ role: "user", content: text });
  });

  test.each([
    [
      "claude-opus-5-5",
      "adaptive",
      { type: "adaptive", display: "summarized", block_binding: { prefix_mismatch_behavior: "drop_block" } },
    ],
    ["claude-haiku-4-5-20251001", { budgetTokens: 4000 }, { type: "enabled", budget_tokens: 4000 }],
    ["claude-haiku-4-5", { budgetTokens: 90_000 }, { type: "enabled", budget_tokens: 7999 }],
    ["claude-sonnet-4-6", "off", { type: "disabled" }],
    ["claude-fable-5-1", "off", undefined],
    ["local-model", "off", undefined],
  ] as const)("thinking of %s set to %j", (model, thinking, want) => {
    expect(bodyOf(docOf("anthropic", [said("1.0", "q")], { model, thinking })).thinking).toEqual(want);
  });

  test("headers carry the API version, and the beta that a bound model's setting needs; tests ask for the error", () => {
    const doc = docOf("anthropic", [said("1.0", "q")], { model: "claude-opus-5-5", thinking: "adaptive" });
    const strict = createAnthropicCodec({ onMismatch: "error" }).encode(doc, []);
    expect(strict.headers).toEqual({
      "anthropic-version": "2026-10-21",
      "anthropic-beta":
        "thinking-binding-controls-2026-08-01,mid-conversation-system-clear-at-2026-08-21,mid-conversation-output-config-2026-07-01",
    });
    expect(strict.body).toContain('"prefix_mismatch_behavior":"error"');
    expect(codecFor("anthropic").encode(docOf("anthropic", []), []).headers).toEqual({
      "anthropic-version": "2026-10-21",
    });
  });

  test("what the service shall clear by itself stands in front of the prompt, with its beta; it moves nothing behind it", () => {
    const clearing = { triggerTokens: 100_000, keptUses: 10, clearedTokensMin: 6_000, excludedTools: ["TodoWrite"] };
    const doc = docOf("anthropic", [said("1.0", "q")], { model: "claude-sonnet-5" });
    const plain = codecFor("anthropic").encode(doc, []);
    const { headers, body } = codecFor("anthropic").encode({ ...doc, providerClearing: clearing }, []);
    expect(headers["anthropic-beta"]).toBe("context-management-2025-06-27");
    const { context_management, ...rest } = JSON.parse(body);
    expect(rest).toEqual(JSON.parse(plain.body));
    expect(context_management).toEqual({
      edits: [
        {
          type: "clear_tool_uses_20250919",
          trigger: { type: "input_tokens", value: 100_000 },
          keep: { type: "tool_uses", value: 10 },
          clear_at_least: { type: "input_tokens", value: 6_000 },
          exclude_tools: ["TodoWrite"],
        },
      ],
    });
    const bare = { ...doc, providerClearing: { ...clearing, excludedTools: [] } };
    expect(codecFor("anthropic").encode(bare, []).body).not.toContain("exclude_tools");
    // What is asked for is not text: it is part of the key, as far as anybody says.
    const codec = codecFor("anthropic");
    expect(codec.cacheKeyOfDoc({ ...doc, providerClearing: clearing })).not.toBe(codec.cacheKeyOfDoc(doc));
    expect(codec.segmentsOfDoc({ ...doc, providerClearing: clearing })).toEqual(codec.segmentsOfDoc(doc));
  });

  test("only the service itself clears by itself", () => {
    const clears = (wire: Wire, model: string) => codecFor(wire).abilities(model).clearsResults ?? false;
    expect(["claude-opus-5-5", "claude-haiku-4-5", "local-model"].map((name) => clears("anthropic", name))).toEqual([
      true,
      true,
      false,
    ]);
    expect(wires.filter((wire) => clears(wire, "claude-opus-5-5"))).toEqual(["anthropic"]);
  });
});

describe("the golden bytes of a small request", () => {
  const doc = (wire: Wire): Doc =>
    docOf(
      wire,
      [said("1.0", "é😀"), assistant("2.0", wire, { type: "text", text: "hi" }), said("3.0", "go")],
      { effort: "max" },
      {
        tools: [{ name: "Read", description: "d", inputSchema: '{"type":"object"}' }],
        system: [
          { name: "a", scope: "global", text: "one" },
          { name: "b", scope: "session", text: "two" },
        ],
      },
    );

  test("Messages, with markers", () => {
    expect(
      codecFor("anthropic").encode(doc("anthropic"), [
        { segment: 0, ttl: "1h" },
        { segment: 5, ttl: "5m" },
      ]).body,
    ).toBe(
      '{"model":"claude-sonnet-4-6","max_tokens":8000,"stream":true,"thinking":{"type":"disabled"},"output_config":{"effort":"max"},"diagnostics":{"previous_message_id":null},"tools":[{"name":"Read","description":"d","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral","ttl":"1h"}}],"system":[{"type":"text","text":"one"},{"type":"text","text":"two"}],"messages":[{"role":"user","content":[{"type":"text","text":"é😀"}]},{"role":"assistant","content":[{"type":"text","text":"hi"}]},{"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]}]}',
    );
  });

  test("Chat, for a local server: nothing it may not know", () => {
    expect(codecFor("chat").encode({ ...doc("chat"), model: { ...doc("chat").model, effort: null } }, []).body).toBe(
      '{"model":"llama","max_tokens":8000,"stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"Read","description":"d","parameters":{"type":"object"}}}],"messages":[{"role":"system","content":"onetwo"},{"role":"user","content":"é😀"},{"role":"assistant","content":"hi"},{"role":"user","content":"go"}]}',
    );
  });

  test("Chat, for OpenAI: its output limit, effort and cache key", () => {
    const body = bodyOf({ ...doc("chat"), model: { ...doc("chat").model, model: "gpt-5.2" } });
    expect(body).toMatchObject({ max_completion_tokens: 8000, reasoning_effort: "xhigh", prompt_cache_key: "k" });
    expect(body.max_tokens).toBeUndefined();
  });

  test.each([
    ["gpt-5.3", true, "high"],
    ["gpt-5.5", true, undefined],
    ["gpt-5.5", false, "high"],
    ["llama", true, "high"],
  ])("B.1 · Chat asks %s, with tools: %s, for the effort %s", (model, hasTools, want) => {
    const one = { ...doc("chat"), ...(hasTools ? {} : { tools: [] }) };
    const asked = { ...one, model: { ...one.model, model, effort: "high" as const } };
    const { body } = codecFor("chat").encode(asked, []);
    expect(JSON.parse(body).reasoning_effort).toBe(want);
    expect(codecFor("chat").cacheKeyOf(new TextEncoder().encode(body))).toBe(codecFor("chat").cacheKeyOfDoc(asked));
  });

  test("law 7 · the same document gives the same bytes, and fresh equal objects do too", () => {
    for (const wire of ["anthropic", "chat"] as const) {
      expect(codecFor(wire).encode(doc(wire), []).body).toBe(codecFor(wire).encode(doc(wire), []).body);
    }
  });

  test("a text that was not loaded is a fault of ours and is named", () => {
    const block: UserBlock = { type: "text", text: { blob: brand("abc"), chars: 3 } };
    expect(() => codecFor("anthropic").encode(docOf("anthropic", [user("1.0", block)]), [])).toThrow("abc");
  });
});

describe("the cache key", () => {
  test("differs by model, effort and thinking, not by text", () => {
    const codec = codecFor("anthropic");
    const key = (model: Partial<ModelChoice>, text = "q") =>
      codec.cacheKeyOfDoc(docOf("anthropic", [said("1.0", text)], model));
    expect(key({}, "other")).toBe(key({}));
    expect(
      new Set([key({}), key({ effort: "low" }), key({ thinking: "adaptive" }), key({ model: "claude-opus-4-8" })]).size,
    ).toBe(4);
    expect(key({ outputTokensMax: 1 })).toBe(key({}));
  });

  test("of a foreign body is independent of white space and order of keys", () => {
    const codec = codecFor("chat");
    const key = (text: string) => codec.cacheKeyOf(new TextEncoder().encode(text));
    expect(key('{"model":"m", "tool_choice":{"type":"function","a":1},"messages":[]}')).toBe(
      key('{"messages":[{"role":"user","content":"x"}],"tool_choice":{"a":1,"type":"function"},"model":"m"}'),
    );
    expect(key('{"model":"m","messages":[]}')).not.toBe(key('{"model":"m","tool_choice":"none","messages":[]}'));
  });
});
