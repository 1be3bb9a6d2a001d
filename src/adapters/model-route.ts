import type { Wire } from "../kernel/usage.ts";
import type { Model } from "../ports/model.ts";
import { sdkModel } from "./model.ts";

/** How a provider is reached. `baseUrl` left out: the vendor's own address. */
export type Endpoint = { readonly apiKey: string; readonly baseUrl?: string };

export const vendorUrls: Readonly<Record<Wire, string>> = {
  anthropic: "https://api.anthropic.com",
  chat: "https://api.openai.com/v1",
  responses: "https://api.openai.com/v1",
  gemini: "https://generativelanguage.googleapis.com",
};

/** One model port over the endpoints of several wires; each client is made when its wire is first used. */
export function routedModel(endpoints: Partial<Readonly<Record<Wire, Endpoint>>>): Model {
  const made = new Map<Wire, Model>();
  return {
    async *stream(request, signal) {
      const { wire } = request;
      const endpoint = endpoints[wire];
      if (endpoint === undefined) {
        const message = `no endpoint is configured for the wire "${wire}": give its key, or choose another model`;
        yield {
          type: "http-error",
          status: 401,
          headers: {},
          body: { error: { type: "authentication_error", message } },
        };
        return;
      }
      const model = made.get(wire) ?? sdkModel({ wire, baseUrl: vendorUrls[wire], ...endpoint });
      made.set(wire, model);
      yield* model.stream(request, signal);
    },
  };
}
