import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { WireEvent } from "../ports/model.ts";
import { answerOf } from "./event-stream.ts";

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
  /** A response may be endless: behind so many bytes it breaks off. */
  readonly bytesMax: number;
  /** Anything else that comes in place of a stream of events is a refusal. */
  readonly expects: "events" | "json";
};

export function modelFetch({ headers, apiKey, bytesMax, expects }: Options): ModelFetch {
  let refused: HttpError | null = null;
  return {
    refused: () => refused,
    fetch: async (input, init) => {
      const sent = { ...init, headers: headersOf(new Headers(init?.headers), headers), redirect: "manual" as const };
      const response = await fetch(input, sent);
      const refusal = (status: number, body: unknown) => {
        refused = { type: "http-error", status, headers: namesOf(response.headers), body: withoutKeyIn(body, apiKey) };
        return new Response(null, { status: status < 300 ? 400 : status, headers: response.headers });
      };
      if (!response.ok) return refusal(response.status, movedTo(response) ?? bodyOf(await textOf(response)));
      const answer = limited(response, bytesMax);
      if (expects === "json") return answer;
      const made = await answerOf(answer);
      if (made.type === "events") return made.response;
      const { status, body } = inPlaceOfEvents(response.status, made.text);
      return refusal(status, body);
    },
  };
}

/** Redirects are not followed: the key would go along. Where it points to is named, without what may be secret in it. */
function movedTo({ status, headers, url }: Response): string | null {
  const location = headers.get("location");
  const target = status < 400 && location !== null ? URL.parse(location, url) : null;
  return target === null ? null : `the address has moved to ${target.origin}${target.pathname}`;
}

/** An error that came with a good status is one all the same; its own words say which. */
function inPlaceOfEvents(status: number, text: string): { readonly status: number; readonly body: unknown } {
  const body = bodyOf(text);
  const root: unknown = Array.isArray(body) ? body[0] : body;
  if (isRecord(root) && root.error !== undefined && root.error !== null) {
    const code = isRecord(root.error) ? root.error.code : undefined;
    return { status: typeof code === "number" && code >= 400 && code < 600 ? code : 500, body };
  }
  return { status, body: `the answer is no stream of events: ${text.trim().slice(0, 200).toWellFormed()}` };
}

/** Placeholders such as "none", for servers that check no key, are words like any other. */
const keyCharsMin = 8;

export function withoutKey(text: string, apiKey: string): string {
  return apiKey.length < keyCharsMin ? text : text.replaceAll(apiKey, "[key]");
}

/** The same in every text of a value: in JSON text a key may hide behind escapes, so it is looked for after parsing. */
export function withoutKeyIn(value: unknown, apiKey: string): unknown {
  if (typeof value === "string") return withoutKey(value, apiKey);
  if (Array.isArray(value)) return value.map((item) => withoutKeyIn(item, apiKey));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [withoutKey(name, apiKey), withoutKeyIn(member, apiKey)]),
  );
}

function limited(response: Response, bytesMax: number): Response {
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      bytes += chunk.length;
      if (bytes > bytesMax) out.error(new Error(`the response has more than ${bytesMax} bytes`));
      else out.enqueue(chunk);
    },
  });
  const { status, headers } = response;
  return new Response(response.body?.pipeThrough(counter) ?? null, { status, headers });
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
