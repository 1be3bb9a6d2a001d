import fc from "fast-check";
import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { WireEvent } from "../../src/ports/model.ts";
import { toolSearchName } from "../../src/prompt/doc.ts";
import { arbitraryText } from "./arbitrary-doc.ts";

/** One answer of a provider, before it is cut into stream events. */
export type Answer = {
  readonly reasoning: "none" | "plain" | "redacted";
  readonly thought: string;
  readonly parts: readonly Part[];
  /** Pieces each text is streamed in. */
  readonly chunks: number;
  readonly reportsUsage: boolean;
};

export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly tool: string; readonly input: string; readonly id: "own" | "none" | "repeated" }
  | { readonly type: "opaque" };

/** Short, blank, emoji, CJK, and texts beyond what a log line carries in place. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: arbitraryText, weight: 6 },
  { arbitrary: fc.constantFrom("", " \n"), weight: 1 },
  { arbitrary: fc.constantFrom("漢字かな交じり文\n", "line of output 12\n", "😀é "), weight: 1 },
  {
    arbitrary: fc
      .tuple(
        fc.constantFrom("words and words ", "長い文章。\n", '{"a":[1,2,"😀"]}\n'),
        fc.integer({ min: 300, max: 900 }),
      )
      .map(([text, times]) => text.repeat(times)),
    weight: 1,
  },
);

const part: fc.Arbitrary<Part> = fc.oneof(
  { arbitrary: fc.record({ type: fc.constant("text" as const), text: anyText }), weight: 3 },
  {
    arbitrary: fc.record({
      type: fc.constant("call" as const),
      tool: fc.constantFrom("look", "run", "no such tool", toolSearchName, toolSearchName),
      input: fc.constantFrom("{}", '{"path":"a/é.ts","2":1.0,"1":12345678901234567890}', "[1]", '{"cut', ""),
      id: fc.constantFrom("own" as const, "own" as const, "none" as const, "repeated" as const),
    }),
    weight: 3,
  },
  { arbitrary: fc.constant({ type: "opaque" as const }), weight: 1 },
);

export const arbitraryAnswer: fc.Arbitrary<Answer> = fc.record({
  reasoning: fc.constantFrom("none", "plain", "plain", "redacted"),
  thought: arbitraryText,
  parts: fc.array(part, { maxLength: 4 }),
  chunks: fc.integer({ min: 1, max: 3 }),
  reportsUsage: fc.boolean(),
});

/** What an answer says of its reasoning: the provider signs it for the prompt it came after. */
export type Signer = (text: string) => string;

export type Streamed = {
  readonly events: readonly WireEvent[];
  /** The content blocks or items as the provider keeps them, to know them again; empty on the chat wire. */
  readonly blocks: readonly unknown[];
};

export function streamOf(wire: Wire, answer: Answer, n: number, sign: Signer | null): Streamed {
  if (wire === "responses") return responsesStream(answer, n, sign);
  return wire === "anthropic" ? anthropicStream(answer, n, sign) : chatStream(answer, n, sign !== null);
}

function anthropicStream(answer: Answer, n: number, sign: Signer | null): Streamed {
  const usage = answer.reportsUsage ? { input_tokens: 900 + n, output_tokens: 30, cache_read_input_tokens: 0 } : {};
  const streams = [...reasoningBlocks(answer, sign), ...answer.parts.flatMap((one, at) => partBlocks(one, n, at))];
  const events = streams.flatMap(({ start, deltas }, index) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.flatMap(({ field, type, text }) =>
      chunksOf(text, answer.chunks).map((chunk) => ({
        type: "content_block_delta",
        index,
        delta: { type, [field]: chunk },
      })),
    ),
    { type: "content_block_stop", index },
  ]);
  const message = { id: `msg_${n}`, model: "sim", role: "assistant", content: [], usage };
  const stop = answer.parts.some(({ type }) => type === "call") ? "tool_use" : "end_turn";
  const all = [
    { type: "message_start", message },
    ...events,
    { type: "message_delta", delta: { stop_reason: stop }, usage },
    { type: "message_stop" },
  ];
  return { events: all.map((data) => ({ type: "event", data })), blocks: streams.map(({ whole }) => whole) };
}

type BlockStream = {
  readonly start: object;
  readonly deltas: readonly { readonly type: string; readonly field: string; readonly text: string }[];
  readonly whole: unknown;
};

function reasoningBlocks({ reasoning, thought }: Answer, sign: Signer | null): readonly BlockStream[] {
  if (sign === null || reasoning === "none") return [];
  if (reasoning === "redacted") {
    const block = { type: "redacted_thinking", data: sign("") };
    return [{ start: block, deltas: [], whole: block }];
  }
  const text = thought.toWellFormed();
  const signature = sign(text);
  return [
    {
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", field: "thinking", text },
        { type: "signature_delta", field: "signature", text: signature },
      ],
      whole: { type: "thinking", thinking: text, signature },
    },
  ];
}

