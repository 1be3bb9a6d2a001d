import { describe, expect, test } from "vitest";
import { brand } from "../../src/kernel/ids.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { AssistantBlock, Piece, UserBlock } from "../../src/log/block.ts";
import type { ModelChoice } from "../../src/log/entry.ts";
import type { Doc } from "../../src/prompt/doc.ts";
import { geminiCodec as codec } from "../../src/provider/gemini/codec.ts";

const user = (id: string, block: UserBlock): Piece => ({ id, role: "user", kind: "message", block });
const said = (id: string, text: string) => user(id, { type: "text", text });
const part = (id: string, block: AssistantBlock, from: Wire = "gemini"): Piece => ({
  id,
  role: "assistant",
  from,
  block,
});
const call = (id: string, callId: string, wire?: string, from: Wire = "gemini", input = "{}"): Piece =>
  part(
    id,
    { type: "tool-call", callId: brand(callId), tool: "Read", input, ...(wire === undefined ? {} : { wire }) },
    from,
  );
const result = (id: string, callId: string, text: string, isError = false) =>
  user(id, { type: "tool-result", callId: brand(callId), tool: "Read", text, isError });
const image = (id: string) => user(id, { type: "image", mediaType: "image/png", data: "AAAA" });
const reminder = (id: string, text: string): Piece => ({
  id,
  role: "system",
  kind: "reminder",
  block: { type: "text", text },
});
const docOf = (pieces: readonly Piece[], model: Partial<ModelChoice> = {}, rest: Partial<Doc> = {}): Doc => ({
  model: {
    wire: "gemini",
    model: "gemini-4-argon",
    effort: null,
    thinking: "adaptive",
    outputTokensMax: 8000,
    ...model,
  },
  tools: [],
  system: [],
  pieces,
  cacheKey: "k",
  ...rest,
});
const bodyOf = (doc: Doc) => JSON.parse(codec.encode(doc, []).body);
const contentsOf = (pieces: readonly Piece[], model: Partial<ModelChoice> = {}) =>
  bodyOf(docOf(pieces, model)).contents;
const dummy = "skip_thought_signature_validator";

