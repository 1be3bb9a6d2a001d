import type { Model, WireEvent } from "../ports/model.ts";

/** One scripted answer, in the Anthropic stream's own events (PROTOCOLS A.11), or a failure. */
export type ScriptedReply =
  | {
      readonly text?: string;
      readonly calls?: readonly { readonly id: string; readonly tool: string; readonly input: unknown }[];
      readonly promptTokens?: number;
      readonly cachedTokens?: number;
    }
  | { readonly fail: WireEvent }
  /** Says this much, then nothing more until the signal fires. */
  | { readonly hang: string };

/** A model that answers from a list; bodies it received are kept for looking at. Past the list it says `done`. */
export function scriptedModel(replies: readonly ScriptedReply[]): Model & { readonly bodies: readonly string[] } {
  const bodies: string[] = [];
  return {
    bodies,
    async *stream(request, signal) {
      const reply = replies[bodies.length] ?? { text: "done" };
      bodies.push(request.body);
      for (const event of eventsOf(reply, bodies.length)) yield event;
      if ("hang" in reply) await aborted(signal);
    },
  };
}

function eventsOf(reply: ScriptedReply, n: number): readonly WireEvent[] {
  if ("fail" in reply) return [reply.fail];
  if ("hang" in reply) return [start(n, 0, 0), ...textEvents(reply.hang, 0).slice(0, 2)];
  const { text, calls = [], promptTokens = 1_000, cachedTokens = 0 } = reply;
  const texts = text === undefined ? [] : textEvents(text, 0);
  const uses = calls.flatMap((call, index) => callEvents(call, index + (text === undefined ? 0 : 1)));
  const stop = calls.length > 0 ? "tool_use" : "end_turn";
  return [start(n, promptTokens - cachedTokens, cachedTokens), ...texts, ...uses, ...ending(stop)];
}

function start(n: number, input: number, cached: number): WireEvent {
  const usage = {
    input_tokens: input,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  };
  const message = { id: `msg_${n}`, type: "message", role: "assistant", model: "sim", content: [], usage };
  return event({ type: "message_start", message });
}

function textEvents(text: string, index: number): readonly WireEvent[] {
  return [
    event({ type: "content_block_start", index, content_block: { type: "text", text: "" } }),
    event({ type: "content_block_delta", index, delta: { type: "text_delta", text } }),
    event({ type: "content_block_stop", index }),
  ];
}

function callEvents(call: { readonly id: string; readonly tool: string; readonly input: unknown }, index: number) {
  const block = { type: "tool_use", id: call.id, name: call.tool, input: {} };
  const delta = { type: "input_json_delta", partial_json: JSON.stringify(call.input) };
  return [
    event({ type: "content_block_start", index, content_block: block }),
    event({ type: "content_block_delta", index, delta }),
    event({ type: "content_block_stop", index }),
  ];
}

function ending(stop: string): readonly WireEvent[] {
  const delta = { stop_reason: stop, stop_sequence: null };
  return [event({ type: "message_delta", delta, usage: { output_tokens: 20 } }), event({ type: "message_stop" })];
}

function event(data: unknown): WireEvent {
  return { type: "event", data };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
