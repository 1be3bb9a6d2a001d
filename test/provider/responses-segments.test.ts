import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Segment } from "../../src/prompt/segment.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { BodyError } from "../../src/provider/body-error.ts";
import { responsesCodec as codec } from "../../src/provider/responses/codec.ts";
import { arbitraryDoc } from "../support/arbitrary-doc.ts";

const bytes = (body: unknown) => new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
const cut = (body: unknown) => codec.segments(bytes(body));
const hashes = (segments: readonly Segment[]) => segments.map((s) => s.hash);
const spanless = (segments: readonly Segment[]) => segments.map((s) => ({ ...s, span: null, textSpans: null }));

describe("law 2 · a document and its bytes have the same segments", () => {
  for (const model of ["gpt-6.2-sol", "gpt-5.4", "gpt-oss-120b"]) {
    test(`on random documents of ${model}`, () => {
      fc.assert(
        fc.property(arbitraryDoc("responses", model), (doc) => {
          const segments = codec.segmentsOfDoc(doc);
          const globals = doc.system.filter(({ scope }) => scope === "global").length;
          const where = { model, previous: [], taken: 0, globalSegments: doc.tools.length + globals };
          const body = bytes(codec.encode(doc, codec.placeMarks(segments, where)).body);
          expect(wellformed(doc.pieces)).toBeNull();
          expect(spanless(codec.segments(body))).toEqual(spanless(segments));
          expect(codec.cacheKeyOf(body)).toBe(codec.cacheKeyOfDoc(doc));
        }),
        { numRuns: 150 },
      );
    });
  }

  test("more rounds only add segments behind the old ones", () => {
    fc.assert(
      fc.property(arbitraryDoc("responses", "gpt-5.6-sol"), fc.nat(), (doc, at) => {
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

  test("a long conversation is rendered from what was made before: the same objects, not equal ones", () => {
    const [doc] = fc.sample(arbitraryDoc("responses", "gpt-5.6-sol"), { numRuns: 1, seed: 3 });
    if (doc === undefined) throw new Error("no sample");
    const first = codec.segmentsOfDoc(doc).map(({ textSpans }) => textSpans);
    expect(codec.segmentsOfDoc(doc).every((segment, at) => segment.textSpans === first[at])).toBe(true);
  });
});

/** As codex sends it: tools inside the input, custom tools, calls of other kinds, a compaction, instructions on top. */
const codex = (model: string) => ({
  model,
  instructions: "You are a coding agent.",
  input: [
    {
      type: "additional_tools",
      role: "developer",
      tools: [
        { type: "function", name: "exec", description: "d", parameters: { type: "object" }, strict: false },
        { type: "custom", name: "apply_patch", description: "patch", format: { type: "grammar" } },
        {
          type: "namespace",
          name: "crm",
          description: "c",
          tools: [
            { type: "function", name: "find" },
            { type: "function", name: "rare", defer_loading: true },
          ],
        },
        { type: "web_search" },
      ],
    },
    { type: "message", role: "developer", content: [{ type: "input_text", text: "rules" }] },
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "q" },
        { type: "input_image", image_url: "data:image/png;base64,AA" },
        { type: "input_file", file_id: "f" },
        { type: "input_new" },
      ],
    },
    { type: "reasoning", summary: [], encrypted_content: "enc" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "ok" }], phase: "commentary" },
    { type: "custom_tool_call", call_id: "c1", name: "apply_patch", input: "*** Begin" },
    { type: "custom_tool_call_output", call_id: "c1", output: "Done" },
    { type: "local_shell_call", call_id: "c2", status: "completed", action: { type: "exec", command: ["ls"] } },
    {
      type: "function_call_output",
      call_id: "c2",
      output: [
        { type: "input_text", text: "a" },
        { type: "input_text", text: "b" },
      ],
    },
    { type: "web_search_call", id: "ws", status: "completed", action: { type: "search" } },
    { type: "configuration_update", reasoning: { effort: "high" } },
    { type: "compaction", encrypted_content: "zip" },
    { role: "developer", content: "late" },
    { role: "user", content: "go" },
    { type: "compaction_trigger" },
  ],
});

