import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { classify, classifyStreamError } from "../../src/provider/classify.ts";

const http = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  classify({ type: "http-error", status, body, headers });
const anthropic = (type: string, message: string, error_code?: string) => ({
  type: "error",
  error: { type, message, ...(error_code === undefined ? {} : { details: { error_code } }) },
});
const openai = (message: string, code: string | null = null, type = "invalid_request_error") => ({
  error: { message, type, code, param: null },
});
const invalid = (message: string) => anthropic("invalid_request_error", message);

describe("C-121 · overflow is told from other faults, with the two numbers where they are given", () => {
  test.each([
    ["Anthropic", 400, invalid("prompt is too long: 212000 tokens > 200000 maximum"), 212000, 200000],
    [
      "Anthropic, input and output",
      400,
      invalid(
        "input length and `max_tokens` exceed context limit: 198000 + 8000 > 200000, decrease input length or `max_tokens` and try again",
      ),
      198000,
      200000,
    ],
    [
      "the same without quotes or numbers",
      400,
      invalid("input length and max_tokens exceed context limit"),
      null,
      null,
    ],
    [
      "OpenAI by code",
      400,
      openai(
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        "context_length_exceeded",
      ),
      null,
      null,
    ],
    [
      "OpenAI in words",
      400,
      openai(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130,512 tokens. Please reduce the length of the messages.",
      ),
      130512,
      128000,
    ],
    [
      "OpenAI, requested",
      400,
      openai(
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).",
      ),
      9000,
      8192,
    ],
    [
      "vLLM",
      400,
      {
        object: "error",
        message:
          "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages.",
        type: "BadRequestError",
        code: 400,
      },
      5000,
      4096,
    ],
    [
      "vLLM, newer",
      400,
      openai(
        "The decoder prompt (length 9001) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller.",
      ),
      null,
      8192,
    ],
    [
      "llama.cpp",
      400,
      {
        error: {
          code: 400,
          message: "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
          type: "exceed_context_size_error",
          n_prompt_tokens: 9000,
          n_ctx: 8192,
        },
      },
      9000,
      8192,
    ],
    [
      "llama.cpp, older",
      500,
      {
        error: {
          code: 500,
          message:
            "the request exceeds the available context size. try increasing the context size or enable context shift",
        },
      },
      null,
      null,
    ],
    [
      "Gemini behind a gateway",
      400,
      openai("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
      1200000,
      1048576,
    ],
    [
      "DeepSeek",
      400,
      openai(
        "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (66000 in the messages, 4000 in the completion).",
      ),
      70000,
      65536,
    ],
    [
      "Mistral",
      422,
      {
        detail:
          "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      },
      40000,
      32768,
    ],
    ["Bedrock style", 400, { message: "Input is too long for requested model." }, null, null],
    ["a code in details", 400, anthropic("invalid_request_error", "no", "model_context_window_exceeded"), null, null],
    ["the code's name as the whole message", 400, "context_length_exceeded", null, null],
    ["a gateway's class name", 400, openai("litellm.BadRequestError: ContextWindowExceededError: too big"), null, null],
    [
      "xAI",
      400,
      openai("This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
      140000,
      131072,
    ],
    [
      "Moonshot",
      400,
      openai("Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)"),
      140000,
      131072,
    ],
    [
      "Copilot",
      400,
      openai("prompt token count of 70000 exceeds the limit of 64000", "model_max_prompt_tokens_exceeded"),
      70000,
      64000,
    ],
    [
      "Together",
      422,
      openai(
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 512 `max_new_tokens`",
      ),
      5000,
      4097,
    ],
    [
      "LM Studio",
      400,
      {
        error:
          "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
      },
      null,
      4096,
    ],
    ["Ollama", 400, { error: "the input length exceeds the context length" }, null, null],
    [
      "Cerebras",
      400,
      openai(
        "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192",
        "context_length_exceeded",
      ),
      9000,
      8192,
    ],
    ["413 with HTML", 413, "<html>413 Request Entity Too Large</html>", null, null],
    ["413 with a body", 413, anthropic("request_too_large", "Request exceeds the maximum size"), null, null],
    ["as text that is JSON", 400, '{"error":{"message":"prompt is too long"}}', null, null],
  ] as const)("%s", (_name, status, body, promptTokens, limitTokens) => {
    expect(http(status, body)).toMatchObject({
      class: "overflow",
      status,
      ...(promptTokens === null ? {} : { promptTokens }),
      ...(limitTokens === null ? {} : { limitTokens }),
    });
  });

  test.each([
    [
      "429 that speaks of long context",
      429,
      anthropic(
        "rate_limit_error",
        "This request would exceed the rate limit for long context requests: prompt is too long for your tier",
      ),
      "rate-limited",
    ],
    ["429 without a type", 429, "too many tokens: long context rate limit exceeded", "rate-limited"],
    [
      "a tokens-per-minute limit",
      429,
      openai(
        "Rate limit reached for gpt-x on tokens per min. Limit: 30000, Requested: 45000.",
        "rate_limit_exceeded",
        "tokens",
      ),
      "rate-limited",
    ],
    [
      "a 400 on another field that has the word context",
      400,
      invalid("context_management: Extra inputs are not permitted"),
      "bad-request",
    ],
    [
      "a 400 on another field with context and length",
      400,
      invalid("metadata.context: string length must be at most 64"),
      "bad-request",
    ],
    [
      "a 400 on max_tokens alone",
      400,
      invalid("max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens for claude-x"),
      "bad-request",
    ],
    [
      "a 400 on max_tokens in other words",
      400,
      openai("max_tokens (200000) exceeds the maximum token limit of 8192"),
      "bad-request",
    ],
    ["a 400 on the context of a tool", 400, openai("Invalid 'tools[0].context': expected an object"), "bad-request"],
    ["an auth error that speaks of tokens", 401, openai("Your token has exceeded its limit"), "auth"],
    ["a broken server that speaks of context", 500, anthropic("api_error", "context exceeded while waiting"), "server"],
    ["context canceled", 500, "context canceled", "server"],
    ["context deadline exceeded", 500, "context deadline exceeded", "server"],
  ] as const)("not overflow: %s", (_name, status, body, want) => {
    expect(http(status, body).class).toBe(want);
  });
});

describe("every other failure by its code, then its status", () => {
  test.each([
    [400, invalid("messages: at least one message is required"), "bad-request"],
    [401, anthropic("authentication_error", "invalid x-api-key"), "auth"],
    [403, anthropic("permission_error", "no"), "auth"],
    [402, anthropic("billing_error", "no"), "billing"],
    [402, openai("Insufficient Balance"), "billing"],
    [429, openai("You exceeded your current quota", "insufficient_quota"), "billing"],
    [404, anthropic("not_found_error", "model: claude-y"), "not-found"],
    [404, "page not found", "not-found"],
    [408, "", "timeout"],
    [409, anthropic("conflict_error", "no"), "bad-request"],
    [422, { detail: [{ loc: ["body"], msg: "field required" }] }, "bad-request"],
    [429, null, "rate-limited"],
    [500, anthropic("api_error", "Internal server error"), "server"],
    [502, "<html>bad gateway</html>", "server"],
    [503, "", "overloaded"],
    [504, anthropic("timeout_error", "late"), "timeout"],
    [529, anthropic("overloaded_error", "Overloaded"), "overloaded"],
    [400, anthropic("invalid_request_error", "x", "thinking_binding_mismatch"), "binding"],
    [
      400,
      invalid(
        "messages.1.content.0: Invalid `signature` in `thinking` block: the block is bound to a different conversation",
      ),
      "binding",
    ],
    [400, invalid("messages.1.content.0: Invalid `signature` in `thinking` block"), "bad-request"],
    [400, openai("blocked", "content_filter"), "refused"],
  ] as const)("%s %j is %s", (status, body, want) => {
    const failure = http(status, body);
    expect(failure).toMatchObject({ class: want, status });
    expect(failure.message).not.toBe("");
  });

  test("a network error is network, or timeout when the time ran out", () => {
    expect(classify({ type: "network-error", message: "ECONNREFUSED", timedOut: false })).toMatchObject({
      class: "network",
      status: null,
      message: "ECONNREFUSED",
    });
    expect(classify({ type: "network-error", message: "idle", timedOut: true }).class).toBe("timeout");
  });

  test("an error inside a stream has no status of its own", () => {
    expect(classifyStreamError(anthropic("overloaded_error", "Overloaded"))).toMatchObject({
      class: "overloaded",
      status: null,
    });
    expect(classifyStreamError(invalid("prompt is too long: 5 tokens > 4 maximum"))).toMatchObject({
      class: "overflow",
      promptTokens: 5,
      limitTokens: 4,
    });
    expect(classifyStreamError(anthropic("something_new", "?")).class).toBe("server");
    expect(classifyStreamError({ error: { code: 429, message: "slow down" } })).toMatchObject({
      class: "rate-limited",
      status: 429,
    });
    expect(classifyStreamError("plain text").message).toBe("plain text");
  });

  test("law 10 · a message is kept up to errorCharsMax", () => {
    expect(http(400, "x".repeat(bounds.errorCharsMax * 2)).message.length).toBe(bounds.errorCharsMax);
  });
});

describe("retry-after", () => {
  const waitOf = (headers: Record<string, string>, nowMs: number | null = null, body: unknown = "") =>
    classify({ type: "http-error", status: 429, body, headers }, nowMs).retryAfterMs;

  test.each([
    [{ "retry-after": "20" }, 20_000],
    [{ "Retry-After": " 1.5 " }, 1_500],
    [{ "retry-after-ms": "350", "retry-after": "1" }, 350],
    [{ "retry-after": "Sun, 29 Nov 2026 10:00:30 GMT", date: "Sun, 29 Nov 2026 10:00:00 GMT" }, 30_000],
    [{ "retry-after": "Sun, 29 Nov 2026 09:00:00 GMT", date: "Sun, 29 Nov 2026 10:00:00 GMT" }, 0],
    [{ "retry-after": "Sun, 29 Nov 2026 10:00:30 GMT" }, null],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "-5" }, null],
    [{}, null],
  ] as const)("%j is %s ms", (headers, want) => {
    expect(waitOf(headers)).toBe(want);
  });

  test("a date without the server's own time is counted from ours, where the caller gives it", () => {
    expect(waitOf({ "retry-after": "Sun, 29 Nov 2026 10:00:30 GMT" }, Date.parse("2026-11-29T10:00:10Z"))).toBe(20_000);
  });

  test("a number in the body counts where no header says more", () => {
    expect(waitOf({}, null, { error: { retry_after: 3 } })).toBe(3_000);
  });
});
