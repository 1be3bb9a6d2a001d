import type { Wire } from "../../kernel/usage.ts";
import { type Answer, type AnswerFrame, anthropicAnswer } from "./anthropic-reply.ts";
import type { Brain, BrainReply, BrainRequest } from "./brain.ts";
import { chatAnswer } from "./chat-reply.ts";
import { idHeader } from "./core.ts";
import type { FaultEffect } from "./faults.ts";
import { asJsonList } from "./gemini-frames.ts";
import { geminiAnswer } from "./gemini-reply.ts";
import { type Outcome, plainDelivery, type StreamForm } from "./outcome.ts";
import { responsesAnswer } from "./responses-reply.ts";
import { windowAnswer } from "./responses-window.ts";

/** An answer in one piece. */
export function whole(n: number, status: number, body: string, headers: Readonly<Record<string, string>>): Outcome {
  return {
    n,
    status,
    headers: { "content-type": "application/json", ...headers },
    frames: [body],
    delivery: plainDelivery,
  };
}

/** The brain's reply, or why there is none: a brain that throws is the simulated service failing. */
export async function askBrain(brain: Brain, request: BrainRequest): Promise<BrainReply | string> {
  try {
    return await brain(request);
  } catch (error) {
    return `the simulated model failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export function makeAnswer(reply: BrainReply, frame: AnswerFrame, effect: FaultEffect | null): Answer {
  // Pre-warming asks for no output at all (PROTOCOLS A.2).
  if (frame.isWindow && frame.compacted !== undefined) return windowAnswer(frame.compacted, frame);
  const spoken = frame.body.max_tokens === 0 ? { stop: "output-limit" as const } : reply;
  return makers[frame.model.wire](spoken, frame, effect);
}

type Make = (reply: BrainReply, frame: AnswerFrame, effect: FaultEffect | null) => Answer;

const chatMade: Make = (reply, frame, effect) =>
  chatAnswer(reply, frame, effect?.type === "calls" ? effect.callIds : "given");

const makers: Readonly<Record<Wire, Make>> = {
  anthropic: (reply, frame, effect) => anthropicAnswer(withRaw(reply, effect), frame),
  chat: chatMade,
  responses: (reply, frame, effect) =>
    responsesAnswer(withRaw(reply, effect), frame, effect?.type === "calls" ? effect.callIds : "given"),
  gemini: geminiAnswer,
};

function withRaw(reply: BrainReply, effect: FaultEffect | null): BrainReply {
  return effect?.type === "blocks" ? { ...reply, raw: [...effect.raw, ...(reply.raw ?? [])] } : reply;
}

/** The answer as it travels: streamed if asked for, with what a fault does to it. */
export function delivered(
  n: number,
  made: Answer,
  how: {
    readonly wire: Wire;
    readonly stream: StreamForm;
    readonly effect: FaultEffect | null;
    readonly requestId: string;
    readonly lateMs: number;
  },
): Outcome {
  const { wire, stream, effect, requestId, lateMs } = how;
  const delivery = { ...plainDelivery, delayMs: lateMs, ...(effect?.type === "deliver" ? effect.delivery : {}) };
  const ids = idHeader(wire, requestId);
  if (stream === "none") return { ...whole(n, 200, JSON.stringify(made.whole), ids), delivery };
  const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", ...ids };
  const frames = effect?.type === "frames" ? effect.change(made.frames, wire) : made.frames;
  if (stream === "list")
    return {
      n,
      status: 200,
      headers: { "content-type": "application/json", ...ids },
      frames: asJsonList(frames),
      delivery,
    };
  return { n, status: 200, headers, frames, delivery };
}
