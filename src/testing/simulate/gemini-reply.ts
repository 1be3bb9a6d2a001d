import { parseJson } from "../../kernel/json.ts";
import { type Answer, type AnswerFrame, idOf, withoutReasoning } from "./anthropic-reply.ts";
import type { BrainReply } from "./brain.ts";
import { fill } from "./brains.ts";
import type { FaultEffect } from "./faults.ts";
import { type Fitted, fitReply } from "./fit.ts";
import { jsonSchemaOf } from "./gemini-brain.ts";
import { geminiEvent } from "./gemini-frames.ts";
import { signPart, turnForm } from "./gemini-signature.ts";
import { geminiTraits } from "./models-gemini.ts";
import { numberOf, recordOf } from "./value.ts";

type Part = Readonly<Record<string, unknown>>;

/** The service's response for a brain's reply, whole and as the chunks of a stream (PROTOCOLS C.1, C.2). */
export function geminiAnswer(reply: BrainReply, frame: AnswerFrame, effect: FaultEffect | null): Answer {
  const id = idOf(frame.seed, "message");
  const fitted = fitReply(spokenOf(reply, frame), limitOf(frame), frame.model.tokenRate);
  const parts = partsOf(fitted.reply, frame, effect);
  const sent = signed(frame.stream === "none" ? parts : parts.flatMap(inPieces), frame, id);
  const envelope = { modelVersion: frame.model.id, responseId: id };
  const finishReason = finishOf(fitted);
  const usage = usageOf(frame, fitted);
  const candidate = (some: readonly Part[]) => ({
    content: some.length > 0 ? { parts: some, role: "model" } : { role: "model" },
  });
  const chunks = sent.length === 0 ? [[]] : sent.map((part) => [part]);
  return {
    id,
    whole: { candidates: [{ ...candidate(sent), finishReason, index: 0 }], usageMetadata: usage, ...envelope },
    frames: chunks.map((some, at) =>
      geminiEvent({
        candidates: [{ ...candidate(some), ...(at === chunks.length - 1 ? { finishReason } : {}), index: 0 }],
        usageMetadata: at === chunks.length - 1 ? usage : promptUsage(frame),
        ...envelope,
      }),
    ),
    blocks: oddParts(effect),
    reasoning: [],
    callIds: [],
    turn: { id, form: turnForm(sent) },
    outputTokens: fitted.outputTokens,
  };
}

/** Thinking can be off on some models; an answer that has to be JSON is. */
function spokenOf(reply: BrainReply, { body }: AnswerFrame): BrainReply {
  const config = recordOf(body.generationConfig);
  const thought = recordOf(config.thinkingConfig).thinkingBudget === 0 ? withoutReasoning(reply) : reply;
  if (config.responseMimeType !== "application/json" || (thought.calls ?? []).length > 0) return thought;
  if (parseJson(thought.text ?? "").type === "ok") return thought;
  const schema = jsonSchemaOf(config.responseJsonSchema ?? config.responseSchema);
  return { ...thought, text: JSON.stringify(fill(schema, { path: "hello.txt", command: "cat hello.txt" })) };
}

function limitOf({ body, model, promptTokens, stream }: AnswerFrame): number {
  const { sharedWindow, outputTokensWhole } = geminiTraits(model.id);
  const usual = stream === "none" ? Math.min(outputTokensWhole, model.outputTokensMax) : model.outputTokensMax;
  const asked = numberOf(recordOf(body.generationConfig).maxOutputTokens) ?? usual;
  return sharedWindow ? Math.min(asked, model.windowTokens - promptTokens) : asked;
}

function partsOf(reply: BrainReply, frame: AnswerFrame, effect: FaultEffect | null): readonly Part[] {
  const shows = recordOf(recordOf(frame.body.generationConfig).thinkingConfig).includeThoughts === true;
  const { reasoning = "", text = "", calls = [] } = reply;
  return [
    ...(shows && reasoning !== "" ? [{ text: reasoning, thought: true }] : []),
    ...oddParts(effect),
    ...(text === "" ? [] : [{ text }]),
    ...calls.map(({ tool, input, id }, index) => ({
      functionCall: {
        ...callId(id ?? idOf(frame.seed, `call ${index}`), frame, effect),
        name: tool,
        args: input ?? {},
      },
    })),
  ];
}

function callId(id: string, { model }: AnswerFrame, effect: FaultEffect | null): Part {
  const kind = effect?.type === "calls" ? effect.callIds : "given";
  if (kind === "missing" || !geminiTraits(model.id).callIds) return {};
  return { id: kind === "empty" ? "" : id };
}

function oddParts(effect: FaultEffect | null): readonly Part[] {
  const raw = effect?.type === "blocks" ? effect.raw : [];
  return raw.map(({ type, ...rest }) => (type === "text" ? rest : { [type]: rest }));
}

const pieceSigns = 24;

/** By whole signs: this service's strings are never half a character. */
function inPieces(part: Part): readonly Part[] {
  if (typeof part.text !== "string" || part.text === "") return [part];
  const signs = Array.from(part.text);
  return Array.from({ length: Math.ceil(signs.length / pieceSigns) }, (_, index) => ({
    ...part,
    text: signs.slice(index * pieceSigns, (index + 1) * pieceSigns).join(""),
  }));
}

/** On the first call of a step; else on the text, which in a stream is followed by an empty one that carries it (C.2). */
function signed(parts: readonly Part[], { model, stream }: AnswerFrame, answer: string): readonly Part[] {
  if (!geminiTraits(model.id).signs) return parts;
  const call = parts.findIndex((part) => part.functionCall !== undefined);
  const text = parts.findLastIndex(
    (part) => typeof part.text === "string" && part.text !== "" && part.thought !== true,
  );
  if (call === -1 && text === -1) return parts;
  if (call === -1 && stream !== "none") return [...parts, signPart({ text: "" }, model.id, answer)];
  return parts.map((part, at) => (at === (call === -1 ? text : call) ? signPart(part, model.id, answer) : part));
}

function finishOf(fitted: Fitted): string {
  if (fitted.isCut || fitted.reply.stop === "output-limit") return "MAX_TOKENS";
  return fitted.reply.stop === "refusal" ? "SAFETY" : "STOP";
}

/** The prompt's count INCLUDES what came from the cache; thoughts stand beside the candidate's tokens (C.1). */
function usageOf(frame: AnswerFrame, { outputTokens, reasoningTokens }: Fitted): Part {
  return {
    ...promptUsage(frame),
    candidatesTokenCount: outputTokens - reasoningTokens,
    ...(reasoningTokens > 0 ? { thoughtsTokenCount: reasoningTokens } : {}),
    totalTokenCount: frame.promptTokens + outputTokens,
  };
}

function promptUsage({ promptTokens, use: { readTokens } }: AnswerFrame): Part {
  const text = (tokenCount: number) => [{ modality: "TEXT", tokenCount }];
  return {
    promptTokenCount: promptTokens,
    totalTokenCount: promptTokens,
    promptTokensDetails: text(promptTokens),
    ...(readTokens > 0 ? { cachedContentTokenCount: readTokens, cacheTokensDetails: text(readTokens) } : {}),
  };
}
