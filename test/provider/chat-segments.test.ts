import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Segment } from "../../src/prompt/segment.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { BodyError } from "../../src/provider/body-error.ts";
import { chatCodec as codec } from "../../src/provider/chat/codec.ts";
import { arbitraryDoc } from "../support/arbitrary-doc.ts";

const bytes = (body: unknown) => new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
const cut = (body: unknown) => codec.segments(bytes(body));
const spanless = (segments: readonly Segment[]) => segments.map((s) => ({ ...s, span: null, textSpans: null }));

describe("law 2 · a document and its bytes have the same segments", () => {
  for (const model of ["gpt-5.5", "qwen3:8b", "deepseek-chat"]) {
    test(`on random documents of ${model}`, () => {
      fc.assert(
        fc.property(arbitraryDoc("chat", model), (doc) => {
          const body = bytes(codec.encode(doc, []).body);
          expect(wellformed(doc.pieces)).toBeNull();
          expect(spanless(codec.segments(body))).toEqual(spanless(codec.segmentsOfDoc(doc)));
          expect(codec.cacheKeyOf(body)).toBe(codec.cacheKeyOfDoc(doc));
        }),
        { numRuns: 150 },
      );
    });
  }

  test("more rounds only add segments behind the old ones", () => {
    fc.assert(
      fc.property(arbitraryDoc("chat", "gpt-5.5"), fc.nat(), (doc, at) => {
        const ends = doc.pieces.flatMap((piece, index) =>
          piece.role === "user" && doc.pieces[index + 1]?.role !== "user" ? [index + 1] : [],
        );
        const shorter = { ...doc, pieces: doc.pieces.slice(0, ends[at % ends.length]) };
        const some = codec.segmentsOfDoc(shorter);
        expect(codec.segmentsOfDoc(doc).slice(0, some.length)).toEqual(some);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a foreign body is read leniently", () => {
  test("roles, kinds, call ids and tool names", () => {
    const body = {
      tools: [{ type: "function", function: { name: "T", parameters: {} } }],
      functions: [{ name: "F" }],
      messages: [
        { role: "system", content: "s" },
        { role: "developer", content: [{ type: "text", text: "d" }] },
        {
          role: "user",
          content: [
            { type: "text", text: "q" },
            { type: "image_url", image_url: { url: "u" } },
            { type: "input_audio", input_audio: {} },
            { type: "file", file: {} },
          ],
        },
        {
          role: "assistant",
          reasoning_content: "r",
          content: "",
          tool_calls: [{ id: "a", type: "function", function: { name: "T", arguments: '{"p":1}' } }],
        },
        {
          role: "tool",
          tool_call_id: "a",
          content: [
            { type: "text", text: "x" },
            { type: "text", text: "y" },
          ],
        },
        { role: "assistant", content: null, refusal: "no", function_call: { name: "F", arguments: "{}" } },
        { role: "function", name: "F", content: "out" },
        { role: "system", content: "late" },
        { role: "user", content: "" },
      ],
    };
    expect(cut(body).map((s) => [s.role, s.kind, s.kind === "tool" ? "" : s.text, s.callId, s.tool])).toEqual([
      ["tools", "tool", "", undefined, "T"],
      ["tools", "tool", "", undefined, "F"],
      ["system", "system", "s", undefined, undefined],
      ["system", "system", "d", undefined, undefined],
      ["user", "text", "q", undefined, undefined],
      ["user", "image", null, undefined, undefined],
      ["user", "other", null, undefined, undefined],
      ["user", "document", null, undefined, undefined],
      ["assistant", "reasoning", null, undefined, undefined],
      ["assistant", "tool-call", '{"p":1}', "a", "T"],
      ["user", "tool-result", "x\ny", "a", "T"],
      ["assistant", "text", "no", undefined, undefined],
      ["assistant", "tool-call", "{}", undefined, "F"],
      ["user", "tool-result", "out", undefined, "F"],
      ["system", "text", "late", undefined, undefined],
    ]);
  });

  test("string and one-part list are the same segment", () => {
    const short = cut({
      messages: [
        { role: "user", content: "q" },
        { role: "tool", tool_call_id: "a", content: "r" },
      ],
    });
    const long = cut({
      messages: [
        { role: "user", content: [{ type: "text", text: "q" }] },
        { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "r" }] },
      ],
    });
    expect(short.map((s) => s.hash)).toEqual(long.map((s) => s.hash));
  });

  test("what is no request is refused with its path", () => {
    expect(() => cut('{"model":"m"}')).toThrow(BodyError);
    expect(() => cut('{"model":"m"}')).toThrow("messages is no list");
  });
});
