import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { sdkModel } from "../../src/adapters/model.ts";
import { anthropicBase, openAiBase } from "../../src/adapters/model-url.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { WireEvent, WireRequest } from "../../src/ports/model.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { arbitraryDoc } from "../support/arbitrary-doc.ts";

type Seen = { readonly url: string; readonly headers: IncomingMessage["headers"]; readonly body: Buffer };
type Answer = (response: ServerResponse, seen: Seen) => void;

let server: Server;
let base = "";
let seen: Seen[] = [];
let answer: Answer = (response) => response.end();

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = { url: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) };
    seen.push(one);
    answer(response, one);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const others = {
    ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    ANTHROPIC_API_KEY: "ENVKEY",
    ANTHROPIC_AUTH_TOKEN: "ENVKEY",
    ANTHROPIC_CUSTOM_HEADERS: "x-env: ENVKEY",
    ANTHROPIC_LOG: "debug",
    OPENAI_BASE_URL: "http://127.0.0.1:1",
    OPENAI_API_KEY: "ENVKEY",
    OPENAI_ORG_ID: "ENVKEY",
    OPENAI_PROJECT_ID: "ENVKEY",
    OPENAI_CUSTOM_HEADERS: "x-env: ENVKEY",
    OPENAI_LOG: "debug",
    GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:1",
    GOOGLE_VERTEX_BASE_URL: "http://127.0.0.1:1",
    GOOGLE_GENAI_USE_VERTEXAI: "true",
    GOOGLE_GENAI_API_VERSION: "vENVKEY",
    GEMINI_API_KEY: "ENVKEY",
    GOOGLE_API_KEY: "ENVKEY",
    GOOGLE_CLOUD_PROJECT: "ENVKEY",
    GOOGLE_CLOUD_LOCATION: "ENVKEY",
  };
  for (const [name, value] of Object.entries(others)) vi.stubEnv(name, value);
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

type Tested = Wire;

const message = {
  id: "msg",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "日本 😀", annotations: [] }],
};

