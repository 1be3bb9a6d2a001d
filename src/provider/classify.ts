import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { Failure, FailureClass } from "../log/entry.ts";
import type { WireEvent } from "../ports/model.ts";
import { listAt, numberAt, recordAt, recordOf, stringAt } from "./lenient.ts";
import { isOverflowCode, overflowSizes, type Sizes } from "./overflow.ts";
import { retryAfterInBody, retryAfterMs } from "./retry-after.ts";

type HttpError = Extract<WireEvent, { readonly type: "http-error" }>;
type NetworkError = Extract<WireEvent, { readonly type: "network-error" }>;

/** What a failed attempt was, for the retry rules (PROTOCOLS A.10, B.6, CASES C-121). */
export function classify(event: HttpError | NetworkError, nowMs: number | null = null): Failure {
  if (event.type === "network-error") {
    return { ...plainFailure, class: event.timedOut ? "timeout" : "network", message: cut(event.message) };
  }
  const said = saidBy(event.body);
  const sizes = overflowOf(event.status, said);
  return {
    ...plainFailure,
    ...sizes,
    class: sizes === null ? classOf(event.status, said) : "overflow",
    status: event.status,
    message: cut(said.message === "" ? `HTTP ${event.status} without a message` : said.message),
    retryAfterMs: retryAfterMs(event.headers, nowMs) ?? retryAfterInBody(said.error),
  };
}

/** An error that came inside a stream, after HTTP 200: only its own words say what it was. */
export function classifyStreamError(event: unknown): Failure {
  const said = saidBy(event);
  const status = numberAt(said.error, "status") ?? numberAt(said.error, "code") ?? numberAt(recordOf(event), "status");
  const http = status !== null && status >= 400 && status < 600 ? status : null;
  const sizes = overflowOf(http, said);
  return {
    ...plainFailure,
    ...sizes,
    class: sizes === null ? classOf(http, said) : "overflow",
    status: http,
    message: cut(said.message === "" ? "the stream carried an error without a message" : said.message),
    retryAfterMs: retryAfterInBody(said.error),
  };
}

/** The provider itself could not use what the model wrote; the next attempt may end otherwise. */
export function unusableAnswer(message: string): Failure {
  return { ...plainFailure, class: "server", message: cut(message) };
}

export function brokenStream(message: string): Failure {
  return { ...plainFailure, class: "broken-stream", message };
}

const plainFailure = { status: null, retryAfterMs: null, promptTokens: null, limitTokens: null } as const;

/** An error's parts, from whichever shape it came in. `codes` stand from the most telling to the least. */
type Said = {
  readonly codes: readonly string[];
  readonly message: string;
  readonly error: Readonly<Record<string, unknown>>;
};

function saidBy(body: unknown): Said {
  const parsed = typeof body === "string" ? parseJson(body) : { type: "ok" as const, value: body };
  const value = parsed.type === "ok" ? parsed.value : null;
  // Google wraps the error of a stream that never began into a list.
  const root: unknown = Array.isArray(value) ? value[0] : value;
  if (!isRecord(root)) return { codes: [], message: bareMessage(body), error: {} };
  // Most send `{error: {...}}`; Ollama a bare text under `error`, vLLM and FastAPI the parts at the top.
  const error = isRecord(root.error) ? root.error : root;
  const codes = [
    stringAt(recordAt(error, "details"), "error_code"),
    ...listAt(error, "details").map((detail) => stringAt(recordOf(detail), "reason")),
    stringAt(error, "error_code"),
    stringAt(error, "code"),
    stringAt(error, "type"),
    stringAt(error, "status"),
  ];
  const texts = [
    stringAt(error, "message"),
    stringAt(root, "error"),
    stringAt(root, "detail"),
    stringAt(root, "message"),
  ];
  const sizes = { promptTokens: numberAt(error, "n_prompt_tokens"), limitTokens: numberAt(error, "n_ctx") };
  const message = texts.find((text) => text !== "") ?? JSON.stringify(root);
  return { codes: codes.filter((code) => code !== ""), message, error: { ...error, ...sizes } };
}

function bareMessage(body: unknown): string {
  return typeof body === "string" ? body : (JSON.stringify(body) ?? "");
}

/**
 * Codes decide first, the status next, the wording last. Only a refused request can be an overflow: limits on rate, keys
 * and money also speak of tokens and "long context".
 */
