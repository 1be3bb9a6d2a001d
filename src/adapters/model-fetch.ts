import { bounds } from "../kernel/bounds.ts";
import { parseJson } from "../kernel/json.ts";
import type { WireEvent } from "../ports/model.ts";

export type HttpError = Extract<WireEvent, { readonly type: "http-error" }>;

/** What the adapters lend an SDK in place of the platform's `fetch`. */
export type ModelFetch = {
  readonly fetch: typeof fetch;
  /** The refusal as it was received, once there was one: the SDKs' error objects keep only parts of it. */
  refused(): HttpError | null;
};

type Options = {
  /** Headers that are ours; with a few of the SDK's own they are all that leaves (no `*_CUSTOM_HEADERS` of the environment). */
  readonly headers: Readonly<Record<string, string>>;
  /** Never sent on to where a redirect points: redirects are not followed, and a refusal's text is freed of it. */
  readonly apiKey: string;
};

export function modelFetch({ headers, apiKey }: Options): ModelFetch {
  let refused: HttpError | null = null;
  return {
    refused: () => refused,
    fetch: async (input, init) => {
      const sent = { ...init, headers: headersOf(new Headers(init?.headers), headers), redirect: "manual" as const };
      const response = await fetch(input, sent);
      if (response.ok) return response;
      const text = withoutKey(await textOf(response), apiKey);
      refused = { type: "http-error", status: response.status, headers: namesOf(response.headers), body: bodyOf(text) };
      return new Response(null, { status: response.status, headers: response.headers });
    },
  };
}

export function withoutKey(text: string, apiKey: string): string {
  return apiKey === "" ? text : text.replaceAll(apiKey, "[key]");
}

const fromSdk = /^(?:accept|content-type|user-agent|x-stainless-.*)$/;

function headersOf(made: Headers, ours: Readonly<Record<string, string>>): Headers {
  const kept = [...made].filter(([name]) => fromSdk.test(name));
  const all = new Headers(kept);
  for (const [name, value] of Object.entries(ours)) all.set(name, value);
  return all;
}

function namesOf(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers].filter(([name]) => name !== "set-cookie"));
}

/** An error page may be long or endless; what is kept of it is short anyway. */
const errorBytesMax = 256 * 1024;

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    bytes += chunk.length;
    if (bytes > errorBytesMax) break;
  }
  return text;
}

function bodyOf(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.type === "ok" ? parsed.value : text.slice(0, bounds.errorCharsMax).toWellFormed();
}