const frames: Readonly<Record<Tested, readonly unknown[]>> = {
  anthropic: [
    { type: "message_start", message: { id: "msg_1", model: "m", usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "日本 😀" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ],
  chat: [
    { id: "c", model: "m", choices: [{ index: 0, delta: { content: "日本 😀" }, finish_reason: null }] },
    { id: "c", model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { id: "c", choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } },
  ],
  responses: [
    { type: "response.created", response: { id: "r", model: "m", status: "in_progress", error: null } },
    { type: "response.output_item.added", output_index: 0, item: { ...message, content: [] } },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "日本 😀" },
    { type: "response.output_item.done", output_index: 0, item: message },
    { type: "response.completed", response: { id: "r", model: "m", status: "completed", error: null } },
  ],
  gemini: [
    { candidates: [{ content: { role: "model", parts: [{ text: "日本 😀" }] } }], modelVersion: "m" },
    { candidates: [{ finishReason: "STOP" }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 } },
  ],
};

const paths: Readonly<Record<Tested, string>> = {
  anthropic: "/v1/messages",
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  gemini: "/v1beta/models/gemini-4-argon:streamGenerateContent?alt=sse",
};
const keyHeaders: Readonly<Record<Tested, Readonly<Record<string, string>>>> = {
  anthropic: { "x-api-key": "TESTKEY-1", "anthropic-version": "v", "anthropic-beta": "b" },
  chat: { authorization: "Bearer TESTKEY-1" },
  responses: { authorization: "Bearer TESTKEY-1" },
  gemini: { "x-goog-api-key": "TESTKEY-1" },
};
const vendorModels: Readonly<Record<Tested, string>> = {
  anthropic: "claude-opus-5-5",
  chat: "gpt-5.5",
  responses: "gpt-6.2-sol",
  gemini: "gemini-4-argon",
};

function sse(wire: Tested, events = frames[wire]): string {
  return events
    .map((event) => {
      const type =
        wire !== "chat" && wire !== "gemini" && typeof event === "object" && event !== null && "type" in event
          ? `event: ${event.type}\n`
          : "";
      return `${type}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`;
    })
    .join("");
}

const streaming = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" });
const request = (wire: Wire, body = '{"model":"m","messages":[]}'): WireRequest => ({
  wire,
  ...(wire === "gemini" ? { model: vendorModels.gemini } : {}),
  body,
  headers: wire === "anthropic" ? { "anthropic-version": "v", "anthropic-beta": "b" } : {},
});

async function collect(
  wire: Wire,
  body?: string,
  options: { apiKey?: string; idleMsMax?: number; baseUrl?: string; signal?: AbortSignal } = {},
) {
  seen = [];
  const { signal = new AbortController().signal, ...rest } = options;
  const model = sdkModel({ wire, baseUrl: base, apiKey: "TESTKEY-1", ...rest });
  const events: WireEvent[] = [];
  for await (const event of model.stream(request(wire, body), signal)) events.push(event);
  return events;
}

const decode = (wire: Wire, events: readonly WireEvent[]) => {
  const decoder = codecFor(wire).decoder(() => "t");
  for (const event of events) decoder.push(event);
  return decoder.end();
};

describe.each(["anthropic", "chat", "responses", "gemini"] as const)("%s over its official SDK", (wire) => {
  test("the bytes on the socket are the encoded body, byte for byte", async () => {
    answer = (response) => streaming(response).end(sse(wire));
    const docs = fc.sample(arbitraryDoc(wire, vendorModels[wire]), { numRuns: 8, seed: 7 });
    for (const doc of docs) {
      const { body } = codecFor(wire).encode(doc, []);
      await collect(wire, body);
      expect(seen.map((one) => one.body.toString("utf8"))).toEqual([body]);
    }
  });

  test("a stream cut anywhere, also inside a character, is decoded the same", async () => {
    const bytes = Buffer.from(sse(wire));
    for (const step of [1, 7, 64]) {
      answer = async (response) => {
        streaming(response);
        for (let at = 0; at < bytes.length; at += step) {
          response.write(bytes.subarray(at, at + step));
          if (at % (step * 8) === 0) await new Promise((done) => setImmediate(done));
        }
        response.end();
      };
      expect(decode(wire, await collect(wire))).toMatchObject({
        type: "received",
        blocks: [{ type: "text", text: "日本 😀" }],
        stop: "end-turn",
      });
    }
  });

  test("path, key and headers are ours; nothing of the environment leaves or is used", async () => {
    answer = (response) => streaming(response).end(sse(wire));
    await collect(wire);
    const [one] = seen;
    expect(one?.url).toBe(paths[wire]);
    expect(one?.headers).toMatchObject(keyHeaders[wire]);
    expect(one?.headers["content-type"]).toBe("application/json");
    expect(JSON.stringify(one?.headers)).not.toContain("ENVKEY");
  });

  test("without a key no key header is sent", async () => {
    answer = (response) => streaming(response).end(sse(wire));
    await collect(wire, undefined, { apiKey: "" });
    expect(seen[0]?.headers).not.toHaveProperty("x-api-key");
    expect(seen[0]?.headers).not.toHaveProperty("authorization");
    expect(seen[0]?.headers).not.toHaveProperty("x-goog-api-key");
  });

  test.each([400, 401, 408, 409, 413, 429, 500, 503, 529])(
    "HTTP %s comes back whole, after one attempt",
    async (status) => {
      const body = { type: "error", error: { type: "some_error", message: "why", details: { error_code: "c" } } };
      answer = (response) =>
        response
          .writeHead(status, { "content-type": "application/json", "retry-after": "3", "x-should-retry": "true" })
          .end(JSON.stringify(body));
      const events = await collect(wire);
      expect(events).toMatchObject([{ type: "http-error", status, headers: { "retry-after": "3" }, body }]);
      expect(seen.length).toBe(1);
    },
  );

  test("a refusal that is no JSON is kept as text, cut, and without the key it repeats (C-119)", async () => {
    answer = (response) =>
      response.writeHead(401, { "content-type": "text/html" }).end(`bad key TESTKEY-1 ${"x".repeat(10_000)}`);
    const [event] = await collect(wire);
    expect(event).toMatchObject({ type: "http-error", status: 401 });
    expect(JSON.stringify(event)).not.toContain("TESTKEY-1");
    const kept = event?.type === "http-error" ? String(event.body).length : 0;
    // Leaving the key out behind the cut makes it a little shorter.
    expect(kept).toBeLessThanOrEqual(bounds.errorCharsMax);
    expect(kept).toBeGreaterThan(bounds.errorCharsMax - 100);
  });

  test("a redirect is not followed, so the key goes nowhere else (C-119)", async () => {
    answer = (response) => response.writeHead(307, { location: `${base}/elsewhere` }).end();
    expect(await collect(wire)).toMatchObject([{ type: "http-error", status: 307 }]);
    expect(seen.length).toBe(1);
  });

  test("a refused connection is a network error that says what happened", async () => {
    const events = await collect(wire, undefined, { baseUrl: "http://127.0.0.1:1" });
    expect(events).toMatchObject([{ type: "network-error", timedOut: false }]);
    expect(JSON.stringify(events)).toMatch(/ECONNREFUSED|bad port/);
  });

  test("a connection that breaks in the stream is a failure, after what came before it", async () => {
    answer = (response) => {
      streaming(response).write(sse(wire).slice(0, 200));
      setTimeout(() => response.destroy(), 20);
    };
    const events = await collect(wire);
    expect(events.at(-1)).toMatchObject({ type: "network-error", timedOut: false });
    expect(decode(wire, events)).toMatchObject({ type: "failed", failure: { class: "network" } });
  });

  test("a stream that just ends is broken", async () => {
    answer = (response) => streaming(response).end(sse(wire, frames[wire].slice(0, 1)));
    expect(decode(wire, await collect(wire))).toMatchObject({ type: "failed", failure: { class: "broken-stream" } });
  });

  test("an error inside the stream reaches the decoder", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    answer = (response) => streaming(response).end(sse(wire, [frames[wire][0], error]));
    expect(decode(wire, await collect(wire))).toMatchObject({
      type: "failed",
      failure: { class: "overloaded", message: "Overloaded" },
    });
  });

  test("a frame that is no JSON is a failure, not a crash", async () => {
    answer = (response) => streaming(response).end(sse(wire, [frames[wire][0], '{"cut']));
    expect(decode(wire, await collect(wire))).toMatchObject({ type: "failed", failure: { class: "network" } });
  });

  test.each(["before the answer", "inside the stream"])(
    "law 10 · silence %s ends the attempt as a timeout",
    async (when) => {
      answer = (response) =>
        void (when === "inside the stream" && streaming(response).write(sse(wire, frames[wire].slice(0, 1))));
      const events = await collect(wire, undefined, { idleMsMax: 80 });
      expect(events.at(-1)).toMatchObject({ type: "network-error", timedOut: true });
      expect(events.length).toBe(when === "inside the stream" ? 2 : 1);
    },
  );

  test.each(["before the answer", "inside the stream"])(
    "an abort %s ends the stream at once, without an error event",
    async (when) => {
      const controller = new AbortController();
      answer = (response) => {
        if (when === "inside the stream") streaming(response).write(sse(wire, frames[wire].slice(0, 1)));
        setTimeout(() => controller.abort(), 30);
      };
      const events = await collect(wire, undefined, { signal: controller.signal });
      expect(events.filter((event) => event.type !== "event")).toEqual([]);
    },
  );

  test("an aborted signal sends nothing", async () => {
    expect(await collect(wire, undefined, { signal: AbortSignal.abort() })).toEqual([]);
    expect(seen).toEqual([]);
  });
});

