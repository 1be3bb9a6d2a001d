import type { Wire } from "../../kernel/usage.ts";

/** What a request's method and path ask for. */
export type Route =
  | { readonly type: "generate"; readonly wire: Wire }
  | { readonly type: "count"; readonly wire: Wire }
  | { readonly type: "models" }
  | { readonly type: "alive" }
  | { readonly type: "unknown" };

const routes: Readonly<Record<string, Route>> = {
  "POST /v1/messages": { type: "generate", wire: "anthropic" },
  "POST /v1/messages/count_tokens": { type: "count", wire: "anthropic" },
  "POST /v1/chat/completions": { type: "generate", wire: "chat" },
  "POST /chat/completions": { type: "generate", wire: "chat" },
  "POST /v1/responses": { type: "generate", wire: "responses" },
  "POST /responses": { type: "generate", wire: "responses" },
  "POST /v1/responses/input_tokens": { type: "count", wire: "responses" },
  "POST /responses/input_tokens": { type: "count", wire: "responses" },
  "GET /v1/models": { type: "models" },
  "GET /models": { type: "models" },
  "HEAD /": { type: "alive" },
  "GET /": { type: "alive" },
};

export function routeOf(method: string, path: string): Route {
  return routes[`${method} ${path.split("?")[0]}`] ?? { type: "unknown" };
}
