import { bounds } from "../../kernel/bounds.ts";
import type { CallId } from "../../kernel/ids.ts";
import { own } from "../../kernel/own.ts";
import type { AssistantBlock } from "../../log/block.ts";
import type { Failure, StopReason } from "../../log/entry.ts";
import { toolSearchName } from "../../prompt/doc.ts";
import { legalCallId } from "../anthropic/call-id.ts";
import { callIds, nothingTaken } from "../calls.ts";
import { brokenStream, classify, classifyStreamError } from "../classify.ts";
import type { Delta, Received, StreamDecoder } from "../codec.ts";
import { listAt, numberAt, recordAt, recordOf, reportOf, stringAt } from "../lenient.ts";
import { blockOf, isRefusal, isToolSearchCall } from "./received-item.ts";
import { responsesUsage } from "./usage.ts";

/** Puts a Responses stream together (PROTOCOLS B.6). Deltas are for the screen; an item counts as its last event has it. */
export function responsesDecoder(newToken: () => string, isTaken = nothingTaken): StreamDecoder {
  const stream: Stream = {
    announced: new Set(),
    items: new Map(),
    shown: "",
    response: {},
    ending: null,
    failure: null,
  };
  return {
    push(event) {
      if (stream.ending !== null || stream.failure !== null) return [];
      if (event.type === "event") return take(stream, recordOf(event.data));
      stream.failure = classify(event);
      return [];
    },
    end() {
      const failure = stream.failure ?? unfinished(stream);
      if (failure !== null) return { type: "failed", failure, partial: stream.shown };
      return received(stream, callIds(newToken, isTaken, legalCallId));
    },
  };
}

type Raw = Readonly<Record<string, unknown>>;
type Stream = {
  /** Output indexes of items that were begun. */
  readonly announced: Set<number>;
  /** Finished items by output index. */
  readonly items: Map<number, Raw>;
  shown: string;
  /** The response object as last reported. */
  response: Raw;
  ending: "completed" | "incomplete" | null;
  failure: Failure | null;
};

function take(stream: Stream, event: Raw): readonly Delta[] {
  return own(handlers, stringAt(event, "type"))?.(stream, event) ?? [];
}

const handlers: Readonly<Record<string, (stream: Stream, event: Raw) => readonly Delta[]>> = {
  "response.created": report,
  "response.in_progress": report,
  "response.output_item.added"(stream, event) {
    stream.announced.add(indexOf(event, stream.announced.size));
    const item = recordAt(event, "item");
    if (isToolSearchCall(item)) return [{ type: "call-start", tool: toolSearchName }];
    return item.type === "function_call" ? [{ type: "call-start", tool: stringAt(item, "name") }] : [];
  },
  "response.output_item.done"(stream, event) {
    const item = recordAt(event, "item");
    keep(stream, freeIndex(stream, indexOf(event, stream.items.size), item), item);
    return [];
  },
  "response.output_text.delta": show,
  "response.refusal.delta": show,
  "response.reasoning_summary_part.added": (_stream, event) =>
    (numberAt(event, "summary_index") ?? 0) > 0 ? [{ type: "reasoning", text: "\n\n" }] : [],
  "response.reasoning_summary_text.delta": think,
  "response.reasoning_text.delta": think,
  "response.completed"(stream, event) {
    stream.ending = "completed";
    return finish(stream, event);
  },
  "response.incomplete"(stream, event) {
    stream.ending = "incomplete";
    return finish(stream, event);
  },
  "response.failed"(stream, event) {
    stream.failure = classifyStreamError({ error: recordAt(recordAt(event, "response"), "error") });
    return [];
  },
  error(stream, event) {
    stream.failure = classifyStreamError(event);
    return [];
  },
};

function report(stream: Stream, event: Raw): readonly Delta[] {
  stream.response = recordAt(event, "response");
  return [];
}

function show(stream: Stream, event: Raw): readonly Delta[] {
  const text = stringAt(event, "delta");
  stream.shown += text;
  return text === "" ? [] : [{ type: "text", text }];
}

function think(_stream: Stream, event: Raw): readonly Delta[] {
  const text = stringAt(event, "delta");
  return text === "" ? [] : [{ type: "reasoning", text }];
}

function indexOf(event: Raw, otherwise: number): number {
  return numberAt(event, "output_index") ?? otherwise;
}

/** Some servers give every item the same index: only one that has the same id, too, is the same item again. */
function freeIndex({ items }: Stream, index: number, item: Raw): number {
  const before = items.get(index);
  if (before === undefined || (stringAt(item, "id") !== "" && before.id === item.id)) return index;
  return Math.max(...items.keys()) + 1;
}

function keep(stream: Stream, index: number, item: Raw): void {
  if (stream.items.size < bounds.blocksPerResponseMax) stream.items.set(index, item);
  else stream.failure = brokenStream(`more than ${bounds.blocksPerResponseMax} items in one response`);
}

/** Some servers send no event when an item is done, and all items in the last event. */
function finish(stream: Stream, event: Raw): readonly Delta[] {
  report(stream, event);
  const output = listAt(stream.response, "output").map(recordOf);
  if (stream.items.size >= output.length) return [];
  for (const [index, item] of output.entries()) {
    if (!stream.items.has(index)) keep(stream, index, item);
  }
  return [];
}

/** What was cut off by a limit may miss its last item; a response that says it is whole may not. */
function unfinished({ ending, announced, items }: Stream): Failure | null {
  if (ending === null) return brokenStream("the stream ended before the response did");
  const missing = [...announced].filter((index) => !items.has(index)).length;
  if (ending === "incomplete" || missing === 0) return null;
  return brokenStream(`the response ended without ${missing} of its items`);
}

function received(stream: Stream, idFor: (id: string) => CallId): Received {
  const items = [...stream.items].sort(([a], [b]) => a - b).map(([, item]) => item);
  return {
    type: "received",
    messageId: stringAt(stream.response, "id"),
    model: stringAt(stream.response, "model"),
    blocks: [...items.map((item) => blockOf(item, idFor)), ...unkept(stream, items)],
    stop: stopOf(stream, items),
    usage: responsesUsage(recordAt(stream.response, "usage")),
    report: reportOf([stream.response], reported),
  };
}

/** Text that was shown when a limit cut the answer off, where the service gave no item for it. */
function unkept({ ending, shown }: Stream, items: readonly Raw[]): readonly AssistantBlock[] {
  const isLost = ending === "incomplete" && shown !== "" && !items.some(({ type }) => type === "message");
  return isLost ? [{ type: "text", text: shown }] : [];
}

const reported = ["prompt_cache_diagnostics", "input_transformations"];

function stopOf({ ending, response }: Stream, items: readonly Raw[]): StopReason {
  if (ending === "incomplete")
    return own(cutShort, stringAt(recordAt(response, "incomplete_details"), "reason")) ?? "unknown";
  if (items.some((item) => item.type === "function_call" || isToolSearchCall(item))) return "tool-use";
  return items.some(isRefusal) ? "refusal" : "end-turn";
}

const cutShort: Readonly<Record<string, StopReason>> = {
  max_output_tokens: "output-limit",
  content_filter: "refusal",
};
