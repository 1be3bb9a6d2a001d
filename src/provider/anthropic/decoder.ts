import { bounds } from "../../kernel/bounds.ts";
import { own } from "../../kernel/own.ts";
import type { AssistantBlock } from "../../log/block.ts";
import type { Failure, StopReason } from "../../log/entry.ts";
import type { ClearedByProvider } from "../../log/provider-clearing.ts";
import { callIds, nothingTaken } from "../calls.ts";
import { brokenStream, classify, classifyStreamError } from "../classify.ts";
import type { Delta, Received, StreamDecoder } from "../codec.ts";
import { countAt, listAt, numberAt, recordAt, recordOf, reportOf, stringAt } from "../lenient.ts";
import { legalCallId } from "./call-id.ts";
import { type OpenBlock, openBlock } from "./open-block.ts";
import { anthropicUsage } from "./usage.ts";

/** Puts a Messages stream together (PROTOCOLS A.11). Unknown events and deltas are passed over. */
export function anthropicDecoder(newToken: () => string, isTaken = nothingTaken): StreamDecoder {
  const stream: Stream = { open: new Map(), failure: null, message: {}, last: {}, usage: {}, stop: null, ended: false };
  return {
    push(event) {
      if (stream.ended || stream.failure !== null) return [];
      if (event.type === "event") return take(stream, recordOf(event.data));
      stream.failure = classify(event);
      return [];
    },
    end() {
      const failure = stream.failure ?? (stream.ended ? null : brokenStream("the stream ended before the message did"));
      if (failure !== null) return { type: "failed", failure, partial: partialOf(stream) };
      return received(stream, callIds(newToken, isTaken, legalCallId));
    },
  };
}

type Raw = Readonly<Record<string, unknown>>;
type Stream = {
  readonly open: Map<number, OpenBlock>;
  failure: Failure | null;
  message: Raw;
  last: Raw;
  usage: Raw;
  stop: string | null;
  ended: boolean;
};

function take(stream: Stream, event: Raw): readonly Delta[] {
  const type = stringAt(event, "type");
  return Object.hasOwn(handlers, type) ? (handlers[type]?.(stream, event) ?? []) : [];
}

const handlers: Readonly<Record<string, (stream: Stream, event: Raw) => readonly Delta[]>> = {
  message_start(stream, event) {
    stream.message = recordAt(event, "message");
    stream.usage = recordAt(stream.message, "usage");
    return [];
  },
  content_block_start(stream, event) {
    if (stream.open.size >= bounds.blocksPerResponseMax) {
      stream.failure = brokenStream(`more than ${bounds.blocksPerResponseMax} blocks in one response`);
      return [];
    }
    const block = openBlock(recordAt(event, "content_block"));
    stream.open.set(numberAt(event, "index") ?? stream.open.size, block);
    return block.started;
  },
  content_block_delta(stream, event) {
    return stream.open.get(numberAt(event, "index") ?? stream.open.size - 1)?.push(recordAt(event, "delta")) ?? [];
  },
  message_delta(stream, event) {
    // Counts are cumulative; a later report replaces what it names and keeps what it leaves out.
    const news = Object.entries(recordAt(event, "usage")).filter(([, value]) => value !== null);
    stream.usage = { ...stream.usage, ...Object.fromEntries(news) };
    stream.last = { ...stream.last, ...event, ...recordAt(event, "delta") };
    const stop = stringAt(recordAt(event, "delta"), "stop_reason");
    if (stop !== "") stream.stop = stop;
    return [];
  },
  message_stop(stream) {
    stream.ended = true;
    return [];
  },
  error(stream, event) {
    stream.failure = classifyStreamError(event);
    return [];
  },
};

function received(stream: Stream, idFor: ReturnType<typeof callIds>): Received {
  const stop = stream.stop ?? stringAt(stream.message, "stop_reason");
  const cleared = clearedIn({ ...stream.message, ...stream.last });
  return {
    type: "received",
    messageId: stringAt(stream.message, "id"),
    model: stringAt(stream.message, "model"),
    blocks: inOrder(stream).map((block): AssistantBlock => block.close(idFor)),
    stop: own(stops, stop) ?? "unknown",
    usage: anthropicUsage(stream.usage),
    report: reportOf([stream.message, stream.last], reported),
    ...(cleared === null ? {} : { cleared }),
  };
}

/** `applied_edits` (PROTOCOLS A.4), those of them that cleared anything. */
function clearedIn(said: Raw): ClearedByProvider | null {
  const edits = listAt(recordAt(said, "context_management"), "applied_edits").map(recordOf);
  const sum = (key: string) => edits.reduce((total, edit) => total + (countAt(edit, key) ?? 0), 0);
  const [results, tokens] = [sum("cleared_tool_uses"), sum("cleared_input_tokens")];
  return results === 0 && tokens === 0 ? null : { results, tokens };
}

const reported = ["diagnostics", "input_transformations", "context_management", "stop_details"];

const stops: Readonly<Record<string, StopReason>> = {
  end_turn: "end-turn",
  tool_use: "tool-use",
  max_tokens: "output-limit",
  model_context_window_exceeded: "window-exceeded",
  refusal: "refusal",
  pause_turn: "pause",
  stop_sequence: "stop-sequence",
};

function inOrder(stream: Stream): readonly OpenBlock[] {
  return [...stream.open].sort(([a], [b]) => a - b).map(([, block]) => block);
}

function partialOf(stream: Stream): string {
  return inOrder(stream)
    .map((block) => block.shownText())
    .join("");
}