function partBlocks(one: Part, n: number, at: number): readonly BlockStream[] {
  if (one.type === "text") {
    const text = one.text.toWellFormed();
    const deltas = text === "" ? [] : [{ type: "text_delta", field: "text", text }];
    return [{ start: { type: "text", text: "" }, deltas, whole: { type: "text", text } }];
  }
  if (one.type === "opaque") {
    const id = `srvtoolu_${n}_${at}`;
    const blocks = [
      { type: "server_note", data: { b: 1, a: [1.5] } },
      { type: "server_tool_use", id, name: "web_search", input: { query: "q" } },
      { type: "web_search_tool_result", tool_use_id: id, content: [] },
    ];
    return blocks.map((block) => ({ start: block, deltas: [], whole: block }));
  }
  const block = { type: "tool_use", id: idOf(one, n, at), name: one.tool, input: {} };
  const deltas = [{ type: "input_json_delta", field: "partial_json", text: one.input }];
  return [{ start: block, deltas, whole: block }];
}

/** Some servers give no id, or the same one in every answer. */
function idOf({ id }: Part & { readonly type: "call" }, n: number, at: number): string {
  return id === "own" ? `call_${n}_${at}` : id === "none" ? "" : "call_0";
}

function chatStream(answer: Answer, n: number, reasons: boolean): Streamed {
  const { thought, chunks, parts } = answer;
  const texts = parts.flatMap((one) => (one.type === "text" ? [one.text.toWellFormed()] : []));
  const calls = parts.filter((one) => one.type === "call");
  const reasoning = reasons && answer.reasoning !== "none" ? chunksOf(thought.toWellFormed(), chunks) : [];
  const deltas = [
    ...reasoning.map((text) => ({ reasoning_content: text })),
    ...texts.flatMap((text) => chunksOf(text, chunks)).map((content) => ({ content })),
    ...calls.flatMap((call, index) => [
      {
        tool_calls: [
          { index, id: idOf(call, n, index), type: "function", function: { name: call.tool, arguments: "" } },
        ],
      },
      ...chunksOf(call.input, chunks).map((text) => ({ tool_calls: [{ index, function: { arguments: text } }] })),
    ]),
  ];
  const usage = answer.reportsUsage ? { usage: { prompt_tokens: 900 + n, completion_tokens: 30 } } : {};
  const chunk = (choice: object) => ({ id: `chat_${n}`, model: "sim", choices: [{ index: 0, ...choice }] });
  const all = [
    ...deltas.map((delta) => chunk({ delta })),
    { ...chunk({ delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }), ...usage },
  ];
  return { events: all.map((data) => ({ type: "event", data })), blocks: [] };
}

function responsesStream(answer: Answer, n: number, sign: Signer | null): Streamed {
  const items = [...reasoningItems(answer, n, sign), ...answer.parts.flatMap((one, at) => partItems(one, n, at))];
  const events = items.flatMap((item, output_index) => [
    { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } },
    { type: "response.output_item.done", output_index, item },
  ]);
  const usage = answer.reportsUsage ? { usage: { input_tokens: 900 + n, output_tokens: 30 } } : {};
  const response = { id: `resp_${n}`, model: "sim", status: "completed", ...usage };
  const all = [{ type: "response.created", response }, ...events, { type: "response.completed", response }];
  return { events: all.map((data) => ({ type: "event", data })), blocks: items };
}

function reasoningItems({ reasoning, thought }: Answer, n: number, sign: Signer | null): readonly object[] {
  if (sign === null || reasoning === "none") return [];
  const text = reasoning === "redacted" ? "" : thought.toWellFormed();
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  return [{ type: "reasoning", id: `rs_${n}`, summary, encrypted_content: sign(text) }];
}

function partItems(one: Part, n: number, at: number): readonly object[] {
  if (one.type === "text") {
    const content = [{ type: "output_text", text: one.text.toWellFormed(), annotations: [], logprobs: [] }];
    return [{ type: "message", id: `msg_${n}_${at}`, status: "completed", role: "assistant", content }];
  }
  if (one.type === "opaque") {
    return [
      { type: "server_note", id: `note_${n}_${at}`, data: { b: 1, a: [1.5] } },
      { type: "web_search_call", id: `ws_${n}_${at}`, status: "completed", action: { type: "search", query: "q" } },
    ];
  }
  if (one.tool === toolSearchName) {
    const parsed = parseJson(one.input);
    const given = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
    const search = { id: `tsc_${n}_${at}`, call_id: idOf(one, n, at), arguments: given };
    return [{ type: "tool_search_call", execution: "client", status: "completed", ...search }];
  }
  const call = { id: `fc_${n}_${at}`, call_id: idOf(one, n, at), name: one.tool, arguments: one.input };
  return [{ type: "function_call", status: "completed", ...call }];
}

function chunksOf(text: string, count: number): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / count));
  return Array.from({ length: count }, (_, at) => text.slice(at * size, (at + 1) * size)).filter((one) => one !== "");
}
