import { compactText, itemsAt, type JsonNode, memberOf, rawText, stringMember } from "../../kernel/json-spans.ts";
import { own } from "../../kernel/own.ts";
import { toolSearchName } from "../../prompt/doc.ts";
import type { Segment } from "../../prompt/segment.ts";
import { type Body, blocksOf } from "../body.ts";
import { type Draft, draftOf, numbered, textAt, textBlockJson } from "../draft.ts";
import { roleOfMessage } from "../role.ts";
import { itemsOf, responsesBodyOf } from "./body.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { breakpointsOf, cutPart, extrasOf, partJson, textLiteral } from "./part.ts";

/**
 * Cuts a Responses request, ours or a foreign one, into what the service renders. Throws `BodyError`. `instructions` stand
 * before the input, and behind it for models to which they are of one turn only (PROTOCOLS B.3).
 */
export function cutResponses(bytes: Uint8Array): readonly Segment[] {
  const body = responsesBodyOf(bytes);
  const { bindsReasoning } = capabilitiesOf(stringMember(bytes, body.root, "model") ?? "");
  const instructions = cutInstructions(body);
  const items = itemsOf(body);
  const head = headLength(bytes, items);
  return numbered([
    ...cutTools(bytes, memberOf(body.root, "tools")),
    ...(bindsReasoning ? [] : instructions),
    ...items.flatMap((item, index) => cutItem(bytes, item, index < head)),
    ...(bindsReasoning ? instructions : []),
  ]);
}

/** How many of the first items are the head: system messages and tools before all else. */
export function headLength(bytes: Uint8Array, items: readonly JsonNode[]): number {
  const first = items.findIndex((item) => !isSystemMessage(bytes, item) && typeOf(bytes, item) !== "additional_tools");
  return first < 0 ? items.length : first;
}

export function isSystemMessage(bytes: Uint8Array, item: JsonNode): boolean {
  return typeOf(bytes, item) === "message" && roleOfMessage(bytes, item) === "system";
}

/** An item's type. Messages may leave it out; a bare text is one of the user's. */
export function typeOf(bytes: Uint8Array, item: JsonNode): string {
  if (item.type === "string") return "message";
  return stringMember(bytes, item, "type") ?? (memberOf(item, "role") === undefined ? "" : "message");
}

/** A message gives one segment per part, `additional_tools` one per tool, every other item one. */
export function cutItem(bytes: Uint8Array, item: JsonNode, inHead: boolean): readonly Draft[] {
  const type = typeOf(bytes, item);
  if (type === "message") return cutMessage(bytes, item, inHead);
  // It asks for something and is no part of what the model reads (PROTOCOLS B.4).
  if (type === "compaction_trigger") return [];
  if (type === "additional_tools") return cutTools(bytes, memberOf(item, "tools"));
  if (/_output$/.test(type)) return [cutOutput(bytes, item)];
  const callId = stringMember(bytes, item, "call_id");
  if (callId !== undefined && /_call$|^program$/.test(type)) return [cutCall(bytes, item, callId)];
  const kind = type === "reasoning" ? "reasoning" : "other";
  const role = ours.has(type) ? "user" : type === "configuration_update" ? "system" : "assistant";
  return [draftOf({ kind, role, span: item.span, json: compactText(bytes, item, breakpointsOf([item])) })];
}

/** Items of other types come from the service. */
const ours: ReadonlySet<string> = new Set(["", "item_reference", "mcp_approval_response"]);

function cutInstructions({ bytes, root }: Body): readonly Draft[] {
  const literal = memberOf(root, "instructions");
  if (literal?.type !== "string") return [];
  return [asSystem(bytes, literal, cutPart(bytes, literal, "system"))];
}

function cutTools(bytes: Uint8Array, tools: JsonNode | undefined): readonly Draft[] {
  return itemsAt(tools)
    .filter((tool) => !isDeferred(tool))
    .map((tool) => cutResponsesTool(bytes, tool));
}

/** A deferred tool is not rendered; what a search finds stands whole in the item that says so (PROTOCOLS B.5). */
export function cutResponsesTool(bytes: Uint8Array, node: JsonNode): Draft {
  const hidden = itemsAt(memberOf(node, "tools")).filter(isDeferred);
  const json = compactText(bytes, node, new Map(hidden.map((tool) => [tool, null])));
  const tool = stringMember(bytes, node, "name") ?? stringMember(bytes, node, "type");
  return draftOf({ kind: "tool", role: "tools", span: node.span, json, text: json, tool });
}

function isDeferred(tool: JsonNode): boolean {
  return memberOf(tool, "defer_loading")?.type === "true";
}

function cutMessage(bytes: Uint8Array, message: JsonNode, inHead: boolean): readonly Draft[] {
  const role = message.type === "string" ? "user" : roleOfMessage(bytes, message);
  const parts = message.type === "string" ? [message] : blocksOf(memberOf(message, "content"));
  const extras = extrasOf(bytes, message, messageKeys);
  return parts.map((part, index) => {
    const draft = cutPart(bytes, part, role, index === 0 ? extras : "");
    return inHead ? asSystem(bytes, part, draft, index === 0 ? extras : "") : draft;
  });
}

/** A text of the head is a system block. */
export function asSystem(bytes: Uint8Array, part: JsonNode, draft: Draft, extras = ""): Draft {
  if (draft.kind !== "text") return draft;
  const { role, span, text, textSpans } = draft;
  return draftOf({ kind: "system", role, span, text, textSpans, json: partJson(bytes, part) + extras });
}

/** Ids and states of messages are the service's own bookkeeping. */
const messageKeys: ReadonlySet<string> = new Set(["type", "role", "content", "id", "status"]);

function cutCall(bytes: Uint8Array, item: JsonNode, callId: string): Draft {
  const type = typeOf(bytes, item);
  const input = memberOf(item, "arguments") ?? memberOf(item, "input") ?? memberOf(item, "action");
  const words =
    input?.type === "string" ? textAt(bytes, [input]) : { text: input === undefined ? "" : compactText(bytes, input) };
  return draftOf({
    kind: "tool-call",
    role: "assistant",
    span: item.span,
    json: compactText(bytes, item, breakpointsOf([item])),
    ...words,
    callId,
    tool: stringMember(bytes, item, "name") ?? own(kindNames, type) ?? type,
  });
}

/** Tools that are called by a kind of item of their own, by the name that we know them by. */
const kindNames: Readonly<Record<string, string>> = { tool_search_call: toolSearchName };

function cutOutput(bytes: Uint8Array, item: JsonNode): Draft {
  const output = memberOf(item, "output");
  const literals = blocksOf(output).flatMap((part) => textLiteral(bytes, part) ?? []);
  const tools = memberOf(item, "tools");
  return draftOf({
    kind: "tool-result",
    role: "user",
    span: item.span,
    json: outputJson(bytes, item, output),
    // What a search found is all there is to read of it.
    ...(output === undefined && tools !== undefined ? { text: compactText(bytes, tools) } : textAt(bytes, literals)),
    callId: stringMember(bytes, item, "call_id"),
    tool: stringMember(bytes, item, "name"),
  });
}

/** A result's text always as a list: both forms render alike. */
function outputJson(bytes: Uint8Array, item: JsonNode, output: JsonNode | undefined): string {
  const instead = new Map<JsonNode, string | null>(breakpointsOf([item]));
  if (output?.type === "string") instead.set(output, `[${textBlockJson(rawText(bytes, output.span))}]`);
  for (const part of itemsAt(output)) instead.set(part, partJson(bytes, part));
  return compactText(bytes, item, instead);
}
