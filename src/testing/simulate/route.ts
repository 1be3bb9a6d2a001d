import type { Wire } from "../../kernel/usage.ts";
import type { SimRequest } from "./core.ts";
import { type GeminiRoute, geminiKey, geminiRoute } from "./gemini-route.ts";
import type { StreamForm } from "./outcome.ts";

/** What a request's method and path ask for. */
export type Route =
  | {
      readonly type: "generate";
      readonly wire: Wire;
      /** Where the path says them and not the body. */
      readonly model?: string;
      readonly stream?: StreamForm;
      /** For a window to go on from, not for an answer (PROTOCOLS B.4). */
      readonly isWindow?: boolean;
    }
  | { readonly type: "count"; readonly wire: Wire }
  | { readonly type: "models" }
  | GeminiRoute
  | { readonly type: "alive" }
  | { readonly type: "unknown" };

const routes: Readonly<Record<string, Route>> = {
  "POST /v1/messages": { type: "generate", wire: "anthropic" },
  "POST /v1/messages/count_tokens": { type: "count", wire: "anthropic" },
  "POST /v1/chat/completions": { type: "generate", wire: "chat" },
  "POST /chat/completions": { type: "generate", wire: "chat" },
  "POST /v1/responses": { type: "generate", wire: "responses" },
  "POST /responses": { type: "generate", wire: "responses" },
  "POST /v1/responses/compact": { type: "generate", wire: "responses", stream: "none", isWindow: true },
  "POST /responses/compact": { type: "generate", wire: "responses", stream: "none", isWindow: true },
  "POST /v1/responses/input_tokens": { type: "count", wire: "responses" },
  "POST /responses/input_tokens": { type: "count", wire: "responses" },
  "GET /v1/models": { type: "models" },
  "GET /models": { type: "models" },
  "HEAD /": { type: "alive" },
  "GET /": { type: "alive" },
};

export function routeOf(method: string, path: string, headers: Readonly<Record<string, string>>): Route {
  return geminiRoute(method, path, headers) ?? routes[`${method} ${path.split("?")[0]}`] ?? { type: "unknown" };
}

/** A key in the address is as good as one in a header, where the service has it there. */
export function withKey(request: SimRequest): SimRequest {
  const key = geminiKey(request.path, request.headers);
  return key === "" ? request : { ...request, headers: { ...request.headers, "x-goog-api-key": key } };
}
