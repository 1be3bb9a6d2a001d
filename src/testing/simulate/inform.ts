import type { Wire } from "../../kernel/usage.ts";
import { checkRequest } from "./check.ts";
import { bodyOf, type Core, idHeader, modelOf, type SimRequest } from "./core.ts";
import { errorBody } from "./error-body.ts";
import { examine } from "./examine.ts";
import { geminiInform } from "./gemini-inform.ts";
import { modelList } from "./model-list.ts";
import type { Outcome } from "./outcome.ts";
import { whole } from "./respond.ts";
import type { Route } from "./route.ts";
import type { Rule } from "./rule.ts";

/** All that is no model request and leaves no record. */
export function inform(
  core: Core,
  request: SimRequest,
  route: Exclude<Route, { type: "generate" }>,
  { requestId, now }: { readonly requestId: string; readonly now: number },
): Outcome {
  if (route.type === "gemini") return geminiInform(core, request, route.ask, now);
  const wire = route.type === "count" ? route.wire : "anthropic-version" in request.headers ? "anthropic" : "chat";
  const headers = idHeader(wire, requestId);
  const refuse = (error: { readonly status: number; readonly message: string }) =>
    whole(0, error.status, errorBody(wire, error, requestId), headers);
  if (route.type === "alive") return whole(0, 200, "{}", {});
  if (route.type === "unknown")
    return refuse({ status: 404, message: `no route for ${request.method} ${request.path}` });
  const account = { memory: core.memory, binding: core.binding, only: rowsFor[route.type] };
  const violation = checkRequest(wire, request.headers, request.body, core.models, account);
  if (violation !== null) return refuse(violation);
  if (route.type === "models") return whole(0, 200, modelList(wire, core.models), headers);
  const body = bodyOf(request.body);
  const { promptTokens, originalTokens } = examine(request.body, body, modelOf(core, body.model, wire), core.binding);
  const edited = wire === "anthropic" && body.context_management != null;
  const more = edited ? { context_management: { original_input_tokens: originalTokens } } : {};
  return whole(0, 200, JSON.stringify({ ...countKinds[wire], input_tokens: promptTokens, ...more }), headers);
}

const countKinds: Readonly<Partial<Record<Wire, { readonly object: string }>>> = {
  responses: { object: "response.input_tokens" },
};

/** Counting needs no output limit; listing models needs no body at all. */
const rowsFor: Readonly<Record<"count" | "models", (rule: Rule) => boolean>> = {
  count: (rule) => rule.id !== "max-tokens",
  models: (rule) => rule.id === "key" || rule.id === "version",
};
