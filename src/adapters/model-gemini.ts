import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { Open } from "./model-stream.ts";
import { geminiBase } from "./model-url.ts";

type Options = { readonly baseUrl: string; readonly apiKey: string; readonly timeoutMs: number };

/**
 * generateContent requests over the official SDK. Its public method makes a body of its own, so the request goes over the
 * client beneath, which sends a text as it is; that one is `protected`, hence the subclass (docs/decisions/0012). Everything
 * it would take from the environment is given.
 */
export function openGemini({ baseUrl, apiKey, timeoutMs }: Options): Open {
  return async ({ request, fetch, signal }) => {
    const { GoogleGenAI } = await import("@google/genai");
    const { url, version } = geminiBase(baseUrl);
    class Client extends GoogleGenAI {
      stream(path: string, body: string) {
        return this.apiClient.requestStream({ path, body, httpMethod: "POST", abortSignal: signal });
      }
    }
    const client = new Client({
      enterprise: false,
      // The SDK wants some key; where there is none, its header does not leave (`modelFetch`).
      apiKey: apiKey === "" ? "none" : apiKey,
      apiVersion: version,
      httpOptions: { baseUrl: url, apiVersion: version, timeout: timeoutMs, fetch },
    });
    return eventsOf(await client.stream(`${modelPath(request.model ?? "")}:streamGenerateContent`, request.body));
  };
}

/** Tuned models and the like name their collection themselves. */
function modelPath(model: string): string {
  const path = model.includes("/") ? model : `models/${model}`;
  return path.split("/").map(encodeURIComponent).join("/");
}

async function* eventsOf(chunks: AsyncIterable<{ json(): Promise<unknown> }>): AsyncIterable<unknown> {
  try {
    for await (const chunk of chunks) yield await chunk.json();
  } catch (error) {
    const said = errorIn(error);
    if (said === null) throw error;
    yield said;
  }
}

/** The SDK throws an error that comes inside the stream; its message ends with the frame, which the decoder classifies. */
function errorIn(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== "ApiError") return null;
  const frame = parseJson(error.message.slice(error.message.indexOf("{")));
  return frame.type === "ok" && isRecord(frame.value) && isRecord(frame.value.error) ? frame.value : null;
}
