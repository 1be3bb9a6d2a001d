import { hashOf } from "../../kernel/hash.ts";
import { type AnswerFrame, event, piecesOf } from "./anthropic-reply.ts";
import { listOf, recordOf, textOf } from "./value.ts";

type Item = { readonly type: string; readonly [member: string]: unknown };
type Event = { readonly type: string; readonly [member: string]: unknown };

/** The stream of a response: each event has the next `sequence_number` (PROTOCOLS B.6). */
export function responseFrames(
  whole: Readonly<Record<string, unknown>>,
  output: readonly Item[],
  { body }: AnswerFrame,
): readonly string[] {
  const { prompt_cache_diagnostics: _late, input_transformations: _later, ...rest } = whole;
  const begun = {
    ...rest,
    status: "in_progress",
    completed_at: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
  const events: readonly Event[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...output.flatMap((item, output_index) => itemEvents(item, output_index)),
    { type: `response.${textOf(whole.status)}`, response: whole },
  ];
  const isObscured = recordOf(body.stream_options).include_obfuscation !== false;
  return events.map((data, sequence_number) =>
    event({ ...data, sequence_number, ...(isObscured ? obfuscation(data, sequence_number) : {}) }),
  );
}

/** Deltas carry characters of no meaning, so that their sizes tell nothing. */
function obfuscation(data: Event, sequence: number): Readonly<Record<string, string>> {
  return data.type.endsWith(".delta") ? { obfuscation: hashOf(String(sequence)).slice(0, 1 + (sequence % 9)) } : {};
}

function itemEvents(item: Item, output_index: number): readonly Event[] {
  const at = { item_id: item.id, output_index };
  const { start, inside } = (Object.hasOwn(openers, item.type) ? openers[item.type] : undefined)?.(item, at) ?? {
    start: item,
    inside: [],
  };
  return [
    { type: "response.output_item.added", output_index, item: start },
    ...inside,
    { type: "response.output_item.done", output_index, item },
  ];
}

type Place = { readonly item_id: unknown; readonly output_index: number };
type Opened = { readonly start: Item; readonly inside: readonly Event[] };

/** How an item begins, and what arrives before it is done. */
const openers: Readonly<Record<string, (item: Item, at: Place) => Opened>> = {
  reasoning: (item, at) => ({
    start: { ...item, summary: [], ...begunContent(item.encrypted_content) },
    inside: listOf(item.summary).flatMap((part, summary_index) =>
      summaryEvents(textOf(recordOf(part).text), { ...at, summary_index }),
    ),
  }),
  message: (item, at) => ({
    start: { ...item, status: "in_progress", content: [] },
    inside: listOf(item.content).flatMap((part, content_index) => partEvents(recordOf(part), { ...at, content_index })),
  }),
  function_call: (item, at) => ({
    start: { ...item, status: "in_progress", arguments: "" },
    inside: textEvents("response.function_call_arguments", "arguments", textOf(item.arguments), at),
  }),
  compaction: (item, at) => ({
    start: { ...item, ...begunContent(item.encrypted_content) },
    inside: [{ type: "response.compaction.compacting", ...at }],
  }),
  custom_tool_call: (item, at) => ({
    start: { ...item, status: "in_progress", input: "" },
    inside: textEvents("response.custom_tool_call_input", "input", textOf(item.input), at),
  }),
};

/** What `added` carries may be incomplete: only the finished item's is to be returned (B.3). */
function begunContent(encrypted: unknown): Readonly<Record<string, unknown>> {
  return typeof encrypted === "string" ? { encrypted_content: encrypted.slice(0, 16) } : {};
}

function summaryEvents(text: string, at: Place & { readonly summary_index: number }): readonly Event[] {
  return [
    { type: "response.reasoning_summary_part.added", ...at, part: { type: "summary_text", text: "" } },
    ...textEvents("response.reasoning_summary_text", "text", text, at),
    { type: "response.reasoning_summary_part.done", ...at, part: { type: "summary_text", text } },
  ];
}

function partEvents(
  part: Readonly<Record<string, unknown>>,
  at: Place & { readonly content_index: number },
): readonly Event[] {
  const isRefusal = part.type === "refusal";
  const inside = isRefusal
    ? textEvents("response.refusal", "refusal", textOf(part.refusal), at)
    : textEvents("response.output_text", "text", textOf(part.text), at, { logprobs: [] });
  return [
    { type: "response.content_part.added", ...at, part: { ...part, [isRefusal ? "refusal" : "text"]: "" } },
    ...inside,
    { type: "response.content_part.done", ...at, part },
  ];
}

function textEvents(
  name: string,
  member: string,
  text: string,
  at: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
): readonly Event[] {
  return [
    ...piecesOf(text, 24).map((delta) => ({ type: `${name}.delta`, ...at, delta, ...more })),
    { type: `${name}.done`, ...at, [member]: text, ...more },
  ];
}