describe("generateContent", () => {
  test("the golden bytes of a small request; the model stands in the address", () => {
    const pieces = [
      said("1.0", "é😀"),
      part("2.0", { type: "text", text: "hi", wire: '{"text":"hi"}' }),
      said("3.0", "go"),
    ];
    const rest = {
      tools: [{ name: "Read", description: "d", inputSchema: '{"type":"object"}' }],
      system: [
        { name: "a", scope: "global" as const, text: "one" },
        { name: "b", scope: "session" as const, text: "two" },
      ],
    };
    const request = codec.encode(docOf(pieces, { effort: "max" }, rest), []);
    expect(request).toEqual({
      wire: "gemini",
      model: "gemini-4-argon",
      headers: {},
      body: '{"systemInstruction":{"parts":[{"text":"one"},{"text":"two"}]},"tools":[{"functionDeclarations":[{"name":"Read","description":"d","parametersJsonSchema":{"type":"object"}}]}],"generationConfig":{"maxOutputTokens":8000,"thinkingConfig":{"thinkingLevel":"high","includeThoughts":true}},"contents":[{"role":"user","parts":[{"text":"é😀"}]},{"role":"model","parts":[{"text":"hi"}]},{"role":"user","parts":[{"text":"go"}]}]}',
    });
    expect(codec.encode(docOf(pieces, { effort: "max" }, rest), []).body).toBe(request.body);
  });

  test("C-027 · results in call order, then images, then the user's text, in the one content behind the calls", () => {
    const pieces = [
      said("1.0", "q"),
      call("2.0", "a", '{"functionCall":{"id":"a","name":"Read","args":{}},"thoughtSignature":"S"}'),
      call("2.1", "b", '{"functionCall":{"id":"b","name":"Read","args":{}}}'),
      call("2.2", "c", '{"functionCall":{"name":"Read","args":{}}}'),
      result("3.0", "a", "x"),
      result("3.1", "b", ""),
      result("3.2", "c", "not run", true),
      image("3.3"),
      reminder("3.4", "mode"),
      said("4.0", "hurry"),
    ];
    const contents = contentsOf(pieces);
    expect(contents.length).toBe(3);
    expect(contents[2]).toEqual({
      role: "user",
      parts: [
        { functionResponse: { id: "a", name: "Read", response: { output: "x" } } },
        { functionResponse: { id: "b", name: "Read", response: { output: "(no output)" } } },
        { functionResponse: { name: "Read", response: { error: "not run" } } },
        { inlineData: { mimeType: "image/png", data: "AAAA" } },
        { text: "<system-reminder>\nmode\n</system-reminder>" },
        { text: "hurry" },
      ],
    });
  });

  test("C-025 · parts of this wire go back byte for byte; of other wires no reasoning, signature or unknown block", () => {
    const wires = [
      '{"text":"t","thought":true}',
      '{"text":"a"}',
      '{"text":"","thoughtSignature":"S0"}',
      '{"executableCode":{"code":"1"}, "b":1.0}',
      '{"thoughtSignature":"S1","functionCall":{"name":"Read","args":{"b":1,"a":2}}}',
    ];
    const pieces = [
      said("1.0", "q"),
      part("2.0", { type: "reasoning", text: "t", wire: wires[0] ?? "" }),
      part("2.1", { type: "text", text: "a", wire: wires[1] ?? "" }),
      part("2.2", { type: "text", text: "", wire: wires[2] ?? "" }),
      part("2.3", { type: "opaque", wire: wires[3] ?? "" }),
      call("2.4", "made_1", wires[4]),
      result("3.0", "made_1", "r"),
    ];
    const { body } = codec.encode(docOf(pieces), []);
    expect(body).toContain(`{"role":"model","parts":[${wires.join(",")}]}`);
    expect(body).not.toContain("made_1");
    const other = pieces.map((piece) =>
      piece.role === "assistant" ? { ...piece, from: "anthropic" as const } : piece,
    );
    const foreign = codec.encode(docOf(other), []).body;
    expect(foreign).not.toMatch(/S0|S1|thought":|executableCode/);
    expect(JSON.parse(foreign).contents[1]).toEqual({
      role: "model",
      parts: [{ text: "a" }, { functionCall: { name: "Read", args: {} }, thoughtSignature: dummy }],
    });
  });

  test("C-023 · a call's own name and id are those its answer names, whatever we call it", () => {
    const pieces = [
      said("1.0", "q"),
      call("2.0", "ours", '{"functionCall":{"name":"default_api:Read","args":{}},"thoughtSignature":"S"}'),
      call("2.1", "theirs", '{"function_call":{"id":"theirs","name":"Read"}}'),
      call("2.2", "x", undefined, "chat", "[1]"),
      result("3.0", "ours", "1"),
      result("3.1", "theirs", "2"),
      result("3.2", "x", "3"),
    ];
    expect(contentsOf(pieces)[2].parts.map((one: { functionResponse: object }) => one.functionResponse)).toEqual([
      { name: "default_api:Read", response: { output: "1" } },
      { id: "theirs", name: "Read", response: { output: "2" } },
      { name: "Read", response: { output: "3" } },
    ]);
    expect(contentsOf(pieces)[1].parts[2]).toEqual({ functionCall: { name: "Read", args: {} } });
  });

  describe("the documented dummy signature", () => {
    const signed = '{"functionCall":{"name":"Read","args":{}},"thoughtSignature":"S"}';
    const bare = '{"functionCall":{"name":"Read","args":{}}}';
    const steps = (first: string | undefined, second: string | undefined, from: Wire = "gemini") => [
      said("1.0", "q"),
      call("2.0", "a", first, from),
      call("2.1", "b", second, from),
      result("3.0", "a", "x"),
      result("3.1", "b", "y"),
      call("4.0", "c", first, from),
      result("5.0", "c", "z"),
    ];
    const signatures = (pieces: readonly Piece[], model = "gemini-4-argon") =>
      contentsOf(pieces, { model }).flatMap(
        (content: { parts: { functionCall?: object; thoughtSignature?: string }[] }) =>
          content.parts.flatMap((one) => (one.functionCall === undefined ? [] : [one.thoughtSignature ?? null])),
      );

    test("stands on the first call of each step that has none, of calls by other wires too", () => {
      expect(signatures(steps(undefined, undefined, "anthropic"))).toEqual([dummy, null, dummy]);
      expect(signatures(steps(undefined, undefined))).toEqual([dummy, null, dummy]);
      expect(signatures(steps(bare, bare))).toEqual([dummy, null, dummy]);
      expect(signatures(steps('{"functionCall":{"name":"Read"},"thoughtSignature":""}', bare))).toEqual([
        dummy,
        null,
        dummy,
      ]);
    });

    test("never stands over a real one", () => {
      expect(signatures(steps(signed, bare))).toEqual(["S", null, "S"]);
      expect(signatures(steps(signed, signed))).toEqual(["S", "S", "S"]);
    });

    test("also where damage tore the calls of one answer apart", () => {
      const pieces = [
        said("1.0", "q"),
        call("2.0", "a", signed),
        result("2.0.lost", "a", "x", true),
        said("1.1", "between"),
        call("2.1", "b", bare),
        result("3.0", "b", "y"),
      ];
      expect(signatures(pieces)).toEqual(["S", dummy]);
    });

    test.each([
      ["gemini-3.1-pro-preview", true],
      ["gemini-3.5-flash", true],
      ["gemini-flash-latest", true],
      ["models/gemini-4-neon", true],
      ["gemini-2.5-flash", false],
    ])("%s needs one: %s", (model, needed) => {
      expect(signatures(steps(undefined, undefined), model)).toEqual(
        needed ? [dummy, null, dummy] : [null, null, null],
      );
    });
  });

  test.each([
    ["gemini-4-argon", "adaptive", null, { includeThoughts: true }],
    ["gemini-4-argon", "adaptive", "xhigh", { thinkingLevel: "high", includeThoughts: true }],
    ["gemini-3.5-flash", "off", null, { thinkingLevel: "low" }],
    ["gemini-3.5-flash", { budgetTokens: 2000 }, "medium", { thinkingLevel: "medium", includeThoughts: true }],
    ["gemini-2.5-flash", { budgetTokens: 2000 }, "medium", { thinkingBudget: 2000, includeThoughts: true }],
    ["gemini-2.5-flash", { budgetTokens: 90_000 }, null, { thinkingBudget: 7999, includeThoughts: true }],
    ["gemini-2.5-flash", "adaptive", "low", { thinkingBudget: -1, includeThoughts: true }],
    ["gemini-2.5-flash", "off", null, { thinkingBudget: 0 }],
    ["gemini-2.5-pro", "off", null, { thinkingBudget: 128 }],
    ["gemini-2.0-flash", "adaptive", "low", undefined],
    ["gemini-flash-latest", "off", null, undefined],
  ] as const)("thinking of %s set to %j with effort %s", (model, thinking, effort, want) => {
    const { generationConfig } = bodyOf(docOf([said("1.0", "q")], { model, thinking, effort }));
    expect(generationConfig).toEqual({
      maxOutputTokens: 8000,
      ...(want === undefined ? {} : { thinkingConfig: want }),
    });
  });

  test("law 4 · no empty text of ours is sent, names become legal, half surrogate pairs U+FFFD", () => {
    const pieces = [
      said("1.0", " \n"),
      said("1.1", "a\ud83d"),
      reminder("1.2", ""),
      part("2.0", { type: "text", text: " " }, "chat"),
      part("2.1", { type: "tool-call", callId: brand("a"), tool: "1 tool/é", input: '{"x":"\\ud83d"}' }, "chat"),
      result("3.0", "a", "\udc00b"),
    ];
    const { body } = codec.encode(docOf(pieces), []);
    expect(body.isWellFormed()).toBe(true);
    expect(body).not.toMatch(/\\ud[89a-f]/i);
    const [first, second, third] = JSON.parse(body).contents;
    expect(first.parts).toEqual([{ text: "a\ufffd" }]);
    expect(second.parts.map((one: { functionCall: { name: string } }) => one.functionCall.name)).toEqual(["_1_tool__"]);
    expect(third.parts[0].functionResponse).toEqual({ name: "_1_tool__", response: { output: "\ufffdb" } });
  });

  test("C-041 · what was sent once keeps its bytes when the conversation grows", () => {
    const pieces = [
      said("1.0", "q"),
      call("2.0", "a", undefined, "chat"),
      result("3.0", "a", "x"),
      said("4.0", "and"),
      call("5.0", "b", '{"functionCall":{"name":"Read","args":{}},"thoughtSignature":"S"}'),
      result("6.0", "b", "y"),
    ];
    const some = codec.encode(docOf(pieces.slice(0, 4)), []).body;
    expect(codec.encode(docOf(pieces), []).body.startsWith(some.slice(0, -"]}".length))).toBe(true);
  });
});
