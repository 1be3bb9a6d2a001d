import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codecFor } from "../../src/provider/codecs.ts";
import { foreignAnthropic, foreignChat, foreignGemini, foreignResponses, oddJson } from "../support/arbitrary-body.ts";
import { arbitraryDoc } from "../support/arbitrary-doc.ts";

const bytes = (body: unknown) => new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));

describe("decodeForeign", () => {
  test("reads any body that segments reads, however odd", () => {
    fc.assert(
      fc.property(foreignAnthropic, foreignChat, foreignResponses, foreignGemini, fc.nat(), (a, c, r, g, seed) => {
        for (const [wire, body] of [
          ["anthropic", a],
          ["chat", c],
          ["responses", r],
          ["gemini", g],
        ] as const) {
          const doc = codecFor(wire).decodeForeign(bytes(oddJson(body, seed)));
          expect(doc.model.wire).toBe(wire);
          expect(() => codecFor(wire).segmentsOfDoc(doc)).not.toThrow();
        }
      }),
      { numRuns: 150 },
    );
  });

  test("what we encoded comes back as a document with the same segments", () => {
    const models = { anthropic: "claude-opus-5-5", chat: "gpt-5.3", responses: "gpt-6.2-sol" } as const;
    for (const wire of ["anthropic", "chat", "responses"] as const) {
      const codec = codecFor(wire);
      fc.assert(
        fc.property(arbitraryDoc(wire, models[wire]), (doc) => {
          const segments = codec.segmentsOfDoc(doc);
          const again = codec.decodeForeign(bytes(codec.encode(doc, []).body));
          expect(codec.segmentsOfDoc(again).map((s) => s.hash)).toEqual(segments.map((s) => s.hash));
          expect(again.model).toMatchObject({
            model: doc.model.model,
            outputTokensMax: doc.model.outputTokensMax,
            effort: doc.model.effort,
          });
        }),
        { numRuns: 100 },
      );
    }
  });

  test("Messages: blocks keep their bytes without markers; images in results stand behind all results; the rest becomes text", () => {
    const doc = codecFor("anthropic").decodeForeign(
      bytes({
        model: "claude-x",
        max_tokens: 10,
        thinking: { type: "enabled", budget_tokens: 2000 },
        output_config: { effort: "low" },
        tools: [
          { type: "web_search_20250305", name: "web_search" },
          { name: "T", description: "d", input_schema: { type: "object" } },
        ],
        system: "be good",
        messages: [
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "t", signature: "s" },
              { type: "tool_use", id: "a", name: "T", input: { b: 1 }, cache_control: { type: "ephemeral" } },
              { type: "odd" },
            ],
          },
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "a",
                content: [
                  { type: "text", text: "r" },
                  { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } },
                  { type: "tool_reference", tool_name: "T" },
                ],
              },
              { type: "tool_result", tool_use_id: "b", is_error: true },
              { type: "document", source: { type: "url" } },
            ],
          },
        ],
      }),
    );
    expect(doc.model).toEqual({
      wire: "anthropic",
      model: "claude-x",
      effort: "low",
      thinking: { budgetTokens: 2000 },
      outputTokensMax: 10,
    });
    expect(doc.system).toEqual([{ name: "system 0", scope: "session", text: "be good" }]);
    expect(doc.tools.map((tool) => [tool.name, tool.inputSchema])).toEqual([
      ["web_search", "{}"],
      ["T", '{"type":"object"}'],
    ]);
    expect(doc.pieces.map((piece) => piece.block)).toEqual([
      { type: "reasoning", text: "t", wire: '{"type":"thinking","thinking":"t","signature":"s"}' },
      {
        type: "tool-call",
        callId: "a",
        tool: "T",
        input: '{"b":1}',
        wire: '{"type":"tool_use","id":"a","name":"T","input":{"b":1}}',
      },
      { type: "opaque", wire: '{"type":"odd"}' },
      {
        type: "tool-result",
        callId: "a",
        tool: "T",
        text: 'r\n{"type":"tool_reference","tool_name":"T"}',
        isError: false,
      },
      { type: "tool-result", callId: "b", tool: "", text: "", isError: true },
      { type: "image", mediaType: "image/png", data: "AA" },
      { type: "text", text: '{"type":"document","source":{"type":"url"}}' },
    ]);
  });

  test("Chat: leading system messages are sections, later ones reminders; calls and results know their tool", () => {
    const doc = codecFor("chat").decodeForeign(
      bytes({
        model: "m",
        max_tokens: 5,
        messages: [
          { role: "system", content: "s" },
          {
            role: "user",
            content: [
              { type: "image_url", image_url: { url: "data:image/png;base64,AA" } },
              { type: "image_url", image_url: { url: "https://x" } },
            ],
          },
          {
            role: "assistant",
            reasoning_content: "r",
            content: null,
            tool_calls: [{ id: "a", type: "function", function: { name: "T", arguments: "{}" } }],
          },
          { role: "tool", tool_call_id: "a", content: "out" },
          { role: "developer", content: "late" },
        ],
      }),
    );
    expect(doc.system.map((section) => section.text)).toEqual(["s"]);
    expect(doc.pieces.map((piece) => [piece.role, piece.block])).toEqual([
      ["user", { type: "image", mediaType: "image/png", data: "AA" }],
      ["user", { type: "text", text: '{"type":"image_url","image_url":{"url":"https://x"}}' }],
      ["assistant", { type: "reasoning", text: "r", wire: '{"reasoning_content":"r"}' }],
      [
        "assistant",
        {
          type: "tool-call",
          callId: "a",
          tool: "T",
          input: "{}",
          wire: '{"id":"a","type":"function","function":{"name":"T","arguments":"{}"}}',
        },
      ],
      ["user", { type: "tool-result", callId: "a", tool: "T", text: "out", isError: false }],
      ["system", { type: "text", text: "late" }],
    ]);
  });
});

test.each(["anthropic", "chat"] as const)("a role named like a member of every object is the user's (%s)", (wire) => {
  const body =
    '{"model":"m","max_tokens":1,"messages":[{"role":"constructor","content":"x"},{"role":"__proto__","content":"y"}]}';
  const segments = codecFor(wire).segments(new TextEncoder().encode(body));
  expect(segments.map(({ role }) => role)).toEqual(["user", "user"]);
});

test("on Gemini a role or a part named like one is the user's, or of no known kind", () => {
  const body =
    '{"contents":[{"role":"constructor","parts":[{"text":"x"}]},{"role":"__proto__","parts":[{"constructor":{}}, {"toString":1}]}]}';
  const segments = codecFor("gemini").segments(new TextEncoder().encode(body));
  expect(segments.map(({ role, kind }) => [role, kind])).toEqual([
    ["user", "text"],
    ["user", "other"],
    ["user", "other"],
  ]);
});

test.each(["anthropic", "chat"] as const)("a block of a type named like one is of no known kind (%s)", (wire) => {
  const body =
    '{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"constructor"},{"type":"toString"}]}]}';
  const segments = codecFor(wire).segments(new TextEncoder().encode(body));
  expect(segments.map(({ kind }) => kind)).toEqual(["other", "other"]);
});
