import { scanJson } from "../../kernel/json-spans.ts";
import { madeOnce } from "../../kernel/once.ts";
import type { AssistantBlock, Piece, UserBlock } from "../../log/block.ts";
import type { ModelChoice } from "../../log/entry.ts";
import { quoted } from "../../prompt/apply.ts";
import type { Doc, SystemSection, ToolDeclaration } from "../../prompt/doc.ts";
import { legalToolName } from "../calls.ts";
import { type Draft, textBlockJson, withoutSpans } from "../draft.ts";
import { isOpenAi } from "../openai.ts";
import { inputObject, isBlank, plain } from "../text.ts";
import { cutChatMessage, cutChatTool } from "./cut.ts";
import { toolNameCharsMax } from "./models.ts";

/** A tool or a message as it is sent. A message may hold several segments. */
export type Rendered = { readonly part: "tool" | "system" | "message"; readonly json: string };

/** Everything in order. Each message is made once per group of piece objects, so a long conversation stays cheap. */
export function renderedOf(doc: Doc): readonly Rendered[] {
  return [...headOf(doc), ...messagesOf(doc.pieces, doc.model)];
}

export function headOf({ tools, system }: Doc): readonly Rendered[] {
  return [...tools.map(toolOf), ...systemMessage(system)];
}

export function messagesOf(pieces: readonly Piece[], { model }: ModelChoice): readonly Rendered[] {
  const openAi = isOpenAi(model);
  return groupsOf(pieces).flatMap((group) => messageOf(group, openAi) ?? []);
}

const draftsFor = madeOnce<Rendered, readonly Draft[]>();
const encoder = new TextEncoder();

export function draftsOfRendered(rendered: Rendered): readonly Draft[] {
  return draftsFor(rendered, () => cutOf(rendered).map(withoutSpans));
}

function cutOf({ part, json }: Rendered): readonly Draft[] {
  const bytes = encoder.encode(json);
  const node = scanJson(bytes);
  return part === "tool" ? [cutChatTool(bytes, node)] : cutChatMessage(bytes, node, part === "system");
}

const toolFor = madeOnce<ToolDeclaration, Rendered>();

function toolOf(tool: ToolDeclaration): Rendered {
  return toolFor(tool, () => {
    const { name, description, inputSchema } = tool;
    const made = `{"name":${quoted(name)},"description":${quoted(description)},"parameters":${inputSchema}}`;
    return { part: "tool", json: `{"type":"function","function":${made}}` };
  });
}

const headFor = madeOnce<readonly SystemSection[], readonly Rendered[]>();

/**
 * All sections in one message: many templates take a single system message, and only as the first. Sections end with
 * their own blank line, so the text is the same on every wire.
 */
function systemMessage(sections: readonly SystemSection[]): readonly Rendered[] {
  return headFor(sections, () => {
    const texts = sections.map((section) => section.text).filter((text) => !isBlank(text));
    return texts.length === 0
      ? []
      : [{ part: "system", json: `{"role":"system","content":${quoted(texts.join(""))}}` }];
  });
}

/**
 * The pieces of one message: an assistant's by the entry that brought them, images with the text behind them (CASES
 * C-027), everything else alone. A later piece never joins a message that was sent complete.
 */
function groupsOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    const last = groups.at(-1);
    if (last !== undefined && joins(last, piece)) last.push(piece);
    else groups.push([piece]);
  }
  return groups;
}

function joins(group: readonly Piece[], piece: Piece): boolean {
  const last = group.at(-1);
  if (last === undefined || last.role !== piece.role) return false;
  if (piece.role === "assistant") return entryOf(last) === entryOf(piece);
  return (
    last.role === "user" && last.block.type === "image" && piece.role === "user" && piece.block.type !== "tool-result"
  );
}

function entryOf(piece: Piece): string {
  return piece.id.slice(0, piece.id.lastIndexOf("."));
}

const memo = new WeakMap<
  Piece,
  { readonly group: readonly Piece[]; readonly openAi: boolean; readonly made: Rendered | null }
>();

/** null: nothing to send. */
function messageOf(group: readonly Piece[], openAi: boolean): Rendered | null {
  const [first] = group;
  if (first === undefined) return null;
  const known = memo.get(first);
  if (known?.openAi === openAi && isSame(known.group, group)) return known.made;
  const json = jsonOf(first, group, openAi);
  const made: Rendered | null = json === null ? null : { part: "message", json };
  memo.set(first, { group, openAi, made });
  return made;
}

