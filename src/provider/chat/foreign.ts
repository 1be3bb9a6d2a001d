import { brand } from "../../kernel/ids.ts";
import {
  compactText,
  itemsAt,
  type JsonNode,
  memberOf,
  rawText,
  stringAt,
  stringMember,
} from "../../kernel/json-spans.ts";
import type { AssistantBlock, Piece, UserBlock } from "../../log/block.ts";
import type { ModelChoice } from "../../log/entry.ts";
import type { Doc, SystemSection } from "../../prompt/doc.ts";
import { blocksOf, bodyOf, jsonAt, messagesOf } from "../body.ts";
import { effortOf } from "../effort.ts";
import { foreignTool } from "../foreign-tool.ts";
import { resultsFirst } from "../results-first.ts";

/**
 * A foreign Chat Completions request as a document. Leading system messages are its system sections; content parts we
 * have no word for (audio, files, images by URL) become texts that hold the part's JSON, so that nothing is lost.
 */
export function decodeForeignChat(bytes: Uint8Array): Doc {
  const body = bodyOf(bytes);
  const messages = messagesOf(body);
  const firstOther = messages.findIndex((message) => !isSystem(bytes, message));
  const head = firstOther < 0 ? messages.length : firstOther;
  return {
    model: modelOf(bytes, body.root),
    tools: itemsAt(memberOf(body.root, "tools")).map((tool) =>
      foreignTool(bytes, memberOf(tool, "function") ?? tool, "parameters"),
    ),
    system: messages.slice(0, head).map((message, index) => sectionOf(bytes, message, index)),
    pieces: resultsFirst(piecesOf(bytes, messages.slice(head), head)),
    cacheKey: stringMember(bytes, body.root, "prompt_cache_key") ?? "",
  };
}

function modelOf(bytes: Uint8Array, root: JsonNode): ModelChoice {
  return {
    wire: "chat",
    model: stringMember(bytes, root, "model") ?? "",
    effort: effortOf(stringMember(bytes, root, "reasoning_effort")),
    thinking: "off",
    outputTokensMax: numberMember(bytes, root, "max_completion_tokens") ?? numberMember(bytes, root, "max_tokens") ?? 0,
  };
}

function numberMember(bytes: Uint8Array, node: JsonNode, key: string): number | undefined {
  const member = memberOf(node, key);
  return member?.type === "number" ? Number(jsonAt(bytes, member)) : undefined;
}

function sectionOf(bytes: Uint8Array, message: JsonNode, index: number): SystemSection {
  return { name: `system ${index}`, scope: "session", text: contentText(bytes, message) };
}

function piecesOf(bytes: Uint8Array, messages: readonly JsonNode[], from: number): readonly Piece[] {
  const tools = new Map<string, string>();
  return messages.flatMap((message, offset) => {
    const at = from + offset;
    if (isSystem(bytes, message)) return [systemPiece(bytes, message, at)];
    const role = stringMember(bytes, message, "role");
    if (role === "assistant") return assistantPieces(assistantBlocks(bytes, message), at, tools);
    if (role === "tool" || role === "function") return [resultPiece(bytes, message, at, tools)];
    return blocksOf(memberOf(message, "content")).map((node, index): Piece => {
      const block = userBlock(bytes, node);
      return { id: `${at}.${index}`, role: "user", kind: block.type === "image" ? "image" : "message", block };
    });
  });
}

function systemPiece(bytes: Uint8Array, message: JsonNode, at: number): Piece {
  return {
    id: `${at}.0`,
    role: "system",
    kind: "reminder",
    block: { type: "text", text: contentText(bytes, message) },
  };
}

function assistantPieces(blocks: readonly AssistantBlock[], at: number, tools: Map<string, string>): readonly Piece[] {
  for (const block of blocks) if (block.type === "tool-call") tools.set(block.callId, block.tool);
  return blocks.map((block, index): Piece => ({ id: `${at}.${index}`, role: "assistant", from: "chat", block }));
}

function resultPiece(bytes: Uint8Array, message: JsonNode, at: number, tools: ReadonlyMap<string, string>): Piece {
  const callId = stringMember(bytes, message, "tool_call_id") ?? "";
  const tool = tools.get(callId) ?? stringMember(bytes, message, "name") ?? "";
  const text = contentText(bytes, message);
  return {
    id: `${at}.0`,
    role: "user",
    kind: "result",
    block: { type: "tool-result", callId: brand(callId), tool, text, isError: false },
  };
}

function assistantBlocks(bytes: Uint8Array, message: JsonNode): readonly AssistantBlock[] {
  const text = contentText(bytes, message);
  const literal = memberOf(message, "content");
  const said: AssistantBlock = {
    type: "text",
    text,
    wire: literal?.type === "string" ? rawText(bytes, literal.span) : JSON.stringify(text),
  };
  const calls = itemsAt(memberOf(message, "tool_calls")).map((call) => callBlock(bytes, call));
  return [...reasoningBlocks(bytes, message), ...(text === "" ? [] : [said]), ...calls];
}

function reasoningBlocks(bytes: Uint8Array, message: JsonNode): readonly AssistantBlock[] {
  const fields = ["reasoning_content", "reasoning"].flatMap((key) => {
    const node = memberOf(message, key);
    return node?.type === "string" ? [{ key, node }] : [];
  });
  const [first] = fields;
  if (first === undefined) return [];
  const wire = `{${fields.map(({ key, node }) => `"${key}":${rawText(bytes, node.span)}`).join(",")}}`;
  return [{ type: "reasoning", text: stringAt(bytes, first.node.span), wire }];
}

function callBlock(bytes: Uint8Array, call: JsonNode): AssistantBlock {
  const made = memberOf(call, "function");
  return {
    type: "tool-call",
    callId: brand(stringMember(bytes, call, "id") ?? ""),
    tool: stringMember(bytes, made, "name") ?? "",
    input: stringMember(bytes, made, "arguments") ?? "{}",
    wire: compactText(bytes, call),
  };
}

function userBlock(bytes: Uint8Array, node: JsonNode): UserBlock {
  const url = stringMember(bytes, memberOf(node, "image_url"), "url");
  const data = url === undefined ? null : /^data:([^;,]+);base64,(.*)$/s.exec(url);
  if (data?.[1] !== undefined && data[2] !== undefined) return { type: "image", mediaType: data[1], data: data[2] };
  return { type: "text", text: partText(bytes, node) };
}

function contentText(bytes: Uint8Array, message: JsonNode): string {
  return blocksOf(memberOf(message, "content"))
    .map((node) => partText(bytes, node))
    .join("\n");
}

function partText(bytes: Uint8Array, node: JsonNode): string {
  if (node.type === "string") return stringAt(bytes, node.span);
  return stringMember(bytes, node, "text") ?? compactText(bytes, node);
}

function isSystem(bytes: Uint8Array, message: JsonNode): boolean {
  const role = stringMember(bytes, message, "role");
  return role === "system" || role === "developer";
}
