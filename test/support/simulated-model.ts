import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { Model, WireEvent } from "../../src/ports/model.ts";
import type { Simulation } from "../../src/testing/simulate/simulation.ts";

const paths: Readonly<Record<Wire, (model: string) => string>> = {
  anthropic: () => "/v1/messages",
  chat: () => "/v1/chat/completions",
  responses: () => "/v1/responses",
  gemini: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
};

/** The simulator as a model, in one process: its rules, its tokenizer, its windows, without a socket. */
export function simulatedModel(simulation: Simulation, now: () => number): Model {
  return {
    async *stream(request) {
      // A key in this service's own header is what tells it from the others.
      const key = request.wire === "gemini" ? "x-goog-api-key" : "x-api-key";
      const headers = { ...request.headers, "content-type": "application/json", [key]: "k" };
      const call = { method: "POST", path: paths[request.wire](request.model ?? ""), headers, body: request.body };
      const outcome = await simulation.handle(call, now());
      if (outcome.delivery.end === "reset") {
        yield { type: "network-error", message: "the connection was reset", timedOut: false };
        return;
      }
      if (outcome.status >= 400) {
        const parsed = parseJson(outcome.frames.join(""));
        yield {
          type: "http-error",
          status: outcome.status,
          headers: outcome.headers,
          body: parsed.type === "ok" ? parsed.value : outcome.frames.join(""),
        };
        return;
      }
      for (const line of outcome.frames.join("").split("\n")) yield* eventIn(line);
    },
  };
}

function* eventIn(line: string): Iterable<WireEvent> {
  if (!line.startsWith("data:")) return;
  const parsed = parseJson(line.slice(5));
  if (parsed.type === "ok" && isRecord(parsed.value)) yield { type: "event", data: parsed.value };
}
