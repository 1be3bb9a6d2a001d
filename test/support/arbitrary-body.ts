import fc from "fast-check";

/** Writes JSON as no library would: odd white space, escaped characters, kept order. */
export function oddJson(value: unknown, seed: number): string {
  let state = seed >>> 0;
  const pick = (n: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % n;
  };
  const space = () => ["", "", "", " ", "\n", "\t", "\r\n  "][pick(7)] ?? "";
  const text = (raw: string) => {
    const plain = JSON.stringify(raw);
    return pick(4) === 0
      ? plain.replaceAll(/[^\\"\u0020-\u007e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)
      : plain;
  };
  const write = (v: unknown): string => {
    if (typeof v === "string") return text(v);
    if (Array.isArray(v)) return `[${space()}${v.map((item) => write(item) + space()).join(`,${space()}`)}]`;
    if (typeof v === "object" && v !== null) {
      const members = Object.entries(v).map(([k, item]) => `${text(k)}${space()}:${space()}${write(item)}${space()}`);
      return `{${space()}${members.join(`,${space()}`)}}`;
    }
    return typeof v === "number" && /^-?\d+$/.test(String(v)) && pick(3) === 0 ? `${v}.0` : JSON.stringify(v);
  };
  return space() + write(JSON.parse(JSON.stringify(value))) + space();
}

const words = fc.constantFrom(
  "",
  " ",
  "go",
  "日本語テキスト",
  "😀 emoji 👩‍👩‍👧",
  'q"uo\\te',
  "line\r\nline",
  "\ud83d",
  '"},{"type":"text"',
  "é".repeat(50),
);
const marker = fc.option(fc.constantFrom({ type: "ephemeral" }, { type: "ephemeral", ttl: "1h" }), { nil: undefined });
const textBlock = fc.record({ type: fc.constant("text"), text: words, cache_control: marker });
const other = fc.constantFrom<unknown>(
  { type: "image", source: { type: "url", url: "https://x" } },
  { type: "document", source: { data: "AAA=" } },
  { type: "brand_new", "2": 1, "1": [1, null, true] },
  { type: "tool_reference", tool_name: "t2" },
  "bare text",
  7,
);
const id = fc.constantFrom("a", "b", "c");
const result = fc.record({
  type: fc.constant("tool_result"),
  tool_use_id: id,
  content: fc.oneof(words, fc.array(fc.oneof(textBlock, other), { maxLength: 4 }), fc.constant(undefined)),
  is_error: fc.constantFrom(true, false, undefined),
});
const call = fc.record({
  type: fc.constant("tool_use"),
  id,
  name: fc.constantFrom("t1", "t2"),
  input: fc.object({ maxDepth: 2 }),
});
const thinking = fc.record({ type: fc.constant("thinking"), thinking: words, signature: fc.constant("sig") });
const block = fc.oneof(textBlock, result, call, thinking, other);

export const foreignAnthropic: fc.Arbitrary<unknown> = fc.record({
  model: fc.constant("claude-x"),
  tools: fc.option(
    fc.array(
      fc.record({
        name: fc.constantFrom("t1", "t2"),
        description: words,
        input_schema: fc.object({ maxDepth: 1 }),
        defer_loading: fc.constantFrom(true, undefined),
      }),
      { maxLength: 3 },
    ),
    { nil: undefined },
  ),
  system: fc.oneof(words, fc.array(textBlock, { maxLength: 3 }), fc.constant(undefined)),
  messages: fc.array(
    fc.record({
      role: fc.constantFrom("user", "assistant", "system"),
      content: fc.oneof(words, fc.array(block, { maxLength: 5 })),
    }),
    { maxLength: 6 },
  ),
});

const part = fc.oneof(
  fc.record({ type: fc.constant("text"), text: words }),
  fc.constantFrom<unknown>(
    { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    { type: "new_part" },
  ),
);
const content = fc.oneof(words, fc.array(part, { maxLength: 4 }), fc.constant(null));
const message = fc.oneof(
  fc.record({ role: fc.constantFrom("system", "developer", "user"), content, name: fc.constantFrom("n", undefined) }),
  fc.record({ role: fc.constant("tool"), tool_call_id: id, content }),
  fc.record({
    role: fc.constant("assistant"),
    content,
    reasoning_content: fc.option(words, { nil: undefined }),
    tool_calls: fc.option(
      fc.array(
        fc.record({
          id,
          type: fc.constant("function"),
          function: fc.record({ name: fc.constant("t1"), arguments: words }),
        }),
        { maxLength: 3 },
      ),
      { nil: undefined },
    ),
  }),
);

export const foreignChat: fc.Arbitrary<unknown> = fc.record({
  model: fc.constant("m"),
  tools: fc.option(
    fc.array(
      fc.record({
        type: fc.constant("function"),
        function: fc.record({ name: fc.constant("t1"), description: words, parameters: fc.object({ maxDepth: 1 }) }),
      }),
      { maxLength: 3 },
    ),
    { nil: undefined },
  ),
  messages: fc.array(message, { maxLength: 8 }),
});

const responsesPart = fc.oneof(
  fc.record({
    type: fc.constantFrom("input_text", "output_text"),
    text: words,
    prompt_cache_breakpoint: fc.option(fc.constant({ mode: "explicit" }), { nil: undefined }),
    annotations: fc.constantFrom([], [{ type: "url_citation" }], undefined),
  }),
  fc.record({ type: fc.constant("refusal"), refusal: words }),
  fc.constantFrom<unknown>(
    { type: "input_image", image_url: "data:image/png;base64,AAAA" },
    { type: "input_file", file_id: "f" },
    { type: "new_part" },
    7,
  ),
);
const responsesContent = fc.oneof(words, fc.array(responsesPart, { maxLength: 4 }), fc.constant(null));
const responsesTool = fc.constantFrom<unknown>(
  { type: "function", name: "t1", description: "d", parameters: { type: "object" }, strict: false },
  { type: "function", name: "t2", defer_loading: true },
  { type: "custom", name: "patch" },
  { type: "namespace", name: "n", description: "", tools: [{ type: "function", name: "t3", defer_loading: true }] },
  { type: "web_search" },
);
const responsesItem = fc.oneof(
  fc.record({
    type: fc.constantFrom("message", undefined),
    id: fc.constantFrom("msg_1", undefined),
    role: fc.constantFrom("user", "assistant", "developer", "system", "constructor"),
    content: responsesContent,
    phase: fc.constantFrom("commentary", undefined),
  }),
  fc.record({ type: fc.constant("function_call"), call_id: id, name: fc.constant("t1"), arguments: words }),
  fc.record({
    type: fc.constantFrom("function_call_output", "custom_tool_call_output"),
    call_id: id,
    output: responsesContent,
  }),
  fc.record({ type: fc.constant("custom_tool_call"), call_id: id, name: fc.constant("patch"), input: words }),
  fc.record({ type: fc.constant("additional_tools"), tools: fc.array(responsesTool, { maxLength: 3 }) }),
  fc.constantFrom<unknown>(
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "t" }], encrypted_content: "c2ln" },
    { type: "local_shell_call", call_id: "a", action: { type: "exec", command: ["ls"] }, status: "completed" },
    { type: "web_search_call", id: "ws_1", action: { type: "search" } },
    { type: "configuration_update", reasoning: { effort: "low" } },
    { type: "compaction", encrypted_content: "c2ln" },
    { type: "item_reference", id: "x" },
    { type: "constructor" },
    {},
    "bare text",
    7,
  ),
);

