import {
  compactText,
  itemsAt,
  type JsonNode,
  memberOf,
  rawText,
  stringAt,
  stringMember,
} from "../../kernel/json-spans.ts";
import { own } from "../../kernel/own.ts";
import type { Segment, SegmentKind } from "../../prompt/segment.ts";
import { blocksOf, bodyOf, messagesOf } from "../body.ts";
import { type Draft, draftOf, numbered, textAt, textBlockJson } from "../draft.ts";
import { roleOfMessage } from "../role.ts";
import { unmarked } from "../unmarked.ts";

/** Cuts a Chat Completions request, ours or a foreign one, into what the model's template renders. Throws `BodyError`. */
export function cutChat(bytes: Uint8Array): readonly Segment[] {
  const body = bodyOf(bytes);
  const tools = [...itemsAt(memberOf(body.root, "tools")), ...itemsAt(memberOf(body.root, "functions"))];
  const messages = messagesOf(body);
  const firstOther = messages.findIndex((message) => roleOf(bytes, message) !== "system");
  const head = firstOther < 0 ? messages.length : firstOther;
  return numbered([
    ...tools.map((tool) => cutChatTool(bytes, tool)),
    ...messages.flatMap((message, index) => cutChatMessage(bytes, message, index < head)),
  ]);
}

export function cutChatTool(bytes: Uint8Array, node: JsonNode): Draft {
  const json = unmarked(bytes, node);
  const tool = stringMember(bytes, memberOf(node, "function") ?? node, "name");
  return draftOf({ kind: "tool", role: "tools", span: node.span, json, text: json, tool });
}

/** `inHead`: a system message before all others is the head; later ones belong to the conversation. */
export function cutChatMessage(bytes: Uint8Array, message: JsonNode, inHead: boolean): readonly Draft[] {
  const name = stringMember(bytes, message, "role") ?? "";
  if (name === "tool" || name === "function") return [cutResult(bytes, message)];
  const role = roleOf(bytes, message);
  const parts = role === "assistant" ? assistantParts(bytes, message) : contentParts(bytes, message);
  const extras = extrasOf(bytes, message, role === "assistant" ? assistantKeys : plainKeys);
  return parts.map((part, index) => {
    const kind = inHead && part.kind === "text" ? "system" : part.kind;
    return draftOf({ ...part, kind, role, json: index === 0 ? part.json + extras : part.json });
  });
}

type Part = Omit<Parameters<typeof draftOf>[0], "role">;

/** In the order in which templates render them: reasoning, text, calls. */
function assistantParts(bytes: Uint8Array, message: JsonNode): readonly Part[] {
  const reasoning = reasoningKeys.flatMap((key) => {
    const node = memberOf(message, key);
    if (node === undefined || node.type === "null" || isEmptyString(bytes, node)) return [];
    return [{ kind: "reasoning" as const, span: node.span, json: `${key}:${compactText(bytes, node)}` }];
  });
  const refusal = memberOf(message, "refusal");
  const refused = refusal?.type === "string" ? [textPart(bytes, refusal, "refusal:")] : [];
  const single = memberOf(message, "function_call");
  const calls = itemsAt(memberOf(message, "tool_calls")).map((call) =>
    callPart(bytes, call, memberOf(call, "function")),
  );
  const legacy = single?.type === "object" ? [callPart(bytes, single, single)] : [];
  return [...reasoning, ...contentParts(bytes, message), ...refused, ...calls, ...legacy];
}

function contentParts(bytes: Uint8Array, message: JsonNode): readonly Part[] {
  return blocksOf(memberOf(message, "content")).flatMap((node): readonly Part[] => {
    if (node.type === "string") return isEmptyString(bytes, node) ? [] : [textPart(bytes, node, "")];
    const kind = own(kinds, stringMember(bytes, node, "type") ?? "") ?? "other";
    const text = memberOf(node, "text");
    const words = kind === "text" && text?.type === "string" ? textAt(bytes, [text]) : {};
    return [{ kind, span: node.span, json: unmarked(bytes, node), ...words }];
  });
}

function textPart(bytes: Uint8Array, literal: JsonNode, prefix: string): Part {
  const json = prefix + textBlockJson(rawText(bytes, literal.span));
  return { kind: "text", span: literal.span, json, ...textAt(bytes, [literal]) };
}

function callPart(bytes: Uint8Array, call: JsonNode, made: JsonNode | undefined): Part {
  const input = memberOf(made, "arguments");
  const words =
    input?.type === "string" ? textAt(bytes, [input]) : { text: input === undefined ? "" : compactText(bytes, input) };
  return {
    kind: "tool-call",
    span: call.span,
    json: compactText(bytes, call),
    ...words,
    callId: stringMember(bytes, call, "id"),
    tool: stringMember(bytes, made, "name"),
  };
}

function cutResult(bytes: Uint8Array, message: JsonNode): Draft {
  const texts = blocksOf(memberOf(message, "content")).map((node) =>
    node.type === "string" ? node : memberOf(node, "text"),
  );
  const literals = texts.filter((node) => node !== undefined).filter((node) => node.type === "string");
  return draftOf({
    kind: "tool-result",
    role: "user",
    span: message.span,
    json: unmarked(bytes, message),
    ...textAt(bytes, literals),
    callId: stringMember(bytes, message, "tool_call_id"),
    tool: stringMember(bytes, message, "name"),
  });
}

function roleOf(bytes: Uint8Array, message: JsonNode): Segment["role"] {
  return roleOfMessage(bytes, message);
}

function isEmptyString(bytes: Uint8Array, node: JsonNode): boolean {
  return node.type === "string" && stringAt(bytes, node.span) === "";
}

/** Other members of a message (`name`, `prefix` ...): the template may show them, so they are hashed. */
function extrasOf(bytes: Uint8Array, message: JsonNode, known: readonly string[]): string {
  if (message.type !== "object") return "";
  const others = message.members.filter(({ key, value }) => !known.includes(key) && value.type !== "null");
  return others.map(({ key, value }) => `\n${key}:${compactText(bytes, value)}`).join("");
}

const reasoningKeys = ["reasoning_content", "reasoning", "reasoning_details"];
const plainKeys = ["role", "content", "cache_control"];
const assistantKeys = [...plainKeys, ...reasoningKeys, "refusal", "tool_calls", "function_call"];

const kinds: Readonly<Record<string, SegmentKind>> = {
  text: "text",
  input_text: "text",
  output_text: "text",
  image_url: "image",
  file: "document",
};
