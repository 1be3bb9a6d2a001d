import { isRecord } from "../../kernel/canonical.ts";
import { type Wire, wires } from "../../kernel/usage.ts";
import { event } from "./anthropic-reply.ts";
import type { CallIds } from "./chat-reply.ts";
import { errorBody } from "./error-body.ts";
import { geminiStatus } from "./gemini-error.ts";
import { geminiNoise } from "./gemini-frames.ts";
import { emptyText, novelty } from "./odd-blocks.ts";
import type { Delivery } from "./outcome.ts";
import { type Condition, readCondition } from "./script-condition.ts";
import { type StreamFailure, streamFailure } from "./stream-failure.ts";
import { numberOf, textOf } from "./value.ts";

/** What one fault does. Refusals come before the request is read; the others change a good answer. */
export type FaultEffect =
  | {
      readonly type: "refuse";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly type: "deliver"; readonly delivery: Partial<Delivery> }
  | { readonly type: "cold" }
  | { readonly type: "frames"; readonly change: (frames: readonly string[], wire: Wire) => readonly string[] }
  | { readonly type: "calls"; readonly callIds: CallIds }
  | { readonly type: "blocks"; readonly raw: readonly { readonly type: string; readonly [member: string]: unknown }[] };

export type Fault = {
  readonly kind: FaultKind;
  /** Matching requests let through first, and then hit. */
  readonly skip: number;
  readonly times: number;
  readonly wire: Wire | null;
  /** Milliseconds, seconds, bytes, frames or tokens, as the kind has it; null takes its default. */
  readonly value: number | null;
  readonly message: string | null;
  /** What a request must be to be struck; without it, any is. */
  readonly when?: Condition;
};

type Make = (fault: Fault, wire: Wire) => FaultEffect;

/** Every fault by name; `value` is explained beside each. */
const makers = {
  /** value: seconds of `retry-after`, or of Gemini's `retryDelay`; null sends none. */
  "rate-limit": (fault, wire) =>
    refusal(wire, fault, 429, "Number of requests has exceeded your rate limit", retryAfter(fault)),
  overloaded: (fault, wire) => refusal(wire, fault, 529, "Overloaded", retryAfter(fault)),
  /** A summary of the service's own could not be made for now (A.5). */
  "compaction-unavailable": (fault, wire) =>
    refusal(wire, fault, 529, "Compaction is temporarily unavailable", {}, "compaction_unavailable"),
  "server-error": (fault, wire) => refusal(wire, fault, 500, "Internal server error"),
  unavailable: (fault, wire) => refusal(wire, fault, 503, "Service unavailable", retryAfter(fault)),
  /** Made at the edge: the body is not JSON. */
  "too-large": () => ({
    type: "refuse",
    status: 413,
    headers: { "content-type": "text/html" },
    body: "<html><h1>413 Request Entity Too Large</h1></html>",
  }),
  /** value: tokens claimed; the limit is one less than a thousandth below it. */
  "too-long": (fault, wire) => tooLong(wire, fault.value ?? 210_000),
  "bad-request": (fault, wire) =>
    refusal(wire, fault, 400, "tools.0: this field is not allowed in the context of this request"),
  billing: (fault, wire) => refusal(wire, fault, 402, "Your credit balance is too low"),
  forbidden: (fault, wire) =>
    refusal(wire, fault, 403, "Your API key does not have permission to use the specified resource"),
  "not-found": (fault, wire) => refusal(wire, fault, 404, "Not found"),
  /** The connection is torn before any header. */
  reset: () => ({ type: "deliver", delivery: { end: "reset" } }),
  /** value: milliseconds before the first byte. */
  late: (fault) => ({ type: "deliver", delivery: { delayMs: fault.value ?? 200 } }),
  /** value: bytes per write. */
  split: (fault) => ({ type: "deliver", delivery: { splitBytes: Math.max(1, fault.value ?? 1) } }),
  /** value: bytes of the body that still arrive. */
  cut: (fault) => ({ type: "deliver", delivery: { end: "cut", afterBytes: fault.value ?? 900 } }),
  stall: (fault) => ({ type: "deliver", delivery: { end: "stall", afterBytes: fault.value ?? 900 } }),
  /** value: frames that arrive before `event: error`. */
  "stream-error": (fault) => broken(fault, { ...overloaded, as: "error" }),
  /** value: frames that arrive before the response fails, where the wire has a word for that. */
  "stream-failed": (fault) => broken(fault, { ...overloaded, as: "failed" }),
  /** value: frames that arrive before the window turns out to be too small; a response fails, without a status. */
  "stream-overflow": (fault, wire) =>
    broken(fault, {
      type: "invalid_request_error",
      code: "context_length_exceeded",
      message: overflowError(wire, 210_000, 209_790).message,
      as: "failed",
    }),
  /** value: frames that arrive before the stream ends politely without its last events. */
  "early-end": (fault) => ({
    type: "frames",
    change: (frames) => frames.slice(0, fault.value ?? 4).slice(0, frames.length - 1),
  }),
  /** Pings, comments and unknown events between all frames. */
  noise: () => ({
    type: "frames",
    change: (frames, wire) => frames.flatMap((frame) => [frame, ...noise(frame, wire)]),
  }),
  /** All that was cached is gone when the request comes in. */
  "cold-cache": () => ({ type: "cold" }),
  "call-without-id": () => ({ type: "calls", callIds: "missing" }),
  "call-with-empty-id": () => ({ type: "calls", callIds: "empty" }),
  "empty-text": (_fault, wire) => ({ type: "blocks", raw: [emptyText(wire)] }),
  "unknown-block": () => ({ type: "blocks", raw: [novelty] }),
} as const satisfies Readonly<Record<string, Make>>;

