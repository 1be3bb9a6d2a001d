import { type JsonNode, scanJson } from "../../kernel/json-spans.ts";
import { madeOnce } from "../../kernel/once.ts";
import type { AssistantBlock, Piece, UserBlock } from "../../log/block.ts";
import { quoted } from "../../prompt/apply.ts";
import type { Doc, SystemSection, ToolDeclaration } from "../../prompt/doc.ts";
import { legalToolName } from "../calls.ts";
import { type Draft, textBlockJson, withoutSpans } from "../draft.ts";
import type { Setting } from "../growing-segments.ts";
import { type Revealed, revealing } from "../reveals.ts";
import { inputObject, isBlank, plain } from "../text.ts";
import { legalCallId, toolNameCharsMax } from "./call-id.ts";
import { type Capabilities, capabilitiesOf } from "./capabilities.ts";
import { cutBlock, cutSystem, cutTool } from "./cut.ts";

/** One block as it is sent, without a marker. Each is exactly one segment. */
export type Rendered = {
  /** `revealed`: a tool that stands with the others and is rendered behind the block in front of it here (PROTOCOLS A.7). */
  readonly part: "tool" | "system" | "user" | "assistant" | "system-message" | "revealed";
  readonly json: string;
  /** Members of its message besides role and content, name and JSON: then the message is its own (PROTOCOLS A.6). */
  readonly extras?: readonly (readonly [name: string, json: string])[];
};

/**
 * All blocks of the request in rendering order. Each is made once per tool, section or piece object, so that rendering a
 * long conversation again costs only what was added.
 */
export function renderedOf(doc: Doc): readonly Rendered[] {
  return [...headOf(doc), ...blocksOf(doc.pieces, doc)];
}

export function headOf(doc: Doc): readonly Rendered[] {
  return [
    ...doc.tools.flatMap((tool) => once(tool, () => toolBlock(tool)) ?? []),
    ...doc.system.flatMap((section) => once(section, () => sectionBlock(section)) ?? []),
  ];
}

/** `before`: what stands in front of the pieces, where they are not all. */
export function blocksOf(
  pieces: readonly Piece[],
  { model, tools }: Setting,
  before: readonly Piece[] = [],
): readonly Rendered[] {
  const capabilities = capabilitiesOf(model.model);
  // One tool at least must not be deferred.
  const reveal = capabilities.revealsTools && tools.length > 0 ? revealing(tools, before) : () => null;
  return pieces.flatMap((piece) => revealedBlocks(piece, reveal(piece)) ?? pieceBlock(piece, capabilities) ?? []);
}

const draftFor = madeOnce<Rendered, Draft>();
const encoder = new TextEncoder();

export function draftOfRendered(rendered: Rendered): Draft {
  return draftFor(rendered, () => cutOf(rendered));
}

function cutOf(rendered: Rendered): Draft {
  const bytes = encoder.encode(rendered.json);
  const extras = (rendered.extras ?? []).map(([name, json]) => `\n${name}:${json}`).join("");
  return withoutSpans(cuts[rendered.part](bytes, scanJson(bytes), extras));
}

const cuts: Readonly<Record<Rendered["part"], (bytes: Uint8Array, node: JsonNode, extras: string) => Draft>> = {
  tool: (bytes, node) => cutTool(bytes, node),
  system: cutSystem,
  user: (bytes, node) => cutBlock(bytes, node, "user"),
  assistant: (bytes, node) => cutBlock(bytes, node, "assistant"),
  "system-message": (bytes, node, extras) => cutBlock(bytes, node, "system", extras),
  revealed: (bytes, node) => cutTool(bytes, node, "user"),
};

const once = madeOnce<object, Rendered | null>();

function toolBlock(tool: ToolDeclaration): Rendered {
  return { part: "tool", json: `{${toolMembers(tool)}}` };
}

function toolMembers({ name, description, inputSchema }: ToolDeclaration): string {
  return `"name":${quoted(name)},"description":${quoted(description)},"input_schema":${inputSchema}`;
}

function sectionBlock({ text }: SystemSection): Rendered | null {
  return isBlank(text) ? null : { part: "system", json: textBlockJson(quoted(text)) };
}

