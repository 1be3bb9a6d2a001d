import fc from "fast-check";
import { hashOf } from "../../src/kernel/hash.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { AssistantBlock, Piece, UserBlock } from "../../src/log/block.ts";
import type { ModelChoice } from "../../src/log/entry.ts";
import type { Doc, SystemSection, ToolDeclaration } from "../../src/prompt/doc.ts";

/** Any text that is not blank: emoji, CJK, escapes, half surrogate pairs, lines, long runs. */
export const arbitraryText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("a", "{", '"', "\\", "日", "😀", "<", "é"),
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom(
        "",
        "\r\n\t",
        "\ud83d",
        "漢字かな交じり文",
        "👩‍👩‍👧‍👦 end",
        '\\u0041"}],"cache_control":{}',
        "\u0000\u001f\u2028",
      ),
    ),
  )
  .map(([first, rest]) => first + rest);

export const arbitraryTool: fc.Arbitrary<ToolDeclaration> = fc.record({
  name: fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,12}$/),
  description: arbitraryText,
  inputSchema: fc.constantFrom(
    '{"type":"object"}',
    '{"type":"object","properties":{"path":{"type":"string"},"1":{"type":"number","default":1.0}},"required":["path"]}',
  ),
});

export const arbitrarySection: fc.Arbitrary<SystemSection> = fc.record({
  name: fc.constantFrom("identity", "tools", "mode"),
  scope: fc.constantFrom("global", "session"),
  text: arbitraryText,
});

/** A well-formed document of that wire: every call answered first, in call order; the last message is the user's. */
export function arbitraryDoc(wire: Wire, model: string): fc.Arbitrary<Doc> {
  return fc
    .record({
      choice: arbitraryChoice(wire, model),
      tools: fc.uniqueArray(arbitraryTool, { maxLength: 4, selector: (tool) => tool.name }),
      system: fc.array(arbitrarySection, { maxLength: 4 }),
      first: fc.array(arbitraryText, { minLength: 1, maxLength: 3 }),
      rounds: fc.array(arbitraryRound, { maxLength: 6 }),
    })
    .map(({ choice, tools, system, first, rounds }) => ({
      model: choice,
      tools,
      system,
      pieces: piecesOf(first, rounds),
      cacheKey: "session-main",
    }));
}

function arbitraryChoice(wire: Wire, model: string): fc.Arbitrary<ModelChoice> {
  return fc.record({
    wire: fc.constant(wire),
    model: fc.constant(model),
    effort: fc.constantFrom(null, "low" as const, "high" as const),
    thinking: fc.constantFrom("off" as const, "adaptive" as const, { budgetTokens: 2_000 }),
    outputTokensMax: fc.constantFrom(4_000, 32_000),
  });
}

/** One pixel: providers refuse what is no image. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

type Round = {
  readonly from: Wire;
  readonly reasoning: string | null;
  readonly text: string | null;
  readonly opaque: boolean;
  readonly calls: readonly { readonly result: string; readonly isError: boolean; readonly input: string }[];
  readonly images: number;
  readonly texts: readonly string[];
};

const arbitraryRound: fc.Arbitrary<Round> = fc.record({
  from: fc.constantFrom<Wire>("anthropic", "chat", "responses", "gemini"),
  reasoning: fc.option(arbitraryText),
  text: fc.option(arbitraryText),
  opaque: fc.boolean(),
  calls: fc.array(
    fc.record({
      result: fc.oneof(arbitraryText, fc.constantFrom("", " \n")),
      isError: fc.boolean(),
      input: fc.constantFrom("{}", '{"path":"a/é.ts","2":1.0,"1":12345678901234567890}', "[1]", '{"cut'),
    }),
    { maxLength: 3 },
  ),
  images: fc.integer({ min: 0, max: 2 }),
  texts: fc.array(arbitraryText, { minLength: 1, maxLength: 2 }),
});

function piecesOf(first: readonly string[], rounds: readonly Round[]): readonly Piece[] {
  const opening = first.map((text, index) => userPiece(`0.${index}`, { type: "text", text }));
  return [...opening, ...rounds.flatMap((round, index) => roundPieces(round, 2 * index + 1))];
}

function roundPieces(round: Round, seq: number): readonly Piece[] {
  const blocks = assistantBlocks(round, seq);
  const assistant = blocks.map(
    (block, index): Piece => ({ id: `${seq}.${index}`, role: "assistant", from: round.from, block }),
  );
  const results = round.calls.map(
    ({ result, isError }, index): UserBlock => ({
      type: "tool-result",
      callId: brand(`call_${seq}_${index}`),
      tool: `tool${index}`,
      text: result,
      isError,
    }),
  );
  const images = Array.from(
    { length: round.images },
    (): UserBlock => ({ type: "image", mediaType: "image/png", data: png }),
  );
  const texts = round.texts.map((text): UserBlock => ({ type: "text", text }));
  const user = [...results, ...images, ...texts].map((block, index) => userPiece(`${seq + 1}.${index}`, block));
  return [...assistant, ...user];
}

function assistantBlocks(round: Round, seq: number): readonly AssistantBlock[] {
  const make = makers[round.from];
  const calls = round.calls.map(({ input }, index) => make.call(`call_${seq}_${index}`, `tool${index}`, input));
  const said = [
    ...(round.reasoning === null ? [] : [make.reasoning(round.reasoning)]),
    ...(round.text === null ? [] : [make.text(round.text)]),
    ...(round.opaque ? (serverTools[round.from]?.(seq) ?? []) : []),
    ...calls,
  ];
  return said.length === 0 ? [make.text("done")] : said;
}

/** A tool that ran on the provider's side: blocks we pass through without understanding them. */
const serverTools: Partial<Readonly<Record<Wire, (seq: number) => readonly AssistantBlock[]>>> = {
  anthropic: (seq) => [
    {
      type: "opaque",
      wire: `{"type":"server_tool_use","id":"srvtoolu_${seq}","name":"web_search","input":{"b":1,"a":[1.50]}}`,
    },
    { type: "opaque", wire: `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_${seq}","content":[]}` },
  ],
  responses: (seq) => [
    {
      type: "opaque",
      wire: `{"type":"tool_search_call","id":"tsc_${seq}","call_id":null,"execution":"server","arguments":{"b":1,"a":[1.50]},"status":"completed"}`,
    },
    {
      type: "opaque",
      wire: `{"type":"tool_search_output","id":"tso_${seq}","call_id":null,"execution":"server","tools":[],"status":"completed"}`,
    },
  ],
  gemini: (seq) => [
    { type: "opaque", wire: `{"executableCode":{"language":"PYTHON","code":"print(${seq})"}}` },
    { type: "opaque", wire: `{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"${seq}"}}` },
  ],
};