export type FaultKind = keyof typeof makers;

export function effectOf(fault: Fault, wire: Wire): FaultEffect {
  const make: Make = makers[fault.kind];
  return make(fault, wire);
}

/** A fault as it came over the control port; a text says what is wrong with it. */
export function readFault(value: unknown): Fault | string {
  if (!isRecord(value)) return "a fault is an object with a kind";
  const { kind, wire } = value;
  if (!isFaultKind(kind)) return `unknown kind ${JSON.stringify(kind)}; known: ${Object.keys(makers).join(", ")}`;
  const when = value.when == null ? undefined : readCondition(value.when);
  if (typeof when === "string") return `"when": ${when}`;
  return {
    kind,
    skip: numberOf(value.skip) ?? 0,
    times: numberOf(value.times) ?? 1,
    wire: wires.find((one) => one === wire) ?? null,
    value: numberOf(value.value),
    message: textOf(value.message) || null,
    ...(when === undefined ? {} : { when }),
  };
}

function isFaultKind(kind: unknown): kind is FaultKind {
  return typeof kind === "string" && Object.hasOwn(makers, kind);
}

function retryAfter(fault: Fault): Readonly<Record<string, string>> {
  return fault.value === null ? {} : { "retry-after": String(fault.value) };
}

function refusal(
  wire: Wire,
  fault: Fault,
  status: number,
  usual: string,
  headers: Readonly<Record<string, string>> = {},
  code?: string,
): FaultEffect {
  const retrySeconds = "retry-after" in headers ? fault.value : null;
  const error = { status, message: fault.message ?? usual, retrySeconds, ...(code === undefined ? {} : { code }) };
  const body = errorBody(wire, error, "req_simulated_fault");
  const json = { "content-type": "application/json" };
  if (wire === "gemini") return { type: "refuse", status: geminiStatus(status), headers: json, body };
  return { type: "refuse", status, headers: { ...json, ...headers }, body };
}

function tooLong(wire: Wire, tokens: number): FaultEffect {
  const limit = Math.floor((tokens * 999) / 1_000);
  return {
    type: "refuse",
    status: 400,
    headers: { "content-type": "application/json" },
    body: errorBody(wire, overflowError(wire, tokens, limit), "req_simulated_fault"),
  };
}

/** The usual words of an overflow, on each wire (PROTOCOLS A.10, B.6). */
export function overflowError(
  wire: Wire,
  tokens: number,
  limit: number,
): { readonly status: number; readonly message: string; readonly code?: string; readonly param?: string } {
  if (wire === "anthropic") return { status: 400, message: `prompt is too long: ${tokens} tokens > ${limit} maximum` };
  if (wire === "responses") {
    const message = "Your input exceeds the context window of this model. Please adjust your input and try again.";
    return { status: 400, message, code: "context_length_exceeded", param: "input" };
  }
  if (wire === "gemini") {
    const message = `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${limit}).`;
    return { status: 400, message };
  }
  const message = `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
  return { status: 400, message, code: "context_length_exceeded", param: "messages" };
}

const overloaded = { type: "overloaded_error", code: null, message: "Overloaded" } as const;

function broken(fault: Fault, failure: StreamFailure): FaultEffect {
  const told = { ...failure, message: fault.message ?? failure.message };
  return {
    type: "frames",
    change: (frames, wire) => {
      const sent = frames.slice(0, fault.value ?? 4);
      return [...sent, streamFailure(wire, sent, told)];
    },
  };
}

function noise(frame: string, wire: Wire): readonly string[] {
  if (/message_stop|\[DONE\]|"type":"response\.(completed|incomplete)"/.test(frame)) return [];
  if (wire === "gemini") return geminiNoise(frame);
  if (wire === "chat") return [": keep-alive\n\n"];
  return [": comment\n\n", event({ type: "ping" }), event({ type: "simulated_unknown_event", detail: { at: 1 } })];
}
