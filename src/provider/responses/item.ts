import { madeOnce } from "../../kernel/once.ts";
import type { AssistantBlock, Piece, SystemBlock, UserBlock } from "../../log/block.ts";
import { quoted } from "../../prompt/apply.ts";
import type { Doc, SystemSection } from "../../prompt/doc.ts";
import { legalCallId } from "../anthropic/call-id.ts";
import { legalToolName } from "../calls.ts";
import type { Setting } from "../growing-segments.ts";
import { inputObject, isBlank, plain } from "../text.ts";
import { capabilitiesOf, toolNameCharsMax } from "./capabilities.ts";
import { effortName } from "./effort.ts";
import { asReceived } from "./received-item.ts";
import { itemOf, type Rendered, textPart } from "./rendered.ts";
import { isReceivedSearch, withSearches } from "./search.ts";
import { functionTool, isToolSearch, searchTool } from "./tool.ts";

/** Everything in order. Each is made once per tool, section or piece object, so a long conversation stays cheap. */
export function renderedOf(doc: Doc): readonly Rendered[] {
  return [...headOf(doc), ...itemsOf(doc.pieces, doc)];
}

export function headOf(doc: Doc): readonly Rendered[] {
  const { tools, system } = doc;
  return [
    ...tools.map((tool) => (isToolSearch(tool, doc.model) ? searchTool(tool) : functionTool(tool))),
    ...system.flatMap((section) => once(section, () => sectionOf(section))),
  ];
}

/** `before`: what stands in front of the pieces, where they are not all. */
export function itemsOf(all: readonly Piece[], setting: Setting, before: readonly Piece[] = []): readonly Rendered[] {
  const updates = capabilitiesOf(setting.model.model).configurationUpdates;
  const pieces = all.filter((piece, index) => !isReasoning(piece) || isFollowed(all, index));
  return withSearches(pieces, setting, before, (piece, at) => pieceOf(piece, pieces[at - 1], updates));
}

/** The service refuses reasoning without what it led to: an answer may have been cut off behind it. */
function isFollowed(pieces: readonly Piece[], index: number): boolean {
  let next = index + 1;
  while (isReasoning(pieces[next])) next += 1;
  return pieces[next]?.role === "assistant";
}

function isReasoning(piece: Piece | undefined): boolean {
  return piece?.role === "assistant" && piece.block.type === "reasoning";
}

const once = madeOnce<object, readonly Rendered[]>();

/** One part per section, so that a breakpoint can stand at the end of any of them. */
function sectionOf({ text }: SystemSection): readonly Rendered[] {
  return isBlank(text) ? [] : [{ part: "section", json: textPart(text), joins: false }];
}

const updateFor = madeOnce<Piece, readonly Rendered[]>();
const joinedFor = madeOnce<Rendered, Rendered>();

function pieceOf(piece: Piece, before: Piece | undefined, updates: boolean): readonly Rendered[] {
  if (piece.role === "system") return systemItems(piece, updates);
  const made = once(piece, () => (piece.role === "user" ? userItems(piece.block) : assistantItems(piece)));
  return joins(piece, before) ? made.map(asJoined) : made;
}

/** Images with the text behind them are one message (CASES C-027); all else stands alone, so no message ever grows. */
function joins(piece: Piece, before: Piece | undefined): boolean {
  if (piece.role !== "user" || piece.block.type === "tool-result") return false;
  return before?.role === "user" && before.block.type === "image";
}

function asJoined(rendered: Rendered): Rendered {
  return joinedFor(rendered, () => ({ ...rendered, joins: true }));
}

type SystemPiece = Piece & { readonly role: "system" };

function systemItems(piece: SystemPiece, updates: boolean): readonly Rendered[] {
  if (!updates || piece.block.effort === undefined) return once(piece, () => developerItem(piece.block));
  const effort = quoted(effortName(piece.block.effort));
  return updateFor(piece, () => [
    ...developerItem(piece.block),
    itemOf(`{"type":"configuration_update","reasoning":{"effort":${effort}}}`),
  ]);
}

function developerItem({ text }: SystemBlock): readonly Rendered[] {
  if (isBlank(text)) return [];
  return [itemOf(`{"type":"message","role":"developer","content":[${textPart(plain(text))}]}`)];
}

function userItems(block: UserBlock): readonly Rendered[] {
  if (block.type === "text")
    return isBlank(block.text) ? [] : [{ part: "user", json: textPart(plain(block.text)), joins: false }];
  if (block.type === "image") {
    const url = `data:${block.mediaType};base64,${plain(block.data)}`;
    return [{ part: "user", json: `{"type":"input_image","image_url":${quoted(url)},"detail":"auto"}`, joins: false }];
  }
  // There is no field for failure here; the text says it.
  const text = isBlank(block.text) ? "(no output)" : plain(block.text);
  const id = quoted(legalCallId(block.callId));
  return [itemOf(`{"type":"function_call_output","call_id":${id},"output":${quoted(text)}}`)];
}

function assistantItems({ from, block }: Piece & { readonly role: "assistant" }): readonly Rendered[] {
  // Of a kind that belongs to a declaration; where that stands, it does not come here.
  const isForeign = from !== "responses" || isReceivedSearch(block);
  if (!isForeign && block.wire !== undefined) return [itemOf(asReceived(block, plain(block.wire)))];
  const json = neutralItem(block);
  return json === null ? [] : [itemOf(json)];
}

/** A block that came by another wire, from its neutral fields; reasoning and unknown blocks are left out whole (C-025). */
function neutralItem(block: AssistantBlock): string | null {
  if (block.type === "reasoning" || block.type === "opaque") return null;
  if (block.type === "text" || block.type === "compaction") {
    // Parts of an answer want ids that only this service gives; a plain text is taken from anybody.
    return isBlank(block.text) ? null : `{"type":"message","role":"assistant","content":${quoted(plain(block.text))}}`;
  }
  const name = quoted(legalToolName(block.tool, toolNameCharsMax));
  const id = quoted(legalCallId(block.callId));
  return `{"type":"function_call","call_id":${id},"name":${name},"arguments":${quoted(inputObject(block.input))}}`;
}
