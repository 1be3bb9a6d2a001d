import type { Wire } from "../../kernel/usage.ts";
import { geminiError } from "./gemini-error.ts";

/** The provider's own shape of an error (PROTOCOLS A.10, B.6). */
export function errorBody(
  wire: Wire,
  error: {
    readonly status: number;
    readonly message: string;
    readonly type?: string;
    readonly code?: string;
    readonly param?: string;
    /** How long to wait, where the body says so. */
    readonly retrySeconds?: number | null;
  },
  requestId: string,
): string {
  const { status, message, code, param } = error;
  if (wire === "gemini") return JSON.stringify(geminiError(error));
  if (wire === "chat" || wire === "responses") {
    const type = error.type ?? (status >= 500 ? "server_error" : "invalid_request_error");
    return JSON.stringify({ error: { message, type, param: param ?? null, code: code ?? null } });
  }
  const type = error.type ?? anthropicTypes[status] ?? "api_error";
  const details = code === undefined ? {} : { details: { error_code: code } };
  return JSON.stringify({ type: "error", error: { type, message, ...details }, request_id: requestId });
}

const anthropicTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};
