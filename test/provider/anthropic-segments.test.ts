import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Segment } from "../../src/prompt/segment.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { anthropicCodec as codec } from "../../src/provider/anthropic/codec.ts";
import { BodyError } from "../../src/provider/body-error.ts";
import type { Mark } from "../../src/provider/codec.ts";
import { arbitraryDoc } from "../support/arbitrary-doc.ts";

const bytes = (body: unknown) => new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
const cut = (body: unknown) => codec.segments(bytes(body));
const spanless = (segments: readonly Segment[]) => segments.map((s) => ({ ...s, span: null, textSpans: null }));
const user = (content: unknown) => ({ messages: [{ role: "user", content }] });

describe("law 2 · a document and its bytes have the same segments", () => {
  for (const model of ["claude-opus-5-5", "claude-sonnet-4-5", "local-model"]) {
    test(`on random documents of ${model}, whatever the marks`, () => {
      fc.assert(
        fc.property(arbitraryDoc("anthropic", model), fc.array(fc.nat(30), { maxLength: 4 }), (doc, at) => {
          const marks = at.map((segment): Mark => ({ segment, ttl: segment % 2 === 0 ? "5m" : "1h" }));
          const body = bytes(codec.encode(doc, marks).body);
          expect(wellformed(doc.pieces)).toBeNull();
          expect(spanless(codec.segments(body))).toEqual(spanless(codec.segmentsOfDoc(doc)));
          expect(codec.cacheKeyOf(body)).toBe(codec.cacheKeyOfDoc(doc));
        }),
        { numRuns: 150 },
      );
    });
  }

  test("more pieces only add segments behind the old ones", () => {
    fc.assert(
      fc.property(arbitraryDoc("anthropic", "claude-opus-5"), fc.nat(), (doc, cutAt) => {
        const shorter = { ...doc, pieces: doc.pieces.slice(0, cutAt % (doc.pieces.length + 1)) };
        const all = codec.segmentsOfDoc(doc);
        const some = codec.segmentsOfDoc(shorter);
        expect(all.slice(0, some.length)).toEqual(some);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a foreign body is read leniently", () => {
  test("the string shorthand and the list of one text block are the same segment, in messages, system and results", () => {
    const short = cut({
      system: "s",
      messages: [
        { role: "user", content: "hi" },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "r" }] },
      ],
    });
    const long = cut({
      system: [{ type: "text", text: "s" }],
      messages: [
        { role: "user", content: [{ type: "text", text: "hi" }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "r" }] }] },
      ],
    });
    expect(short.map((s) => s.hash)).toEqual(long.map((s) => s.hash));
  });

  test("white space and cache markers do not change a hash, also inside a result", () => {
    const plain = cut(user([{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "r" }] }]));
    const marked = cut(
      '{ "messages" : [ {"role":"user","content":[ { "type":"tool_result", "cache_control" : {"type":"ephemeral"},\n"tool_use_id":"a","content":[{"type":"text","text":"r","cache_control":{"type":"ephemeral","ttl":"1h"}}]} ]}]}',
    );
    expect(marked[0]?.hash).toBe(plain[0]?.hash);
  });

  test("a key named cache_control in a call's input is content and counts", () => {
    const call = (input: unknown) =>
      cut({ messages: [{ role: "assistant", content: [{ type: "tool_use", id: "a", name: "t", input }] }] });
    expect(call({ cache_control: 1 })[0]?.hash).not.toBe(call({})[0]?.hash);
  });

  test("numbers, escapes and the order of keys stay as they were written", () => {
    const [one] = cut('{"messages":[{"role":"user","content":[{"type":"x","n":1.0,"2":1,"1":1}]}]}');
    const [two] = cut('{"messages":[{"role":"user","content":[{"type":"x","n":1,"2":1,"1":1}]}]}');
    const [three] = cut('{"messages":[{"role":"user","content":[{"type":"x","n":1.0,"1":1,"2":1}]}]}');
    expect(new Set([one?.hash, two?.hash, three?.hash]).size).toBe(3);
  });

  test("kinds, roles, call ids and tool names of every block type", () => {
    const body = {
      tools: [
        { name: "T", description: "d", input_schema: {} },
        { type: "web_search_20250305", name: "web_search" },
      ],
      system: [{ type: "text", text: "s" }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "q" },
            { type: "image", source: {} },
            { type: "document", source: {} },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "t", signature: "s" },
            { type: "redacted_thinking", data: "x" },
            { type: "text", text: "" },
            { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
            { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
            { type: "tool_use", id: "a", name: "T", input: { p: 1 } },
            { type: "brand_new", x: 1 },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "a",
              content: [
                { type: "text", text: "r1" },
                { type: "image", source: {} },
                { type: "text", text: "r2" },
              ],
            },
          ],
        },
        { role: "system", content: "operator" },
        { role: "developer", content: null },
      ],
    };
    expect(
      cut(body).map((s) => [s.role, s.kind, s.text === null ? null : s.text.slice(0, 8), s.callId, s.tool]),
    ).toEqual([
      ["tools", "tool", '{"name":', undefined, "T"],
      ["tools", "tool", '{"type":', undefined, "web_search"],
      ["system", "system", "s", undefined, undefined],
      ["user", "text", "q", undefined, undefined],
      ["user", "image", null, undefined, undefined],
      ["user", "document", null, undefined, undefined],
      ["assistant", "reasoning", null, undefined, undefined],
      ["assistant", "reasoning", null, undefined, undefined],
      ["assistant", "text", "", undefined, undefined],
      ["assistant", "other", null, undefined, undefined],
      ["assistant", "other", null, undefined, undefined],
      ["assistant", "tool-call", '{"p":1}', "a", "T"],
      ["assistant", "other", null, undefined, undefined],
      ["user", "tool-result", "r1\nr2", "a", "T"],
      ["system", "text", "operator", undefined, undefined],
    ]);
  });

  test("a deferred tool is rendered where it is first referred to, and not at all before", () => {
    const tools = [
      { name: "A", input_schema: {} },
      { name: "B", input_schema: {}, defer_loading: true },
      { name: "C", input_schema: {}, defer_loading: true },
    ];
    const before = { tools, messages: [{ role: "user", content: "q" }] };
    const after = {
      tools,
      messages: [
        ...before.messages,
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "a", name: "A", input: { x: { type: "tool_reference", tool_name: "C" } } }],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "tool_reference", tool_name: "B" }] }],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "b", content: [{ type: "tool_reference", tool_name: "B" }] }],
        },
      ],
    };
    expect(cut(after).map((s) => s.tool ?? s.kind)).toEqual(["A", "text", "A", "A", "B", "tool-result"]);
    expect(cut(after).slice(0, 2)).toMatchObject(cut(before).map(({ hash }) => ({ hash })));
  });

  test("what a message says besides role and content is part of its first block", () => {
    const system = (extra: object) => cut({ messages: [{ role: "system", content: "s", ...extra }] })[0]?.hash;
    expect(system({ clear_at: "next_user_message" })).not.toBe(system({}));
  });

  test.each([
    ["", "no JSON"],
    ["[1]", "is no JSON object"],
    ['{"messages":{}}', "messages is no list"],
    ['{"messages":[}', "no JSON at byte 13"],
    ['{"messages":[],}', "expected a key"],
  ])("%j is no request and the error says why", (body, why) => {
    expect(() => cut(body)).toThrow(BodyError);
    expect(() => cut(body)).toThrow(why);
  });
});
