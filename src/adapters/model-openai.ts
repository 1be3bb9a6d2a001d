import { eventsOf } from "./event-stream.ts";
import type { Open } from "./model-stream.ts";
import { openAiBase } from "./model-url.ts";

type Options = { readonly baseUrl: string; readonly apiKey: string; readonly timeoutMs: number };

/** Requests of OpenAI's two wires over the official SDK; as for Messages, nothing comes from the environment. */
export function openOpenAi(path: "/chat/completions" | "/responses"): (options: Options) => Open {
  return (options) => opened(path, options);
}

function opened(path: string, { baseUrl, apiKey, timeoutMs }: Options): Open {
  return async ({ request, fetch, signal }) => {
    const { OpenAI } = await import("openai");
    const { _iterSSEMessages: framesOf } = await import("openai/core/streaming");
    const client = new OpenAI({
      baseURL: openAiBase(baseUrl),
      apiKey: apiKey === "" ? "none" : apiKey,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      maxRetries: 0,
      timeout: timeoutMs,
      logLevel: "off",
      fetch,
    });
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const response = await client.post(path, { body: request.body, headers, signal }).asResponse();
    return eventsOf(framesOf(response, new AbortController()));
  };
}