test("Messages · frames without an event name are read too", async () => {
  answer = (response) => streaming(response).end(sse("chat", frames.anthropic));
  expect(decode("anthropic", await collect("anthropic"))).toMatchObject({ type: "received", stop: "end-turn" });
});

test("Responses · a failure said by the last event, or by an error without a frame around it, keeps its code and no key", async () => {
  const error = { code: "context_length_exceeded", message: "TESTKEY-1 too long" };
  for (const last of [
    { type: "response.failed", response: { id: "r", status: "failed", error } },
    { type: "error", ...error, param: null },
  ]) {
    answer = (response) => streaming(response).end(sse("responses", [frames.responses[0], last]));
    const events = await collect("responses");
    expect(decode("responses", events)).toMatchObject({ type: "failed", failure: { class: "overflow" } });
    expect(JSON.stringify(events)).not.toContain("TESTKEY-1");
  }
});

test("Gemini · the key is never in the address, and a model that names its collection keeps it (C-119)", async () => {
  const address = async (model: string, baseUrl: string) => {
    seen = [];
    answer = (response) => streaming(response).end(sse("gemini"));
    const client = sdkModel({ wire: "gemini", baseUrl, apiKey: "TESTKEY-1" });
    const sent = { wire: "gemini" as const, model, body: "{}", headers: {} };
    for await (const _ of client.stream(sent, new AbortController().signal));
    return seen[0]?.url;
  };
  expect(await address("m", base)).toBe("/v1beta/models/m:streamGenerateContent?alt=sse");
  expect(await address("tunedModels/x y", `${base}/v1/`)).toBe("/v1/tunedModels/x%20y:streamGenerateContent?alt=sse");
  expect(await address("m?key=1", `${base}/gw/v1beta/models`)).toBe(
    "/gw/v1beta/models/m%3Fkey%3D1:streamGenerateContent?alt=sse",
  );
});

test("a base address is taken with or without its version and path", () => {
  for (const url of ["https://h", "https://h/", "https://h/v1", "https://h/v1/", " https://h/v1/messages "])
    expect(anthropicBase(url)).toBe("https://h");
  expect(anthropicBase("https://h/anthropic/v1")).toBe("https://h/anthropic");
  for (const url of [
    "https://h",
    "https://h/",
    "https://h/v1",
    "https://h/v1/chat/completions",
    "https://h/v1/responses",
  ])
    expect(openAiBase(url)).toBe("https://h/v1");
  expect(openAiBase("https://openrouter.ai/api")).toBe("https://openrouter.ai/api/v1");
  expect(openAiBase("https://h/v1beta/openai/")).toBe("https://h/v1beta/openai");
  expect(openAiBase("https://h/api/paas/v4")).toBe("https://h/api/paas/v4");
});