describe("a foreign body is read leniently", () => {
  const input = [
    ["tools", "tool", "exec"],
    ["tools", "tool", "apply_patch"],
    ["tools", "tool", "crm"],
    ["tools", "tool", "web_search"],
    ["system", "system", "rules"],
    ["user", "text", "q"],
    ["user", "image", null],
    ["user", "document", null],
    ["user", "other", null],
    ["assistant", "reasoning", null],
    ["assistant", "text", "ok"],
    ["assistant", "tool-call", "*** Begin"],
    ["user", "tool-result", "Done"],
    ["assistant", "tool-call", '{"type":"exec","command":["ls"]}'],
    ["user", "tool-result", "a\nb"],
    ["assistant", "other", null],
    ["system", "other", null],
    ["assistant", "other", null],
    ["system", "text", "late"],
    ["user", "text", "go"],
    // The trigger asks for something and is not rendered.
  ];
  const instructions = ["system", "system", "You are a coding agent."];
  const seen = (model: string) => cut(codex(model)).map((s) => [s.role, s.kind, s.kind === "tool" ? s.tool : s.text]);

  test("every kind of item that codex sends; instructions stand in front", () => {
    expect(seen("gpt-6.1-sol")).toEqual([instructions, ...input]);
  });

  test("B.3 · for models from 6.2 on instructions are of one turn and stand behind the input", () => {
    expect(seen("gpt-6.2-sol")).toEqual([...input, instructions]);
  });

  test("results know the tool that was called", () => {
    const results = cut(codex("m")).filter(({ kind }) => kind === "tool-result");
    expect(results.map(({ callId, tool }) => [callId, tool])).toEqual([
      ["c1", "apply_patch"],
      ["c2", "local_shell_call"],
    ]);
  });

  test("a deferred tool of a namespace is not seen", () => {
    expect(JSON.stringify(cut(codex("m")))).not.toContain("rare");
  });

  test("one text, an easy message and a message in full are the same segment", () => {
    const full = { type: "message", role: "user", content: [{ type: "input_text", text: "q" }] };
    const forms = ["q", [{ role: "user", content: "q" }], [full], [{ ...full, id: "msg_1", status: "completed" }]];
    expect(new Set(forms.map((form) => hashes(cut({ input: form })).join())).size).toBe(1);
    const said = { type: "message", role: "assistant", id: "m", status: "completed" };
    const content = [{ type: "output_text", text: "x", annotations: [], logprobs: [] }];
    expect(hashes(cut({ input: [{ ...said, content }] }))).toEqual(
      hashes(cut({ input: [{ role: "assistant", content: "x" }] })),
    );
  });

  test("a result's text and the list of one text are the same segment", () => {
    const result = (output: unknown) =>
      hashes(cut({ input: [{ type: "function_call_output", call_id: "a", output }] }));
    expect(result("r")).toEqual(result([{ type: "input_text", text: "r" }]));
  });

  test("breakpoints are no part of a hash, wherever they stand; other members are", () => {
    const marked = (more: object) => ({
      input: [
        { role: "developer", content: [{ type: "input_text", text: "s", ...more }] },
        { role: "user", content: [{ type: "input_image", image_url: "u", ...more }] },
        { type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "r", ...more }] },
      ],
    });
    const plain = hashes(cut(marked({})));
    expect(hashes(cut(marked({ prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } })))).toEqual(plain);
    expect(hashes(cut(marked({ other: 1 }))).filter((hash) => plain.includes(hash))).toEqual([]);
  });

  test("the key holds what is no text, and neither breakpoints nor diagnostics", () => {
    const key = (more: object) => codec.cacheKeyOf(bytes({ model: "m", input: "q", ...more }));
    const plain = key({});
    expect(key({ prompt_cache_options: { mode: "implicit", comparison_response_id: "r1" } })).toBe(plain);
    expect(key({ max_output_tokens: 5, store: false, instructions: "x" })).toBe(plain);
    const moving = [
      { model: "n" },
      { reasoning: { effort: "low" } },
      { text: { verbosity: "low" } },
      { tool_choice: "none" },
      { parallel_tool_calls: false },
      { prompt_cache_key: "k" },
    ];
    expect(new Set([plain, ...moving.map(key)]).size).toBe(moving.length + 1);
  });

  test("roles and types named like members of every object are of no known kind", () => {
    const part = [{ type: "constructor" }, { type: "toString" }];
    const odd = [{ role: "constructor", content: part }, { role: "__proto__", content: "x" }, { type: "constructor" }];
    expect(cut({ input: odd }).map(({ role, kind }) => [role, kind])).toEqual([
      ["user", "other"],
      ["user", "other"],
      ["user", "text"],
      ["assistant", "other"],
    ]);
  });

  test("what is no request is refused with its path", () => {
    expect(() => cut('{"model":"m"}')).toThrow(BodyError);
    expect(() => cut('{"model":"m","input":7}')).toThrow("input is no list");
    expect(() => cut("[]")).toThrow("is no JSON object");
  });
});