function isSame(a: readonly Piece[], b: readonly Piece[]): boolean {
  return a.length === b.length && a.every((piece, index) => piece === b[index]);
}

function jsonOf(first: Piece, group: readonly Piece[], openAi: boolean): string | null {
  if (first.role === "assistant") {
    const pieces = group.flatMap((piece) => (piece.role === "assistant" ? [openAi ? plainPiece(piece) : piece] : []));
    return assistantJson(pieces);
  }
  if (first.role === "user") return userJson(group.flatMap((piece) => (piece.role === "user" ? [piece.block] : [])));
  const text = plain(first.block.text);
  if (isBlank(text)) return null;
  if (openAi) return `{"role":"system","content":${quoted(text)}}`;
  // Local templates know a system message only as the first; elsewhere the text says itself whose it is.
  return `{"role":"user","content":${quoted(`<system-reminder>\n${text}\n</system-reminder>`)}}`;
}

function userJson(blocks: readonly UserBlock[]): string | null {
  const [first] = blocks;
  if (first?.type === "tool-result") {
    // There is no field for failure here; the text says it. Some templates refuse an empty result.
    const text = isBlank(first.text) ? "(no output)" : plain(first.text);
    return `{"role":"tool","tool_call_id":${quoted(first.callId)},"content":${quoted(text)}}`;
  }
  if (first?.type === "text")
    return isBlank(first.text) ? null : `{"role":"user","content":${quoted(plain(first.text))}}`;
  return `{"role":"user","content":[${blocks.flatMap((block) => partJson(block) ?? []).join(",")}]}`;
}

function partJson(block: UserBlock): string | null {
  if (block.type === "image") {
    const url = `data:${block.mediaType};base64,${plain(block.data)}`;
    return `{"type":"image_url","image_url":{"url":${quoted(url)}}}`;
  }
  return isBlank(block.text) ? null : textBlockJson(quoted(plain(block.text)));
}

type AssistantPiece = Piece & { readonly role: "assistant" };

/** OpenAI refuses members it does not know, such as another server's reasoning: its models get the neutral fields. */
function plainPiece(piece: AssistantPiece): AssistantPiece {
  if (piece.block.type === "opaque" || piece.block.type === "compaction") return piece;
  const { wire: _as, ...block } = piece.block;
  return { ...piece, block };
}

/** null: nothing of it can be said on this wire. Reasoning alone is no message that every server takes. */
function assistantJson(pieces: readonly AssistantPiece[]): string | null {
  const reasoning = pieces.flatMap(({ from, block }) =>
    block.type === "reasoning" && from === "chat" && block.wire !== undefined ? membersOf(plain(block.wire)) : [],
  );
  const content = contentOf(pieces.filter(({ block }) => block.type === "text"));
  const calls = pieces.flatMap(({ from, block }) => (block.type === "tool-call" ? [callJson(from, block)] : []));
  if (content === null && calls.length === 0) return null;
  const members = [`"role":"assistant"`, ...reasoning, `"content":${content ?? "null"}`];
  return `{${[...members, ...(calls.length === 0 ? [] : [`"tool_calls":[${calls.join(",")}]`])].join(",")}}`;
}

/** The members of an object's JSON text, without its braces. */
function membersOf(object: string): readonly string[] {
  const members = object.slice(1, -1);
  return members === "" ? [] : [members];
}

/** One text goes back as received; several (from another wire) become one, since few servers take a list here. */
function contentOf(pieces: readonly AssistantPiece[]): string | null {
  const [first, ...others] = pieces;
  if (first === undefined) return null;
  const { block } = first;
  if (others.length === 0 && first.from === "chat" && block.wire !== undefined) return plain(block.wire);
  const texts = pieces.flatMap((piece) => (piece.block.type === "text" ? [plain(piece.block.text)] : []));
  const text = texts.filter((one) => !isBlank(one)).join("\n");
  return text === "" ? null : quoted(text);
}

function callJson(from: AssistantPiece["from"], block: AssistantBlock & { readonly type: "tool-call" }): string {
  if (from === "chat" && block.wire !== undefined) return plain(block.wire);
  const made = `{"name":${quoted(legalToolName(block.tool, toolNameCharsMax))},"arguments":${quoted(inputObject(block.input))}}`;
  return `{"id":${quoted(block.callId)},"type":"function","function":${made}}`;
}
