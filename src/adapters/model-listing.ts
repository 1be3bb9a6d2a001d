import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { Wire } from "../kernel/usage.ts";
import type { ListedModel } from "../provider/listed-model.ts";
import { type ListingPage, listingPage, listingPath } from "../provider/listing.ts";
import { codeOf } from "./fs-error.ts";
import { modelFetch, withoutKey } from "./model-fetch.ts";
import { type Endpoint, vendorUrls } from "./model-route.ts";
import { anthropicBase, geminiBase, openAiBase } from "./model-url.ts";

export type Listing =
  | {
      readonly type: "listed";
      readonly models: readonly ListedModel[];
      /** What the answer's headers say of limits: requests and tokens that are left, and when they are given anew. */
      readonly limits: Readonly<Record<string, string>>;
    }
  /** `status` null: nothing was answered, or nothing that can be read. */
  | { readonly type: "failed"; readonly status: number | null; readonly why: string };

type Asked = { readonly wire: Wire; readonly endpoint: Endpoint; readonly timeoutMs: number };

/** Asks a provider which models it has. Every failure is a value, and none of it shows the key. */
export async function listModels({ wire, endpoint, timeoutMs }: Asked): Promise<Listing> {
  const { apiKey, baseUrl = vendorUrls[wire] } = endpoint;
  const url = URL.parse(baseUrl.trim());
  // The platform refuses such an address, and shows the password where it does.
  if (url === null || url.username !== "" || url.password !== "")
    return { type: "failed", status: null, why: "an address without a name and password in it is needed" };
  const signal = AbortSignal.timeout(timeoutMs);
  const models: ListedModel[] = [];
  const limits: Record<string, string> = {};
  let cursor: string | null = null;
  try {
    for (let page = 0; page < bounds.listingPagesMax; page++) {
      const answer = await pageAt(wire, endpoint, listingPath(wire, cursor), signal);
      if (answer.type === "refused") return { type: "failed", status: answer.status, why: answer.why };
      Object.assign(limits, answer.limits);
      models.push(...answer.page.models);
      cursor = answer.page.next;
      if (cursor === null) break;
    }
    return { type: "listed", models, limits };
  } catch (error) {
    if (signal.aborted) return { type: "failed", status: null, why: `no answer within ${timeoutMs / 1_000} s` };
    return { type: "failed", status: null, why: withoutKey(reasonOf(error), apiKey) };
  }
}

/** Where an endpoint stands, without what may be secret in an address; names a kept listing. null: that is no address. */
export function addressOf(wire: Wire, { baseUrl = vendorUrls[wire] }: Endpoint): string | null {
  const url = URL.canParse(baseUrl.trim()) ? URL.parse(bases[wire](baseUrl)) : null;
  return url === null ? null : `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

type Answer =
  | { readonly type: "page"; readonly page: ListingPage; readonly limits: Readonly<Record<string, string>> }
  | { readonly type: "refused"; readonly status: number; readonly why: string };

async function pageAt(wire: Wire, endpoint: Endpoint, path: string, signal: AbortSignal): Promise<Answer> {
  const { apiKey, baseUrl = vendorUrls[wire] } = endpoint;
  const headers = { accept: "application/json", ...(apiKey === "" ? {} : keyHeaders[wire](apiKey)) };
  const transport = modelFetch({ headers, apiKey, bytesMax: bounds.listingBytesMax, expects: "json" });
  const response = await transport.fetch(`${bases[wire](baseUrl)}${path}`, { signal });
  const { status } = response;
  if (!response.ok) return { type: "refused", status, why: refusalText(status, transport.refused()?.body) };
  const parsed = parseJson(await response.text());
  const page = parsed.type === "ok" ? listingPage(wire, parsed.value) : null;
  if (page === null) return { type: "refused", status, why: "the answer is no listing of models" };
  return { type: "page", page, limits: limitsIn(response.headers) };
}

const bases: Readonly<Record<Wire, (baseUrl: string) => string>> = {
  anthropic: anthropicBase,
  chat: openAiBase,
  responses: openAiBase,
  gemini(baseUrl) {
    const { url, version } = geminiBase(baseUrl);
    return `${url}/${version}`;
  },
};

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });
const keyHeaders: Readonly<Record<Wire, (apiKey: string) => Readonly<Record<string, string>>>> = {
  anthropic: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": "2026-10-21" }),
  chat: bearer,
  responses: bearer,
  gemini: (apiKey) => ({ "x-goog-api-key": apiKey }),
};

function limitsIn(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers].filter(([name]) => /ratelimit|^retry-after/.test(name)));
}

function refusalText(status: number, body: unknown): string {
  const error = isRecord(body) && isRecord(body.error) ? body.error : body;
  const said = isRecord(error) && typeof error.message === "string" ? `: ${error.message.slice(0, saidCharsMax)}` : "";
  return `status ${status}${said}`;
}

const saidCharsMax = 200;

/** `fetch` says "fetch failed"; what happened stands in the causes. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const said = error.message === "" ? codeOf(error) : error.message;
  return error.cause === undefined ? said : `${said}: ${reasonOf(error.cause)}`;
}
