import { parseJson } from "../../kernel/json.ts";
import type { Wire } from "../../kernel/usage.ts";
import { event } from "./anthropic-reply.ts";
import { geminiError } from "./gemini-error.ts";
import { geminiEvent } from "./gemini-frames.ts";
import { recordOf } from "./value.ts";

export type StreamFailure = {
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
  /** The Responses wire has two ways: an `error` event, or a response that failed (PROTOCOLS B.6). */
  readonly as: "error" | "failed";
};

/** The last event of a stream that breaks; `sent` is what came before it. */
export function streamFailure(wire: Wire, sent: readonly string[], failure: StreamFailure): string {
  return shapes[wire](failure, sent);
}

const shapes: Readonly<Record<Wire, (failure: StreamFailure, sent: readonly string[]) => string>> = {
  anthropic: ({ type, message }) => event({ type: "error", error: { type, message } }),
  chat: chatFailure,
  responses: responsesFailure,
  gemini: ({ code, message }) => geminiEvent(geminiError({ status: code === null ? 503 : 400, message })),
};

function chatFailure({ code, message }: StreamFailure): string {
  const type = code === null ? "server_error" : "invalid_request_error";
  return `data: ${JSON.stringify({ error: { message, type, param: null, code } })}\n\n`;
}

function responsesFailure({ code, message, as }: StreamFailure, sent: readonly string[]): string {
  const sequence_number = sent.length;
  if (as === "error")
    return event({ type: "error", code: code ?? "server_error", message, param: null, sequence_number });
  const error = { code: code ?? "server_error", message };
  const response = { ...responseOf(sent[0] ?? ""), status: "failed", error };
  return event({ type: "response.failed", sequence_number, response });
}

/** The response that `response.created` announced. */
function responseOf(frame: string): Readonly<Record<string, unknown>> {
  const data = parseJson(/^data: (.*)$/m.exec(frame)?.[1] ?? "{}");
  return data.type === "ok" ? recordOf(recordOf(data.value).response) : {};
}
