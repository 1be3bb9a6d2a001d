import type { StreamForm } from "./outcome.ts";

/** What is asked of the Gemini service, but for a model's answer. */
export type GeminiAsk =
  | { readonly type: "count"; readonly model: string }
  | { readonly type: "models" }
  | { readonly type: "model"; readonly model: string }
  | { readonly type: "caches" }
  | { readonly type: "create-cache" }
  | { readonly type: "read-cache" | "update-cache" | "delete-cache"; readonly name: string }
  | { readonly type: "unknown" };

export type GeminiRoute =
  | { readonly type: "generate"; readonly wire: "gemini"; readonly model: string; readonly stream: StreamForm }
  | { readonly type: "gemini"; readonly ask: GeminiAsk };

const modelAction = /^\/v1(?:beta)?\/models\/([^/:]+):([a-zA-Z]+)$/;
const oneModel = /^\/v1(?:beta)?\/models\/([^/:]+)$/;
const models = /^\/v1(?:beta)?\/models$/;
const caches = /^\/v1(?:beta)?\/cachedContents$/;
const oneCache = /^\/v1(?:beta)?\/(cachedContents\/[^/:]+)$/;
const onCache: Readonly<Record<string, "read-cache" | "update-cache" | "delete-cache">> = {
  GET: "read-cache",
  PATCH: "update-cache",
  DELETE: "delete-cache",
};

/** Null where the request is for another service. Both its key's places and its version are this service's own (STACK 5). */
export function geminiRoute(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): GeminiRoute | null {
  const { pathname, query } = partsOfPath(path);
  const named = modelAction.exec(pathname);
  const isOurs = named !== null || /^\/v1beta\/|\/cachedContents\b/.test(pathname) || geminiKey(path, headers) !== "";
  if (!isOurs) return null;
  const model = named?.[1] ?? "";
  if (method === "POST" && named?.[2] === "generateContent")
    return { type: "generate", wire: "gemini", model, stream: "none" };
  if (method === "POST" && named?.[2] === "streamGenerateContent")
    return { type: "generate", wire: "gemini", model, stream: query.get("alt") === "sse" ? "sse" : "list" };
  return {
    type: "gemini",
    ask: method === "POST" && named?.[2] === "countTokens" ? { type: "count", model } : askOf(method, pathname),
  };
}

/** The key in either of its places. */
export function geminiKey(path: string, headers: Readonly<Record<string, string>>): string {
  return (headers["x-goog-api-key"] ?? partsOfPath(path).query.get("key") ?? "").trim();
}

function partsOfPath(path: string): { readonly pathname: string; readonly query: URLSearchParams } {
  const [pathname = "", query = ""] = path.split("?");
  return { pathname, query: new URLSearchParams(query) };
}

function askOf(method: string, path: string): GeminiAsk {
  const model = oneModel.exec(path)?.[1];
  const name = oneCache.exec(path)?.[1];
  const cacheAsk = onCache[method];
  if (method === "GET" && models.test(path)) return { type: "models" };
  if (method === "GET" && model !== undefined) return { type: "model", model };
  if (method === "GET" && caches.test(path)) return { type: "caches" };
  if (method === "POST" && caches.test(path)) return { type: "create-cache" };
  if (name !== undefined && cacheAsk !== undefined) return { type: cacheAsk, name };
  return { type: "unknown" };
}
