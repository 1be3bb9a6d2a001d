import { eventsOf } from "./event-stream.ts";
import type { Open } from "./model-stream.ts";
import { anthropicBase } from "./model-url.ts";

type Options = { readonly baseUrl: string; readonly apiKey: string; readonly timeoutMs: number };

/**
 * Messages requests over the official SDK. Everything it would take from the environment is given or switched off; the
 * body is passed as text with its content type, which the SDK sends as it is.
 */
export function openAnthropic({ baseUrl, apiKey, timeoutMs }: Options): Open {
  return async ({ request, fetch, signal }) => {
    const { Anthropic } = await import("@anthropic-ai/sdk");
    const { Stream } = await import("@anthropic-ai/sdk/core/streaming");
    const client = new Anthropic({
      baseURL: anthropicBase(baseUrl),
      // The SDK wants some key; where there is none, its header does not leave (`modelFetch`).
      apiKey: apiKey === "" ? "none" : apiKey,
      authToken: null,
      webhookKey: null,
      maxRetries: 0,
      timeout: timeoutMs,
      logLevel: "off",
      openTelemetry: false,
      fetch,
    });
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const response = await client.post("/v1/messages", { body: request.body, headers, signal }).asResponse();
    return eventsOf(Stream.rawEvents(response));
  };
}
