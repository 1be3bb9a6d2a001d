import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Segment } from "../../src/prompt/segment.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { BodyError } from "../../src/provider/body-error.ts";
import { geminiCodec as codec } from "../../src/provider/gemini/codec.ts";
import { arbitraryDoc } from "../support/arbitrary-doc.ts";

const bytes = (body: unknown) => new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
const cut = (body: unknown) => codec.segments(bytes(body));
const spanless = (segments: readonly Segment[]) => segments.map((s) => ({ ...s, span: null, textSpans: null }));
const hashes = (body: unknown) => cut(body).map(({ hash }) => hash);

describe("law 2 · a document and its bytes have the same segments", () => {
  for (const model of ["gemini-4-argon", "gemini-2.5-pro", "gemini-flash-latest"]) {
    test(`on random documents of ${model}`, () => {
      fc.assert(
        fc.property(arbitraryDoc("gemini", model), (doc) => {
          const request = codec.encode(doc, []);
          const body = bytes(request.body);
          expect(request.model).toBe(model);
          expect(wellformed(doc.pieces)).toBeNull();
          expect(spanless(codec.segments(body))).toEqual(spanless(codec.segmentsOfDoc(doc)));
          expect(codec.cacheKeyOf(body, request.model)).toBe(codec.cacheKeyOfDoc(doc));
        }),
        { numRuns: 150 },
      );
    });
  }

  test("more rounds only add segments behind the old ones", () => {
    fc.assert(
      fc.property(arbitraryDoc("gemini", "gemini-4-argon"), fc.nat(), (doc, at) => {
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
  test("roles, kinds, call ids and tool names, as gemini-cli writes them", () => {
    const body = {
      systemInstruction: { role: "user", parts: [{ text: "s" }] },
      tools: [
        {
          functionDeclarations: [
            { name: "read_file", description: "d", parametersJsonSchema: { type: "object" } },
            { name: "glob", parameters: { type: "OBJECT" } },
          ],
        },
        { googleSearch: {} },
      ],
      toolConfig: { functionCallingConfig: { mode: "AUTO" } },
      generationConfig: { temperature: 0, thinkingConfig: { includeThoughts: true } },
      contents: [
        { role: "user", parts: [{ text: "q" }, { inlineData: { mimeType: "image/png", data: "AA" } }] },
        {
          role: "model",
          parts: [
            { text: "t", thought: true },
            { text: "a" },
            { functionCall: { name: "read_file", args: { p: 1 } }, thoughtSignature: "S" },
            { functionCall: { name: "glob", args: {} } },
            { functionCall: { name: "read_file", args: {}, id: "own" } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "read_file", response: { output: "x" } } },
            { functionResponse: { name: "glob", response: { error: "no" } } },
            { functionResponse: { name: "read_file", id: "own", response: { lines: [1, 2] } } },
          ],
        },
        { role: "model", parts: [{ executableCode: { code: "1" } }] },
        { parts: [{ fileData: { mimeType: "application/pdf", fileUri: "u" } }, { text: "" }] },
      ],
    };
    expect(cut(body).map((s) => [s.role, s.kind, s.kind === "tool" ? "" : s.text, s.callId, s.tool])).toEqual([
      ["tools", "tool", "", undefined, "read_file"],
      ["tools", "tool", "", undefined, "glob"],
      ["tools", "tool", "", undefined, "googleSearch"],
      ["system", "system", "s", undefined, undefined],
      ["user", "text", "q", undefined, undefined],
      ["user", "image", null, undefined, undefined],
      ["assistant", "reasoning", null, undefined, undefined],
      ["assistant", "text", "a", undefined, undefined],
      ["assistant", "tool-call", '{"p":1}', "unnamed_0", "read_file"],
      ["assistant", "tool-call", "{}", "unnamed_1", "glob"],
      ["assistant", "tool-call", "{}", "own", "read_file"],
      ["user", "tool-result", "x", "unnamed_0", "read_file"],
      ["user", "tool-result", "no", "unnamed_1", "glob"],
      ["user", "tool-result", '{"lines":[1,2]}', "own", "read_file"],
      ["assistant", "other", null, undefined, undefined],
      ["user", "document", null, undefined, undefined],
      ["user", "text", "", undefined, undefined],
    ]);
  });

  test("an explicit cache is one opaque segment before everything else (PROTOCOLS C.1)", () => {
    const body = { contents: [{ role: "user", parts: [{ text: "q" }] }], cachedContent: "cachedContents/abc" };
    const [first, ...others] = cut(body);
    expect(first).toMatchObject({ kind: "other", role: "system", text: null, textSpans: [] });
    expect(others.map(({ text }) => text)).toEqual(["q"]);
    expect(hashes(body)[0]).not.toBe(hashes({ ...body, cachedContent: "cachedContents/abd" })[0]);
    expect(hashes({ ...body, cachedContent: null }).length).toBe(1);
  });

  test("both spellings of a name are read, and a system instruction in any shape", () => {
    const snake = {
      system_instruction: { parts: [{ text: "s" }] },
      cached_content: "cachedContents/x",
      tools: [{ function_declarations: [{ name: "t", parameters_json_schema: {} }] }],
      generation_config: { thinking_config: { thinking_budget: 0 } },
      contents: [
        { role: "user", parts: [{ inline_data: { mime_type: "image/png", data: "AA" } }] },
        { role: "model", parts: [{ function_call: { name: "t", args: {} }, thought_signature: "S" }] },
        { role: "user", parts: [{ function_response: { name: "t", response: { output: "o" } } }] },
      ],
    };
    expect(cut(snake).map((s) => [s.kind, s.tool, s.callId])).toEqual([
      ["other", undefined, undefined],
      ["tool", "t", undefined],
      ["system", undefined, undefined],
      ["image", undefined, undefined],
      ["tool-call", "t", "unnamed_0"],
      ["tool-result", "t", "unnamed_0"],
    ]);
    for (const systemInstruction of ["s", { parts: [{ text: "s" }] }, { text: "s" }, [{ text: "s" }], { parts: "s" }])
      expect(cut({ systemInstruction, contents: [] }).map(({ kind, text }) => [kind, text])).toEqual([["system", "s"]]);
    expect(codec.decodeForeign(bytes(snake), "gemini-2.5-flash").model).toEqual({
      wire: "gemini",
      model: "gemini-2.5-flash",
      effort: null,
      thinking: "off",
      outputTokensMax: 0,
    });
  });

  test("what we encoded comes back as a document with the same segments and the same key", () => {
    fc.assert(
      fc.property(arbitraryDoc("gemini", "gemini-4-argon"), (doc) => {
        const request = codec.encode(doc, []);
        const again = codec.decodeForeign(bytes(request.body), request.model);
        const before = codec.segmentsOfDoc(doc).map((s) => s.hash);
        expect(codec.segmentsOfDoc(again).map((s) => s.hash)).toEqual(before);
        expect(codec.cacheKeyOfDoc(again)).toBe(codec.cacheKeyOfDoc(doc));
      }),
      { numRuns: 100 },
    );
  });

  test("a document of a foreign body says the same: parts keep their bytes, failures are failures, calls find their answers", () => {
    const body =
      '{"model":"models/m","cachedContent":"cachedContents/c","systemInstruction":"s","tools":[{"functionDeclarations":[{"name":"T","description":"d","parametersJsonSchema":{"type":"object"}}]},{"googleSearch":{}}],' +
      '"generationConfig":{"maxOutputTokens":5,"thinkingConfig":{"thinkingLevel":"HIGH","includeThoughts":true}},"contents":[' +
      '{"role":"user","parts":[{"text":"q"},{"fileData":{"fileUri":"u"}}]},' +
      '{"role":"model","parts":[{"thought":true,"text":"r"},{"functionCall":{"name":"T","args":{"b":1.0,"a":2}} ,"thoughtSignature":"S"},{"odd":1}]},' +
      '{"role":"user","parts":[{"text":"between"},{"functionResponse":{"name":"T","response":{"error":"no"}}},{"inlineData":{"mimeType":"image/png","data":"AA"}}]}]}';
    const doc = codec.decodeForeign(bytes(body));
    expect(doc.model).toEqual({
      wire: "gemini",
      model: "models/m",
      effort: "high",
      thinking: "adaptive",
      outputTokensMax: 5,
    });
    expect(doc.system.map(({ text }) => text)).toEqual(["(what the explicit cache cachedContents/c holds)", "s"]);
    expect(doc.tools.map(({ name, inputSchema }) => [name, inputSchema])).toEqual([
      ["T", '{"type":"object"}'],
      ["googleSearch", "{}"],
    ]);
    expect(doc.pieces.map(({ role, block }) => [role, block])).toEqual([
      ["user", { type: "text", text: "q" }],
      ["user", { type: "text", text: '{"fileData":{"fileUri":"u"}}' }],
      ["assistant", { type: "reasoning", text: "r", wire: '{"thought":true,"text":"r"}' }],
      [
        "assistant",
        {
          type: "tool-call",
          callId: "unnamed_0",
          tool: "T",
          input: '{"b":1.0,"a":2}',
          wire: '{"functionCall":{"name":"T","args":{"b":1.0,"a":2}},"thoughtSignature":"S"}',
        },
      ],
      ["assistant", { type: "opaque", wire: '{"odd":1}' }],
      ["user", { type: "tool-result", callId: "unnamed_0", tool: "T", text: "no", isError: true }],
      ["user", { type: "text", text: "between" }],
      ["user", { type: "image", mediaType: "image/png", data: "AA" }],
    ]);
  });

  test("hashes see what the model sees, not white space", () => {
    const content = (part: object) => ({ contents: [{ role: "user", parts: [part] }] });
    expect(hashes(JSON.stringify(content({ text: "a" }), null, 2))).toEqual(hashes(content({ text: "a" })));
    expect(hashes({ systemInstruction: "s", contents: [] })).toEqual(
      hashes({ systemInstruction: { parts: [{ text: "s" }] }, contents: [] }),
    );
    expect(hashes({ contents: [{ role: "user", parts: [{ text: "a" }], extra: 1 }] })).not.toEqual(
      hashes(content({ text: "a" })),
    );
    expect(hashes({ contents: [{ role: "model", parts: [{ text: "a" }] }] })).not.toEqual(
      hashes(content({ text: "a" })),
    );
  });

  test.each([
    ["[]", "the body"],
    ["{", "the body"],
    ['{"messages":[]}', "contents"],
    ['{"contents":"x"}', "contents"],
  ])("%s is no request, and the error says where", (body, where) => {
    expect(() => cut(body)).toThrow(BodyError);
    expect(() => cut(body)).toThrow(where);
  });
});

describe("the cache key", () => {
  const key = (body: object, model?: string) => codec.cacheKeyOf(bytes({ contents: [], ...body }), model);

  test("names the model of the address, or of a body that says it", () => {
    expect(key({}, "gemini-4-argon")).not.toBe(key({}, "gemini-4-neon"));
    expect(key({ model: "gemini-4-argon" })).toBe(key({}, "gemini-4-argon"));
    expect(key({})).toBe("{}");
  });

  test("moves with thinking, tool choice and response format, not with sampling, limits or text", () => {
    const base = { generationConfig: { maxOutputTokens: 9, temperature: 1 } };
    expect(key(base)).toBe(key({ contents: [{ parts: [{ text: "x" }] }] }));
    const others = [
      { generationConfig: { thinkingConfig: { thinkingLevel: "low" } } },
      { generation_config: { thinking_config: { thinkingLevel: "high" } } },
      { generationConfig: { responseMimeType: "application/json" } },
      { toolConfig: { functionCallingConfig: { mode: "ANY" } } },
    ];
    expect(new Set([base, ...others].map((body) => key(body))).size).toBe(5);
  });
});
