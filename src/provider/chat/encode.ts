import type { Effort, ModelChoice } from "../../log/entry.ts";
import type { WireRequest } from "../../ports/model.ts";
import { quoted } from "../../prompt/apply.ts";
import type { Doc } from "../../prompt/doc.ts";
import { isOpenAi, needsResponses } from "../openai.ts";
import { renderedOf } from "./message.ts";

/**
 * The request body as text, keys in a fixed order. Only fields that every compatible server takes, and those of OpenAI
 * for OpenAI's models: `max_completion_tokens` (which its newer models demand; other servers know `max_tokens`) and
 * `prompt_cache_key`.
 */
export function encodeChat(doc: Doc): WireRequest {
  const rendered = renderedOf(doc);
  const tools = rendered.filter(({ part }) => part === "tool").map(({ json }) => json);
  const messages = rendered.filter(({ part }) => part !== "tool").map(({ json }) => json);
  const members = [
    `"model":${quoted(doc.model.model)}`,
    ...settings(doc.model, doc.cacheKey, tools.length > 0),
    `"stream":true`,
    `"stream_options":{"include_usage":true}`,
    ...(tools.length === 0 ? [] : [`"tools":[${tools.join(",")}]`]),
    `"messages":[${messages.join(",")}]`,
  ];
  return { wire: "chat", body: `{${members.join(",")}}`, headers: {} };
}

function settings(model: ModelChoice, cacheKey: string, hasTools: boolean): readonly string[] {
  // Newer models of OpenAI refuse tools and effort together on this wire (PROTOCOLS B.1).
  const takesEffort = !(hasTools && needsResponses(model.model));
  const effort = model.effort === null || !takesEffort ? [] : [`"reasoning_effort":${quoted(efforts[model.effort])}`];
  if (!isOpenAi(model.model)) return [`"max_tokens":${model.outputTokensMax}`, ...effort];
  const key = cacheKey === "" ? [] : [`"prompt_cache_key":${quoted(cacheKey)}`];
  return [`"max_completion_tokens":${model.outputTokensMax}`, ...effort, ...key];
}

/** This wire's highest effort is `xhigh`. */
const efforts: Readonly<Record<Effort, string>> = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "xhigh",
};