export const foreignResponses: fc.Arbitrary<unknown> = fc.record({
  model: fc.constantFrom("gpt-6.2-sol", "gpt-5.5"),
  instructions: fc.oneof(words, fc.constant(undefined)),
  tools: fc.option(fc.array(responsesTool, { maxLength: 4 }), { nil: undefined }),
  input: fc.oneof({ arbitrary: words, weight: 1 }, { arbitrary: fc.array(responsesItem, { maxLength: 8 }), weight: 6 }),
});

const geminiPart = fc.oneof(
  fc.record({
    text: words,
    thought: fc.constantFrom(true, undefined),
    thoughtSignature: fc.constantFrom("c2ln", undefined),
  }),
  fc.record({
    functionCall: fc.record({
      id: fc.constantFrom("a", "b", undefined),
      name: fc.constantFrom("t1", "t2"),
      args: fc.oneof(fc.object({ maxDepth: 2 }), fc.constant(undefined)),
    }),
    thoughtSignature: fc.constantFrom("c2ln", undefined),
  }),
  fc.record({
    functionResponse: fc.record({
      id: fc.constantFrom("a", "b", undefined),
      name: fc.constantFrom("t1", "t2"),
      response: fc.oneof(
        fc.record({ output: words }),
        fc.record({ error: words }),
        fc.record({ lines: words }),
        fc.object({ maxDepth: 1 }),
      ),
    }),
  }),
  fc.constantFrom<unknown>(
    { inlineData: { mimeType: "image/png", data: "AAAA" } },
    { inline_data: { mime_type: "image/png", data: "AAAA" } },
    { function_call: { name: "t1", args: {} }, thought_signature: "c2ln" },
    { fileData: { mimeType: "application/pdf", fileUri: "u" } },
    { executableCode: { code: "1" } },
    { new_part: 1 },
    "bare text",
    7,
  ),
);

export const foreignGemini: fc.Arbitrary<unknown> = fc.record({
  cachedContent: fc.option(fc.constant("cachedContents/x"), { nil: undefined }),
  systemInstruction: fc.oneof(
    words,
    fc.record({ parts: fc.array(fc.record({ text: words }), { maxLength: 3 }) }),
    fc.record({ role: fc.constant("user"), parts: fc.array(geminiPart, { maxLength: 2 }) }),
    fc.constant(undefined),
  ),
  tools: fc.option(
    fc.array(
      fc.record({
        functionDeclarations: fc.array(
          fc.record({
            name: fc.constantFrom("t1", "t2"),
            description: words,
            parametersJsonSchema: fc.object({ maxDepth: 1 }),
          }),
          { maxLength: 3 },
        ),
        googleSearch: fc.option(fc.constant({}), { nil: undefined }),
      }),
      { maxLength: 2 },
    ),
    { nil: undefined },
  ),
  generationConfig: fc.option(fc.record({ maxOutputTokens: fc.nat(), thinkingConfig: fc.object({ maxDepth: 1 }) }), {
    nil: undefined,
  }),
  contents: fc.array(
    fc.record({ role: fc.constantFrom("user", "model", "odd"), parts: fc.array(geminiPart, { maxLength: 5 }) }),
    { maxLength: 6 },
  ),
});
