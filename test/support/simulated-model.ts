import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import type { Model, WireEvent } from "../../src/ports/model.ts";
import type { Simulation } from "../../src/testing/simulate/simulation.ts";

const paths = { anthropic: "/v1/messages", chat: "/v1/chat/completions" } as const;

/** The simulator as a model, in one process: its rules, its tokenizer, its windows, without a socket. */
export function simulatedModel(simulation: Simulation, now: () => number): Model {
  return {
    async *stream(request) {
      const headers = { ...request.headers, "content-type": "application/json", "x-api-key": "k" };
      const call = { method: "POST", path: paths[request.wire], headers, body: request.body };
      const outcome = await simulation.handle(call, now());
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
