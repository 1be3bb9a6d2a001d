import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import { apply } from "../../src/prompt/apply.ts";
import { chainHashes } from "../../src/prompt/chain.ts";
import type { Edit } from "../../src/prompt/segment.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { foreignAnthropic, foreignChat, foreignGemini, foreignResponses, oddJson } from "../support/arbitrary-body.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const bodies: readonly (readonly [Wire, fc.Arbitrary<unknown>])[] = [
  ["anthropic", foreignAnthropic],
  ["chat", foreignChat],
  ["responses", foreignResponses],
  ["gemini", foreignGemini],
];

describe.each(bodies)("apply on random %s bodies with odd white space, escapes, emoji and CJK", (wire, arbitrary) => {
  const { segments: cut } = codecFor(wire);
  const arbitraryBody = fc.tuple(arbitrary, fc.nat()).map(([value, seed]) => bytes(oddJson(value, seed)));

  test("every segment replaced by its own bytes gives the same bytes", () => {
    fc.assert(
      fc.property(arbitraryBody, (body) => {
        const segments = cut(body);
        const edits = segments.map(
          ({ id, span }): Edit => ({ type: "bytes", segment: id, bytes: body.slice(...span) }),
        );
        expect(apply(body, segments, edits)).toEqual(body);
      }),
      { numRuns: 200 },
    );
  });

  test("a text edit changes only its span, the rest keeps its hashes, and the text reads back as it was given", () => {
    fc.assert(
      fc.property(
        arbitraryBody,
        fc.nat(),
        fc.constantFrom("short", "新しい😀", 'q"\\\n', "\ud83d half"),
        (body, at, text) => {
          const segments = cut(body);
          const editable = segments.filter((segment) => segment.textSpans.length > 0);
          const target = editable[at % Math.max(1, editable.length)];
          if (target === undefined) return;
          const edited = apply(body, segments, [{ type: "text", segment: target.id, text }]);
          const [from, to] = target.span;
          const tail = body.length - to;
          expect(edited.slice(0, from)).toEqual(body.slice(0, from));
          expect(edited.slice(edited.length - tail)).toEqual(body.slice(to));
          const after = cut(edited);
          expect(after.map((s) => s.hash).filter((_, i) => i !== target.id)).toEqual(
            segments.map((s) => s.hash).filter((_, i) => i !== target.id),
          );
          expect(after[target.id]).toMatchObject({ text: text.toWellFormed(), kind: target.kind, role: target.role });
        },
      ),
      { numRuns: 300 },
    );
  });

  test("a hash does not depend on white space", () => {
    fc.assert(
      fc.property(arbitrary, (value) => {
        const dense = cut(bytes(JSON.stringify(value)));
        const wide = cut(bytes(JSON.stringify(value, null, 2)));
        expect(wide.map((s) => s.hash)).toEqual(dense.map((s) => s.hash));
        expect(chainHashes(wide)).toEqual(chainHashes(dense));
      }),
      { numRuns: 100 },
    );
  });
});

describe("apply", () => {
  const { segments: cut } = codecFor("anthropic");
  const body = bytes(
    '{"messages":[{"role":"user","content":[ {"type":"tool_result","tool_use_id":"a","content":[{"text":"one","type":"text"}, {"type":"image","source":{}} ,{"type":"text","text":"two","cache_control":{}}]}, {"type":"text","text":"x"}]}]}',
  );
  const segments = cut(body);
  const text = (edited: Uint8Array) => new TextDecoder().decode(edited);

  test("several texts of one result become one; an image between them stays", () => {
    const edited = text(apply(body, segments, [{ type: "text", segment: 0, text: "new" }]));
    expect(edited).toBe(
      '{"messages":[{"role":"user","content":[ {"type":"tool_result","tool_use_id":"a","content":[{"text":"new","type":"text"}, {"type":"image","source":{}}]}, {"type":"text","text":"x"}]}]}',
    );
  });

  test("several edits at once, in any order", () => {
    const edits: readonly Edit[] = [
      { type: "bytes", segment: 1, bytes: bytes('{"type":"text","text":"y"}') },
      { type: "text", segment: 0, text: "new" },
    ];
    expect(text(apply(body, segments, edits))).toContain(
      '"new","type":"text"}, {"type":"image","source":{}}]}, {"type":"text","text":"y"}]}]}',
    );
    expect(apply(body, segments, edits.toReversed())).toEqual(apply(body, segments, edits));
    expect(apply(body, segments, [])).toEqual(body);
  });

  test("an unknown segment, the same one twice, and a text for what has none are refused by name", () => {
    expect(() => apply(body, segments, [{ type: "text", segment: 9, text: "x" }])).toThrow("no segment 9 among 2");
    const twice: Edit = { type: "text", segment: 1, text: "x" };
    expect(() => apply(body, segments, [twice, twice])).toThrow("segment 1 overlaps");
    const image = bytes('{"messages":[{"role":"user","content":[{"type":"image","source":{}}]}]}');
    expect(() => apply(image, cut(image), [{ type: "text", segment: 0, text: "x" }])).toThrow(
      "segment 0 (image) holds no text",
    );
  });

  test("a segment of another body is refused where it ends behind this one", () => {
    expect(() => apply(body.slice(0, 40), segments, [{ type: "bytes", segment: 1, bytes: bytes("") }])).toThrow(
      "ends behind the body's 40 bytes",
    );
  });
});
