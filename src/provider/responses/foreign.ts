import { brand } from "../../kernel/ids.ts";
import { compactText, itemsAt, type JsonNode, memberOf, stringAt, stringMember } from "../../kernel/json-spans.ts";
import type { AssistantBlock, Piece, UserBlock } from "../../log/block.ts";
import type { ModelChoice } from "../../log/entry.ts";
import type { Doc, SystemSection, ToolDeclaration } from "../../prompt/doc.ts";
import { type Body, blocksOf, jsonAt } from "../body.ts";
import { effortOf } from "../effort.ts";
import { foreignTool } from "../foreign-tool.ts";
import { resultsFirst } from "../results-first.ts";
import { roleOfMessage } from "../role.ts";
import { itemsOf, responsesBodyOf } from "./body.ts";
import { headLength, isSystemMessage, typeOf } from "./cut.ts";
import { breakpointsOf, textLiteral } from "./part.ts";

/**
 * A foreign Responses request as a document. `instructions` and the first system messages are its system sections. Items
 * that a document has no word for (tools given in mid-input, calls of other kinds and their outputs, compactions) are kept
 * opaque, byte for byte; parts of a user message, as texts that hold the part's JSON.
 */
export function decodeForeignResponses(bytes: Uint8Array): Doc {
  const body = responsesBodyOf(bytes);
  const items = itemsOf(body);
  const head = headLength(bytes, items);
  const systems = items.slice(0, head).filter((item) => isSystemMessage(bytes, item));
  const previous = stringMember(bytes, memberOf(body.root, "prompt_cache_options"), "comparison_response_id");
  return {
    model: modelOf(body),
    tools: itemsAt(memberOf(body.root, "tools")).flatMap((tool) => toolsOf(bytes, tool)),
    system: sectionsOf(body, systems),
    pieces: resultsFirst(piecesOf(bytes, items, new Set(systems))),
    cacheKey: stringMember(bytes, body.root, "prompt_cache_key") ?? "",
    ...(previous === undefined ? {} : { previousResponse: previous }),
    ...(items.some((item) => typeOf(bytes, item) === "compaction_trigger") ? { asksSummary: true } : {}),
  };
}

function modelOf({ bytes, root }: Body): ModelChoice {
  const limit = memberOf(root, "max_output_tokens");
  return {
    wire: "responses",
    model: stringMember(bytes, root, "model") ?? "",
    effort: effortOf(stringMember(bytes, memberOf(root, "reasoning"), "effort")),
    thinking: "off",
    outputTokensMax: limit?.type === "number" ? Number(jsonAt(bytes, limit)) : 0,
  };
}

/** A namespace stands for the tools in it. Tools without a name of their own have that of their kind. */
function toolsOf(bytes: Uint8Array, tool: JsonNode): readonly ToolDeclaration[] {
  const inner = itemsAt(memberOf(tool, "tools"));
  if (stringMember(bytes, tool, "type") === "namespace") return inner.flatMap((one) => toolsOf(bytes, one));
  const made = foreignTool(bytes, tool, "parameters");
  return [made.name === "" ? { ...made, name: stringMember(bytes, tool, "type") ?? "" } : made];
}

function sectionsOf({ bytes, root }: Body, messages: readonly JsonNode[]): readonly SystemSection[] {
  const instructions = memberOf(root, "instructions");
  const first = instructions?.type === "string" ? [stringAt(bytes, instructions.span)] : [];
  const parts = messages.flatMap((message) => blocksOf(memberOf(message, "content")));
  const texts = [...first, ...parts.map((part) => partText(bytes, part))];
  return texts.map((text, index) => ({ name: `system ${index}`, scope: "session", text }));
}

function piecesOf(bytes: Uint8Array, items: readonly JsonNode[], systems: ReadonlySet<JsonNode>): readonly Piece[] {
  const tools = new Map<string, string>();
  return items.flatMap((item, at) => {
    const type = typeOf(bytes, item);
    if (systems.has(item) || type === "compaction_trigger") return [];
    if (type === "message") return messagePieces(bytes, item, at);
    if (type === "function_call_output") return resultPieces(bytes, item, at, tools);
    const block = assistantBlock(bytes, item, type);
    if (block.type === "tool-call") tools.set(block.callId, block.tool);
    return [assistantPiece(block, at)];
  });
}

