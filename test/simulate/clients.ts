import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach } from "vitest";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/testing/simulate/server.ts";

const running: Simulator[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

export async function start(options: SimulatorOptions = {}) {
  const simulator = await startSimulator(options);
  running.push(simulator);
  const { url } = simulator;
  const control = async (path: string, body?: unknown) => {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return (await fetch(`${url}/_sim/${path}`, sent)).json();
  };
  return {
    url,
    control,
    anthropic: new Anthropic({ baseURL: url, apiKey: "k", maxRetries: 0, timeout: 2_000 }),
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: "k", maxRetries: 0, timeout: 2_000 }),
  };
}

/** One call with everything in it that a decoder can get wrong, then a text. */
export const brain: Brain = (request) =>
  request.messages.at(-1)?.parts.some((part) => part.type === "result")
    ? { text: "完了 \u{1f600} done" }
    : {
        reasoning: "I should read the file. \u{1f914}",
        text: "Ich öffne die Datei. \u{1f600}",
        calls: [
          { tool: "Read", input: { path: "a\u{1f600}.txt", note: "zeile\nзвук" } },
          { tool: "Read", input: {} },
        ],
      };

export const tools = [{ name: "Read", description: "reads", input_schema: { type: "object" as const } }];
export const functions = [{ type: "function" as const, function: { name: "Read", parameters: { type: "object" } } }];
export const ask = {
  model: "sim-bound",
  max_tokens: 1_000,
  tools,
  thinking: { type: "adaptive" as const, display: "summarized" as const },
};
export const hello = [{ role: "user" as const, content: "hello" }];
