import { describe, expect, test } from "vitest";
import { responsesCodec as codec } from "../../src/provider/responses/codec.ts";

const decode = (body: unknown) => codec.decodeForeign(new TextEncoder().encode(JSON.stringify(body)));

describe("decodeForeign · Responses", () => {
  const doc = decode({
    model: "gpt-6.2-sol",
    instructions: "be good",
    max_output_tokens: 10,
    reasoning: { effort: "low" },
    prompt_cache_key: "key",
    prompt_cache_options: { comparison_response_id: "resp_0" },
    tools: [
      { type: "function", name: "T", description: "d", parameters: { type: "object" }, strict: true },
      { type: "namespace", name: "n", description: "", tools: [{ type: "custom", name: "C", description: "c" }] },
      { type: "web_search" },
    ],
    input: [
      { type: "additional_tools", role: "developer", tools: [{ type: "custom", name: "patch" }] },
      {
        role: "developer",
        content: [
          { type: "input_text", text: "s1" },
          { type: "input_text", text: "s2" },
        ],
      },
      {
        role: "user",
        content: [
          { type: "input_image", image_url: "data:image/png;base64,AA", prompt_cache_breakpoint: { mode: "explicit" } },
          { type: "input_image", image_url: "https://x", prompt_cache_breakpoint: { mode: "explicit" } },
        ],
      },
      { type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "t" }], encrypted_content: "e" },
      { type: "function_call", call_id: "a", name: "T", arguments: '{"b":1}' },
      { type: "custom_tool_call", call_id: "c", name: "patch", input: "p" },
      { role: "user", content: "between" },
      {
        type: "function_call_output",
        call_id: "a",
        output: [
          { type: "input_text", text: "r" },
          { type: "input_image", image_url: "data:image/png;base64,BB" },
        ],
      },
      { type: "custom_tool_call_output", call_id: "c", output: "ok" },
      { role: "developer", content: "late" },
      { role: "assistant", content: "said" },
    ],
  });

  test("settings, tools (those of namespaces too) and system sections", () => {
    expect(doc.model).toEqual({
      wire: "responses",
      model: "gpt-6.2-sol",
      effort: "low",
      thinking: "off",
      outputTokensMax: 10,
    });
    expect([doc.cacheKey, doc.previousResponse]).toEqual(["key", "resp_0"]);
    expect(doc.tools.map(({ name, inputSchema }) => [name, inputSchema])).toEqual([
      ["T", '{"type":"object"}'],
      ["C", "{}"],
      ["web_search", "{}"],
    ]);
    expect(doc.system.map(({ text }) => text)).toEqual(["be good", "s1", "s2"]);
  });

  test("C-027 · results come before what stood between them and their calls; items without a word of ours stay opaque", () => {
    expect(doc.pieces.map((piece) => piece.block)).toEqual([
      {
        type: "opaque",
        wire: '{"type":"additional_tools","role":"developer","tools":[{"type":"custom","name":"patch"}]}',
      },
      { type: "image", mediaType: "image/png", data: "AA" },
      { type: "text", text: '{"type":"input_image","image_url":"https://x"}' },
      {
        type: "reasoning",
        text: "t",
        wire: '{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"t"}],"encrypted_content":"e"}',
      },
      {
        type: "tool-call",
        callId: "a",
        tool: "T",
        input: '{"b":1}',
        wire: '{"type":"function_call","call_id":"a","name":"T","arguments":"{\\"b\\":1}"}',
      },
      { type: "opaque", wire: '{"type":"custom_tool_call","call_id":"c","name":"patch","input":"p"}' },
      { type: "tool-result", callId: "a", tool: "T", text: "r", isError: false },
      { type: "text", text: "between" },
      { type: "image", mediaType: "image/png", data: "BB" },
      { type: "opaque", wire: '{"type":"custom_tool_call_output","call_id":"c","output":"ok"}' },
      { type: "text", text: "late" },
      { type: "text", text: "said", wire: '{"role":"assistant","content":"said"}' },
    ]);
  });

  test("one text is one user message", () => {
    expect(decode({ model: "m", input: "q" }).pieces).toEqual([
      { id: "0.0", role: "user", kind: "message", block: { type: "text", text: "q" } },
    ]);
  });
});