function assistantPiece(block: AssistantBlock, at: number): Piece {
  return { id: `${at}.0`, role: "assistant", from: "responses", block };
}

function messagePieces(bytes: Uint8Array, message: JsonNode, at: number): readonly Piece[] {
  const role = message.type === "string" ? "user" : roleOfMessage(bytes, message);
  const parts = message.type === "string" ? [message] : blocksOf(memberOf(message, "content"));
  if (role === "assistant") {
    const text = parts.map((part) => partText(bytes, part)).join("\n");
    return [assistantPiece({ type: "text", text, wire: wireOf(bytes, message) }, at)];
  }
  return parts.map((part, index): Piece => {
    const id = `${at}.${index}`;
    if (role === "system") {
      return { id, role: "system", kind: "reminder", block: { type: "text", text: partText(bytes, part) } };
    }
    const block = imageOf(bytes, part) ?? { type: "text", text: partText(bytes, part) };
    return { id, role: "user", kind: block.type === "image" ? "image" : "message", block };
  });
}

/** Images inside a result stand behind all results (CASES C-027). */
function resultPieces(
  bytes: Uint8Array,
  item: JsonNode,
  at: number,
  tools: ReadonlyMap<string, string>,
): readonly Piece[] {
  const callId = stringMember(bytes, item, "call_id") ?? "";
  const parts = blocksOf(memberOf(item, "output"));
  const images = parts.flatMap((part) => imageOf(bytes, part) ?? []);
  const texts = parts.filter((part) => imageOf(bytes, part) === null).map((part) => partText(bytes, part));
  const tool = tools.get(callId) ?? stringMember(bytes, item, "name") ?? "";
  const result: UserBlock = {
    type: "tool-result",
    callId: brand(callId),
    tool,
    text: texts.join("\n"),
    isError: false,
  };
  return [result, ...images].map((block, index): Piece => {
    return { id: `${at}.${index}`, role: "user", kind: block.type === "image" ? "image" : "result", block };
  });
}

function assistantBlock(bytes: Uint8Array, item: JsonNode, type: string): AssistantBlock {
  const wire = wireOf(bytes, item);
  if (type === "reasoning") return { type: "reasoning", text: summaryOf(bytes, item), wire };
  if (type === "compaction") return { type: "compaction", text: "", wire };
  if (type !== "function_call") return { type: "opaque", wire };
  const input = memberOf(item, "arguments");
  return {
    type: "tool-call",
    callId: brand(stringMember(bytes, item, "call_id") ?? ""),
    tool: stringMember(bytes, item, "name") ?? "",
    input: input?.type === "string" ? stringAt(bytes, input.span) : "{}",
    wire,
  };
}

function summaryOf(bytes: Uint8Array, item: JsonNode): string {
  const parts = itemsAt(memberOf(item, "summary"));
  return parts.map((part) => stringMember(bytes, part, "text") ?? "").join("\n\n");
}

/** As it stands there, without white space and breakpoints. */
function wireOf(bytes: Uint8Array, item: JsonNode): string {
  return compactText(bytes, item, breakpointsOf([item, ...itemsAt(memberOf(item, "content"))]));
}

/** null: no image, or one that is not given in place (a URL, a file id). */
function imageOf(bytes: Uint8Array, part: JsonNode): (UserBlock & { readonly type: "image" }) | null {
  const data = /^data:([^;,]+);base64,(.*)$/s.exec(stringMember(bytes, part, "image_url") ?? "");
  return data?.[1] === undefined || data[2] === undefined ? null : { type: "image", mediaType: data[1], data: data[2] };
}

function partText(bytes: Uint8Array, part: JsonNode): string {
  const literal = textLiteral(bytes, part);
  return literal === undefined ? compactText(bytes, part, breakpointsOf([part])) : stringAt(bytes, literal.span);
}