const referencesFor = madeOnce<Piece, Rendered | null>();

/** A result that refers to tools, and those of them that stand nowhere yet; null: it says what it found in words. */
function revealedBlocks(piece: Piece, revealed: Revealed | null): readonly Rendered[] | null {
  if (revealed === null) return null;
  const result = referencesFor(piece, () => references(piece, revealed.tools));
  return result === null ? null : [result, ...revealed.added.flatMap((tool) => once(tool, () => deferred(tool)) ?? [])];
}

function references({ block }: Piece, tools: readonly ToolDeclaration[]): Rendered | null {
  if (block.type !== "tool-result") return null;
  const found = tools.map(({ name }) => `{"type":"tool_reference","tool_name":${quoted(name)}}`);
  return { part: "user", json: resultJson(block, `[${found.join(",")}]`) };
}

function deferred(tool: ToolDeclaration): Rendered {
  return { part: "revealed", json: `{${toolMembers(tool)},"defer_loading":true}` };
}

/** null: nothing to send (empty text of ours, reasoning that is not this wire's). */
function pieceBlock(piece: Piece, capabilities: Capabilities): Rendered | null {
  if (piece.role === "system")
    return capabilities.systemMessages ? once(piece, () => systemMessage(piece)) : reminder(piece);
  return once(piece, () => (piece.role === "user" ? userBlock(piece.block) : assistantBlock(piece)));
}

type SystemPiece = Piece & { readonly role: "system" };

function systemMessage({ block }: SystemPiece): Rendered | null {
  if (isBlank(block.text)) return null;
  const { effort, until } = block;
  const extras: readonly (readonly [string, string])[] = [
    ...(until === undefined ? [] : [["clear_at", `"next_user_message"`] as const]),
    ...(effort === undefined ? [] : [["output_config", `{"effort":${quoted(effort)}}`] as const]),
  ];
  return { part: "system-message", json: textBlockJson(quoted(plain(block.text))), extras };
}

const reminderFor = madeOnce<SystemPiece, Rendered>();

/** Where the model takes no system message in mid-conversation, the text stands on the user's side and says whose it is. */
function reminder(piece: SystemPiece): Rendered | null {
  if (isBlank(piece.block.text)) return null;
  const text = () => `<system-reminder>\n${plain(piece.block.text)}\n</system-reminder>`;
  return reminderFor(piece, () => ({ part: "user", json: textBlockJson(quoted(text())) }));
}

function userBlock(block: UserBlock): Rendered | null {
  const json = userJson(block);
  return json === null ? null : { part: "user", json };
}

function userJson(block: UserBlock): string | null {
  if (block.type === "text") return isBlank(block.text) ? null : textBlockJson(quoted(plain(block.text)));
  if (block.type === "image") {
    const source = `{"type":"base64","media_type":${quoted(block.mediaType)},"data":${quoted(plain(block.data))}}`;
    return `{"type":"image","source":${source}}`;
  }
  return resultJson(block, quoted(isBlank(block.text) ? "" : plain(block.text)));
}

function resultJson({ callId, isError }: UserBlock & { readonly type: "tool-result" }, content: string): string {
  const id = quoted(legalCallId(callId));
  return `{"type":"tool_result","tool_use_id":${id},"content":${content}${isError ? ',"is_error":true' : ""}}`;
}

function assistantBlock(piece: Piece & { readonly role: "assistant" }): Rendered | null {
  const { block } = piece;
  if (piece.from === "anthropic" && block.wire !== undefined) return { part: "assistant", json: plain(block.wire) };
  const json = assistantJson(block);
  return json === null ? null : { part: "assistant", json };
}

/** A block that came by another wire, from its neutral fields; reasoning and unknown blocks are left out whole (C-025). */
function assistantJson(block: AssistantBlock): string | null {
  if (block.type === "reasoning" || block.type === "opaque") return null;
  if (block.type === "text" || block.type === "compaction")
    return isBlank(block.text) ? null : textBlockJson(quoted(plain(block.text)));
  const id = quoted(legalCallId(block.callId));
  return `{"type":"tool_use","id":${id},"name":${quoted(legalToolName(block.tool, toolNameCharsMax))},"input":${inputObject(block.input)}}`;
}
