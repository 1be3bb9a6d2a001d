import { bounds } from "../../kernel/bounds.ts";
import { own } from "../../kernel/own.ts";
import type { Failure, StopReason } from "../../log/entry.ts";
import { callIds, nothingTaken } from "../calls.ts";
import { brokenStream, classify, classifyStreamError, unusableAnswer } from "../classify.ts";
import type { Delta, Received, StreamDecoder } from "../codec.ts";
import { listAt, recordAt, recordOf, reportOf, stringAt } from "../lenient.ts";
import { blockOf, deltasOf, type OpenPart, shownText, takePart } from "./open-part.ts";
import { geminiUsage } from "./usage.ts";

/** Puts a stream of generateContent chunks together. Only the first candidate counts; unknown members are passed over. */
export function geminiDecoder(newToken: () => string, isTaken = nothingTaken): StreamDecoder {
  const stream: Stream = { parts: [], last: {}, candidate: {}, usage: {}, finish: "", blocked: "", failure: null };
  return {
    push(event) {
      if (stream.failure !== null) return [];
      if (event.type === "event") return take(stream, recordOf(event.data));
      stream.failure = classify(event);
      return [];
    },
    end() {
      const failure = stream.failure ?? failureOf(stream);
      if (failure !== null) return { type: "failed", failure, partial: stream.parts.map(shownText).join("") };
      return received(stream, callIds(newToken, isTaken));
    },
  };
}

type Raw = Readonly<Record<string, unknown>>;
type Stream = {
  readonly parts: OpenPart[];
  /** All members of the chunks, the newest of each. */
  last: Raw;
  candidate: Raw;
  usage: Raw;
  finish: string;
  /** Why the prompt itself was refused; then there is no candidate. */
  blocked: string;
  failure: Failure | null;
};

function take(stream: Stream, chunk: Raw): readonly Delta[] {
  if (chunk.error !== undefined && chunk.error !== null) {
    stream.failure = classifyStreamError(chunk);
    return [];
  }
  stream.last = { ...stream.last, ...chunk };
  stream.usage = { ...stream.usage, ...recordAt(chunk, "usageMetadata") };
  const blocked = stringAt(recordAt(chunk, "promptFeedback"), "blockReason");
  if (blocked !== "") stream.blocked = blocked;
  const candidate = listAt(chunk, "candidates")
    .map(recordOf)
    .find(({ index }) => (index ?? 0) === 0);
  if (candidate === undefined) return [];
  stream.candidate = { ...stream.candidate, ...candidate };
  const finish = stringAt(candidate, "finishReason");
  if (finish !== "") stream.finish = finish;
  return grow(stream, listAt(recordAt(candidate, "content"), "parts").map(recordOf));
}

function grow(stream: Stream, parts: readonly Raw[]): readonly Delta[] {
  for (const part of parts) takePart(stream.parts, part);
  if (stream.parts.length > bounds.blocksPerResponseMax)
    stream.failure = brokenStream(`more than ${bounds.blocksPerResponseMax} parts in one response`);
  return parts.flatMap(deltasOf);
}

/** What the model wrote could not be read as a call: asked again, it usually writes another. */
function failureOf({ finish, blocked, candidate }: Stream): Failure | null {
  if (unusable.has(finish)) return unusableAnswer(`${finish}: ${stringAt(candidate, "finishMessage")}`);
  return finish === "" && blocked === "" ? brokenStream("the stream ended without a finish reason") : null;
}

const unusable: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MALFORMED_RESPONSE",
]);

function received(stream: Stream, idFor: ReturnType<typeof callIds>): Received {
  const blocks = stream.parts.map((part) => blockOf(part, idFor));
  const stop = stream.finish === "" ? "refusal" : (own(stops, stream.finish) ?? "unknown");
  const calls = blocks.some(({ type }) => type === "tool-call");
  return {
    type: "received",
    messageId: stringAt(stream.last, "responseId"),
    model: stringAt(stream.last, "modelVersion"),
    blocks,
    // There is no finish reason of its own for calls.
    stop: calls && stop === "end-turn" ? "tool-use" : stop,
    usage: geminiUsage(stream.usage),
    report: reportOf([stream.last, stream.candidate], reported),
  };
}

const reported = ["promptFeedback", "finishMessage", "safetyRatings"];

const stops: Readonly<Record<string, StopReason>> = {
  STOP: "end-turn",
  MAX_TOKENS: "output-limit",
  SAFETY: "refusal",
  RECITATION: "refusal",
  LANGUAGE: "refusal",
  BLOCKLIST: "refusal",
  PROHIBITED_CONTENT: "refusal",
  SPII: "refusal",
  MODEL_ARMOR: "refusal",
  IMAGE_SAFETY: "refusal",
  IMAGE_PROHIBITED_CONTENT: "refusal",
  IMAGE_RECITATION: "refusal",
};