type Makers = {
  readonly text: (text: string) => AssistantBlock;
  readonly reasoning: (text: string) => AssistantBlock;
  readonly call: (id: string, tool: string, input: string) => AssistantBlock;
};

/** Ids of items are the service's own. */
const itemId = (prefix: string, text: string) => `${prefix}_${hashOf(text).slice(0, 12)}`;

/** Blocks as the decoder of each wire leaves them. */
const makers: Readonly<Record<Wire, Makers>> = {
  anthropic: {
    text: (text) => ({ type: "text", text, wire: `{"type":"text","text":${JSON.stringify(text.toWellFormed())}}` }),
    reasoning: (text) => ({
      type: "reasoning",
      text,
      wire: `{"type":"thinking","thinking":${JSON.stringify(text.toWellFormed())},"signature":"c2ln"}`,
    }),
    call: (id, tool, input) => ({
      type: "tool-call",
      callId: brand(id),
      tool,
      input,
      wire: `{"type":"tool_use","id":"${id}","name":"${tool}","input":${objectOr(input)}}`,
    }),
  },
  chat: {
    text: (text) => ({ type: "text", text, wire: JSON.stringify(text.toWellFormed()) }),
    reasoning: (text) => ({
      type: "reasoning",
      text,
      wire: `{"reasoning_content":${JSON.stringify(text.toWellFormed())}}`,
    }),
    call: (id, tool, input) => ({
      type: "tool-call",
      callId: brand(id),
      tool,
      input,
      wire: `{"id":"${id}","type":"function","function":{"name":"${tool}","arguments":${JSON.stringify(objectOr(input))}}}`,
    }),
  },
  responses: {
    text: (text) => ({
      type: "text",
      text,
      wire: `{"type":"message","id":"${itemId("msg", text)}","status":"completed","role":"assistant","content":[{"type":"output_text","text":${JSON.stringify(text.toWellFormed())},"annotations":[]}]}`,
    }),
    reasoning: (text) => ({
      type: "reasoning",
      text,
      wire: `{"type":"reasoning","id":"${itemId("rs", text)}","summary":[{"type":"summary_text","text":${JSON.stringify(text.toWellFormed())}}],"encrypted_content":"c2ln"}`,
    }),
    call: (id, tool, input) => ({
      type: "tool-call",
      callId: brand(id),
      tool,
      input,
      wire: `{"type":"function_call","id":"${itemId("fc", id)}","call_id":"${id}","name":"${tool}","arguments":${JSON.stringify(objectOr(input))},"status":"completed"}`,
    }),
  },
  gemini: {
    text: (text) => ({ type: "text", text, wire: `{"text":${JSON.stringify(text.toWellFormed())}}` }),
    reasoning: (text) => ({
      type: "reasoning",
      text,
      wire: `{"text":${JSON.stringify(text.toWellFormed())},"thought":true}`,
    }),
    // Some models of this wire name their calls, some do not.
    call: (id, tool, input) => ({
      type: "tool-call",
      callId: brand(id),
      tool,
      input,
      wire: `{"functionCall":{${id.endsWith("1") ? `"id":"${id}",` : ""}"name":"${tool}","args":${objectOr(input)}}}`,
    }),
  },
};

function objectOr(input: string): string {
  return input.startsWith("{") && input.endsWith("}") ? input : "{}";
}

function userPiece(id: string, block: UserBlock): Piece {
  const kind = block.type === "tool-result" ? "result" : block.type === "image" ? "image" : "message";
  return { id, role: "user", kind, block };
}