function overflowOf(status: number | null, said: Said): Sizes | null {
  const worded = overflowSizes(said.message);
  const sizes = {
    promptTokens: numberAt(said.error, "n_prompt_tokens") ?? worded?.promptTokens ?? null,
    limitTokens: numberAt(said.error, "n_ctx") ?? worded?.limitTokens ?? null,
  };
  if (said.codes.some(isOverflowCode) || status === 413) return sizes;
  if (said.codes.some((code) => codeClasses.get(code.toLowerCase()) !== undefined)) return null;
  const refused = status === null || status === 400 || status === 422 || status === 500;
  return refused && worded !== null ? sizes : null;
}

function classOf(status: number | null, said: Said): FailureClass {
  for (const code of said.codes) {
    const known = codeClasses.get(code.toLowerCase());
    if (known !== undefined) return known;
  }
  if (isBinding(said)) return "binding";
  if (status === null) return "server";
  return statusClasses.get(status) ?? (status >= 500 ? "server" : "bad-request");
}

/**
 * A signature that belongs to another conversation (PROTOCOLS A.3), or, in Gemini's words, one that is missing or another
 * model's (C.2): the code where there is one, else the words.
 */
function isBinding({ codes, message }: Said): boolean {
  if (codes.some((code) => /binding|prefix_mismatch/i.test(code) || notItsOwn.has(code))) return true;
  if (/thought[_ ]?signature/i.test(message)) return true;
  return (
    /signature/i.test(message) && /bound to (?:a )?different|prefix.{0,20}(?:mismatch|changed)|binding/i.test(message)
  );
}

/** What the service itself made and does not know again: encrypted reasoning, or a summary of its own (PROTOCOLS A.5, B.4). */
const notItsOwn: ReadonlySet<string> = new Set([
  "invalid_encrypted_content",
  "compaction_signature_invalid",
  "compaction_content_mismatch",
  "compaction_tool_changes_mismatch",
  "compaction_block_misplaced",
  "compaction_block_ambiguous",
]);

const statusClasses: ReadonlyMap<number, FailureClass> = new Map([
  [401, "auth"],
  [402, "billing"],
  [403, "auth"],
  [404, "not-found"],
  [408, "timeout"],
  [429, "rate-limited"],
  [503, "overloaded"],
  [504, "timeout"],
  [529, "overloaded"],
]);

/** Names that mean one thing whatever the status. `invalid_request_error` is not among them: it says nothing yet. */
const codeClasses: ReadonlyMap<string, FailureClass> = new Map<string, FailureClass>([
  ["authentication_error", "auth"],
  ["permission_error", "auth"],
  ["invalid_api_key", "auth"],
  ["billing_error", "billing"],
  ["insufficient_quota", "billing"],
  ["insufficient_balance", "billing"],
  ["not_found_error", "not-found"],
  ["model_not_found", "not-found"],
  ["rate_limit_error", "rate-limited"],
  ["rate_limit_exceeded", "rate-limited"],
  ["rate_limit_reached_error", "rate-limited"],
  ["ramp_limit_exceeded", "rate-limited"],
  ["resource_exhausted", "rate-limited"],
  ["api_key_invalid", "auth"],
  ["permission_denied", "auth"],
  ["unauthenticated", "auth"],
  ["billing_disabled", "billing"],
  ["not_found", "not-found"],
  ["unavailable", "overloaded"],
  ["deadline_exceeded", "timeout"],
  ["internal", "server"],
  ["overloaded_error", "overloaded"],
  ["service_unavailable", "overloaded"],
  ["server_overloaded", "overloaded"],
  ["timeout_error", "timeout"],
  ["api_error", "server"],
  ["server_error", "server"],
  ["internal_server_error", "server"],
  ["server_is_overloaded", "overloaded"],
  ["slow_down", "overloaded"],
  // In a stream there is no status to say that the request itself is at fault.
  ["invalid_image", "bad-request"],
  ["invalid_image_format", "bad-request"],
  ["invalid_base64_image", "bad-request"],
  ["image_too_large", "bad-request"],
  ["image_parse_error", "bad-request"],
  ["unsupported_image_media_type", "bad-request"],
  ["invalid_prompt", "refused"],
  ["bio_policy", "refused"],
  ["misalignment_policy_violation", "refused"],
  ["image_content_policy_violation", "refused"],
  ["content_filter", "refused"],
  ["content_policy_violation", "refused"],
]);

function cut(message: string): string {
  return message.slice(0, bounds.errorCharsMax).toWellFormed();
}
