import { describe, expect, test } from "vitest";
import { classify, classifyStreamError } from "../../src/provider/classify.ts";

const google = (code: number, status: string, message: string, details: readonly object[] = []) => ({
  error: { code, status, message, details },
});
const http = (code: number, status: string, message: string, details: readonly object[] = []) =>
  classify({ type: "http-error", status: code, headers: {}, body: google(code, status, message, details) });
const retryInfo = (retryDelay: string) => ({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay });

describe("C-121 · Google's errors", () => {
  test.each([
    ["The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1200000, 1048576],
    ["The input token count exceeds the maximum number of tokens allowed 1048576.", null, 1048576],
    ["The input token count (40,001) exceeds the maximum number of tokens allowed (32,768)", 40001, 32768],
  ])("overflow: %s", (message, promptTokens, limitTokens) => {
    expect(http(400, "INVALID_ARGUMENT", message)).toMatchObject({ class: "overflow", promptTokens, limitTokens });
    expect(classifyStreamError(google(400, "INVALID_ARGUMENT", message))).toMatchObject({
      class: "overflow",
      limitTokens,
    });
  });

  test.each([
    [429, "RESOURCE_EXHAUSTED", "You exceeded your current quota for input tokens per minute.", "rate-limited"],
    [503, "UNAVAILABLE", "The model is overloaded. Please try again later.", "overloaded"],
    [504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete.", "timeout"],
    [500, "INTERNAL", "An internal error has occurred.", "server"],
    [403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers.", "auth"],
    [401, "UNAUTHENTICATED", "Request had invalid authentication credentials.", "auth"],
    [404, "NOT_FOUND", "models/gemini-9 is not found for API version v1beta.", "not-found"],
    [400, "INVALID_ARGUMENT", "Unable to submit request because it has an empty text parameter.", "bad-request"],
    [400, "FAILED_PRECONDITION", "User location is not supported for the API use.", "bad-request"],
    [400, "INVALID_ARGUMENT", "Function call is missing a thought_signature in functionCall parts.", "binding"],
    [400, "INVALID_ARGUMENT", "Invalid/Corrupted thought signature.", "binding"],
    [400, "INVALID_ARGUMENT", "Thought signature is not valid.", "binding"],
  ])("%i %s: %s", (code, status, message, want) => {
    expect(http(code, status, message)).toMatchObject({ class: want, status: code, message });
    expect(classifyStreamError(google(code, status, message)).class).toBe(want);
  });

  test("a wrong key comes as an invalid argument; its reason says what it is", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
    expect(http(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", details).class).toBe(
      "auth",
    );
  });

  test.each([
    ["12s", 12_000],
    ["34.074824224s", 34_075],
    ["0s", 0],
    ["soon", null],
  ])("a retry delay of %s", (delay, want) => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.QuotaFailure" }, retryInfo(delay)];
    expect(http(429, "RESOURCE_EXHAUSTED", "quota", details).retryAfterMs).toBe(want);
    expect(classifyStreamError(google(429, "RESOURCE_EXHAUSTED", "quota", details)).retryAfterMs).toBe(want);
  });

  test("an error that stands in a list is read, as a stream that never began gives it", () => {
    const body = [google(503, "UNAVAILABLE", "overloaded")];
    expect(classify({ type: "http-error", status: 503, headers: {}, body })).toMatchObject({
      class: "overloaded",
      message: "overloaded",
    });
    expect(classify({ type: "http-error", status: 500, headers: {}, body: [] }).class).toBe("server");
  });
});
