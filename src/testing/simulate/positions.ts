import { chain, hashOf } from "../../kernel/hash.ts";
import { lifetimes, type Position } from "./cache.ts";
import { type SimModel, usualThinking } from "./models.ts";
import { responsesKeyOf } from "./responses-positions.ts";
import { partOf, type SimPart, type SimSegment } from "./segment.ts";
import { cutTokens } from "./tokens.ts";
import { blocksOf, messagesOf, recordOf, textOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;

/** All of the cache key that is not prompt text, by the first part of the prompt it costs (PROTOCOLS A.2, B.2). */
export type KeyParts = Readonly<Record<SimPart, string>> & {
  /** The parts by name, where a service's diagnosis tells them apart. */
  readonly named?: Readonly<Record<string, string>>;
};

export function keyPartsOf(body: Body, model: SimModel): KeyParts {
  return keys[model.wire](body, model);
}

const keys: Readonly<Record<SimModel["wire"], (body: Body, model: SimModel) => KeyParts>> = {
  anthropic: anthropicKey,
  chat: chatKey,
  responses: responsesKey,
  gemini: geminiKey,
};

function anthropicKey(body: Body, model: SimModel): KeyParts {
  const effort = `${thinkingOf(body, model)} ${effortOf(body, model)}`;
  const choice = recordOf(body.tool_choice);
  const blocks = messagesOf(body).flatMap((message) => blocksOf(message.content));
  const citations = blocks.some((block) => recordOf(block.citations).enabled === true);
  const images = blocks.some((block) => [block, ...blocksOf(block.content)].some((inner) => inner.type === "image"));
  return {
    tools: model.effortScope === "all" ? effort : "",
    system: `${textOf(body.speed)} ${citations}`,
    messages: `${choice.type ?? "auto"} ${choice.name ?? ""} ${choice.disable_parallel_tool_use ?? false} ${images} ${
      model.effortScope === "messages" ? effort : ""
    }`,
  };
}

/** Sending a default equals leaving it out (A.1); how thinking is shown or bound is no part of the key. */
function thinkingOf(body: Body, model: SimModel): string {
  const thinking = recordOf(body.thinking);
  return `${thinking.type ?? usualThinking(model)} ${thinking.budget_tokens ?? ""}`;
}

function effortOf(body: Body, model: SimModel): string {
  const usual = model.id === "claude-opus-5-5" || model.id === "claude-haiku-5-5" ? "medium" : "high";
  return textOf(recordOf(body.output_config).effort) || usual;
}

function chatKey(body: Body): KeyParts {
  const parts = [body.prompt_cache_key, body.reasoning_effort, body.verbosity, body.response_format];
  return { tools: JSON.stringify(parts.map((part) => part ?? null)), system: "", messages: "" };
}

function responsesKey(body: Body): KeyParts {
  const named = responsesKeyOf(body);
  return { tools: JSON.stringify(named), system: "", messages: "", named };
}

/** Settings of the generation are no part of the prefix; a named cached content is a prefix of its own (C.1). */
function geminiKey(body: Body): KeyParts {
  return { tools: textOf(body.cachedContent), system: "", messages: "" };
}

/** One position per rendered block; breakpoints write, and automatic caching marks the last block that may carry one. */
export function anthropicPositions(
  body: Body,
  segments: readonly SimSegment[],
  key: KeyParts,
  model: SimModel,
): readonly Position[] {
  const automatic = lastEligible(body, segments);
  let hash = hashOf(`${model.id} ${key.tools}`);
  let part: SimPart = "tools";
  let tokens = 0;
  return segments.map((segment, index) => {
    for (const next of enteredParts(part, partOf(segment))) hash = chain(hash, hashOf(`${next} ${key[next]}`));
    part = partOf(segment);
    hash = chain(hash, segment.hash);
    tokens += ratedTokens(segment, model);
    const mark = segment.mark ?? (index === automatic.index ? automatic.ttl : null);
    return { key: hash, tokens, writeMs: mark === null ? null : lifetimes[mark] };
  });
}

/** Parts entered on the way, empty ones too, so that a skipped part's key still counts. */
function enteredParts(from: SimPart, to: SimPart): readonly SimPart[] {
  const order: readonly SimPart[] = ["tools", "system", "messages"];
  return order.slice(order.indexOf(from) + 1, order.indexOf(to) + 1);
}

function lastEligible(
  body: Body,
  segments: readonly SimSegment[],
): { readonly index: number; readonly ttl: "5m" | "1h" } {
  const asked = recordOf(body.cache_control);
  const index = segments.findLastIndex(
    (segment) => segment.kind !== "reasoning" && !(segment.kind === "text" && segment.text === ""),
  );
  return { index: asked.type === "ephemeral" ? index : -1, ttl: asked.ttl === "1h" ? "1h" : "5m" };
}

/** A position at each full step of tokens, wherever it falls: such services cache without being asked (B.2, D). */
export function chatPositions(segments: readonly SimSegment[], key: KeyParts, model: SimModel): readonly Position[] {
  const positions: Position[] = [];
  let hash = hashOf(`${model.id} ${key.tools}`);
  let tokens = 0;
  let pending = "";
  const take = (piece: string): void => {
    pending += piece;
    tokens += 1;
    if (tokens % model.chat.stepTokens !== 0) return;
    hash = chain(hash, hashOf(pending));
    pending = "";
    positions.push({ key: hash, tokens, writeMs: model.chat.lifetimeMs });
  };
  for (const segment of segments) {
    pending += `\n${segment.role} ${segment.kind}\n`;
    let from = 0;
    let seen = 0;
    cutTokens(segment.text, (end) => {
      take(segment.text.slice(from, end));
      from = end;
      seen += 1;
    });
    for (; seen < segment.tokens; seen += 1) take("");
    pending += segment.hash;
  }
  return positions;
}

export function ratedTokens(segment: SimSegment, model: SimModel): number {
  return Math.ceil(segment.tokens * model.tokenRate);
}

/** Lanes that say who they are; others are known by their messages. */
export function laneNameOf(body: Body): string | null {
  const name = textOf(body.prompt_cache_key) || textOf(recordOf(body.metadata).user_id) || textOf(body.user);
  return name === "" ? null : name;
}
