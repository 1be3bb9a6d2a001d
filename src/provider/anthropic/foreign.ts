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
import { numberAt, recordAt, recordOf } from "../lenient.ts";
import { resultsFirst } from "../results-first.ts";

/**
 * A foreign Messages request as a document. Assistant blocks keep their bytes. What the user's side of a document cannot
 * say (documents, blocks of unknown type) becomes a text that holds the block's JSON: nothing is lost, though a provider
 * reads it as text. Images inside a result stand behind all results (CASES C-027).
 */
export function decodeForeignAnthropic(bytes: Uint8Array): Doc {
  const body = bodyOf(bytes);
  return {
    model: modelOf(bytes, body.root),
    tools: itemsAt(memberOf(body.root, "tools")).map((tool) => foreignTool(bytes, tool, "input_schema")),
    system: blocksOf(memberOf(body.root, "system")).map((node, index) => sectionOf(bytes, node, index)),
    pieces: resultsFirst(piecesOf(bytes, messagesOf(body))),
    cacheKey: stringMember(bytes, memberOf(body.root, "metadata"), "user_id") ?? "",
    ...(memberOf(body.root, "compaction")?.type === "object" ? { asksSummary: true } : {}),
  };
}

function modelOf(bytes: Uint8Array, root: JsonNode): ModelChoice {
  const raw = recordOf(Object.fromEntries(settings.map((name) => [name, member(bytes, root, name)])));
  const thinking = recordAt(raw, "thinking");
  const budgetTokens = numberAt(thinking, "budget_tokens");
  const kind = thinking.type;
  return {
    wire: "anthropic",
    model: typeof raw.model === "string" ? raw.model : "",
    effort: effortOf(recordAt(raw, "output_config").effort),
    thinking: kind === "enabled" && budgetTokens !== null ? { budgetTokens } : kind === "adaptive" ? "adaptive" : "off",
    outputTokensMax: numberAt(raw, "max_tokens") ?? 0,
  };
}

const settings = ["model", "thinking", "output_config", "max_tokens"];

function member(bytes: Uint8Array, node: JsonNode, name: string): unknown {
  const found = memberOf(node, name);
  return found === undefined ? undefined : jsonAt(bytes, found);
}

function sectionOf(bytes: Uint8Array, node: JsonNode, index: number): SystemSection {
  return { name: `system ${index}`, scope: "session", text: textIn(bytes, node) };
}

function piecesOf(bytes: Uint8Array, messages: readonly JsonNode[]): readonly Piece[] {
  const tools = new Map<string, string>();
  return messages.flatMap((message, at) => {
    const role = stringMember(bytes, message, "role");
    const blocks = blocksOf(memberOf(message, "content"));
    if (role === "assistant") {
      return blocks.map((node, index) => assistantPiece(assistantBlock(bytes, node), `${at}.${index}`, tools));
    }
    if (role === "system" || role === "developer")
      return blocks.map((node, index) => systemPiece(bytes, node, `${at}.${index}`));
    return userPieces(bytes, blocks, at, tools);
  });
}

function assistantPiece(block: AssistantBlock, id: string, tools: Map<string, string>): Piece {
  if (block.type === "tool-call") tools.set(block.callId, block.tool);
  return { id, role: "assistant", from: "anthropic", block };
}

function systemPiece(bytes: Uint8Array, node: JsonNode, id: string): Piece {
  return { id, role: "system", kind: "reminder", block: { type: "text", text: textIn(bytes, node) } };
}

function userPieces(
  bytes: Uint8Array,
  nodes: readonly JsonNode[],
  at: number,
  tools: ReadonlyMap<string, string>,
): readonly Piece[] {
  const blocks = nodes.map((node) => userBlock(bytes, node, tools));
  const images = nodes.flatMap((node) =>
    stringMember(bytes, node, "type") === "tool_result" ? imagesOf(bytes, node) : [],
  );
  const results = blocks.filter((block) => block.type === "tool-result");
  const others = blocks.filter((block) => block.type !== "tool-result");
  return [...results, ...images, ...others].map((block, index): Piece => {
    const kind = block.type === "tool-result" ? "result" : block.type === "image" ? "image" : "message";
    return { id: `${at}.${index}`, role: "user", kind, block };
  });
}

function assistantBlock(bytes: Uint8Array, node: JsonNode): AssistantBlock {
  if (node.type === "string") return { type: "text", text: stringAt(bytes, node.span) };
  const wire = compactText(bytes, node, markersOf(node));
  const type = stringMember(bytes, node, "type");
  if (type === "text") return { type: "text", text: textIn(bytes, node), wire };
  if (type === "thinking") return { type: "reasoning", text: stringMember(bytes, node, "thinking") ?? "", wire };
  if (type === "redacted_thinking") return { type: "reasoning", text: "", wire };
  if (type === "compaction") return { type: "compaction", text: stringMember(bytes, node, "content") ?? "", wire };
  if (type !== "tool_use") return { type: "opaque", wire };
  const input = memberOf(node, "input");
  return {
    type: "tool-call",
    callId: brand(stringMember(bytes, node, "id") ?? ""),
    tool: stringMember(bytes, node, "name") ?? "",
    input: input === undefined ? "{}" : compactText(bytes, input),
    wire,
  };
}

function userBlock(bytes: Uint8Array, node: JsonNode, tools: ReadonlyMap<string, string>): UserBlock {
  const type = stringMember(bytes, node, "type");
  if (node.type === "string" || type === "text") return { type: "text", text: textIn(bytes, node) };
  if (type === "image")
    return imageOf(bytes, node) ?? { type: "text", text: compactText(bytes, node, markersOf(node)) };
  if (type !== "tool_result") return { type: "text", text: compactText(bytes, node, markersOf(node)) };
  const callId = stringMember(bytes, node, "tool_use_id") ?? "";
  const texts = blocksOf(memberOf(node, "content")).filter((item) => imageOf(bytes, item) === null);
  return {
    type: "tool-result",
    callId: brand(callId),
    tool: tools.get(callId) ?? "",
    text: texts.map((item) => (isText(bytes, item) ? textIn(bytes, item) : compactText(bytes, item))).join("\n"),
    isError: memberOf(node, "is_error")?.type === "true",
  };
}

function imagesOf(bytes: Uint8Array, node: JsonNode): readonly UserBlock[] {
  return blocksOf(memberOf(node, "content")).flatMap((item) => imageOf(bytes, item) ?? []);
}

/** null: no image, or one that is not given in place (a URL, a file id). */
function imageOf(bytes: Uint8Array, node: JsonNode): (UserBlock & { readonly type: "image" }) | null {
  if (stringMember(bytes, node, "type") !== "image") return null;
  const source = memberOf(node, "source");
  const data = stringMember(bytes, source, "data");
  const mediaType = stringMember(bytes, source, "media_type");
  return data === undefined || mediaType === undefined ? null : { type: "image", mediaType, data };
}

function isText(bytes: Uint8Array, node: JsonNode): boolean {
  return node.type === "string" || stringMember(bytes, node, "type") === "text";
}

function textIn(bytes: Uint8Array, node: JsonNode): string {
  return node.type === "string"
    ? stringAt(bytes, node.span)
    : (stringMember(bytes, node, "text") ?? rawText(bytes, node.span));
}

function markersOf(node: JsonNode): ReadonlyMap<JsonNode, null> {
  const members = node.type === "object" ? node.members.filter(({ key }) => key === "cache_control") : [];
  return new Map(members.map(({ value }) => [value, null]));
}
