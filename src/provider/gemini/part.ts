import { type JsonNode, scanJson } from "../../kernel/json-spans.ts";
import { madeOnce } from "../../kernel/once.ts";
import type { AssistantBlock, Piece, UserBlock } from "../../log/block.ts";
import type { ModelChoice } from "../../log/entry.ts";
import { quoted } from "../../prompt/apply.ts";
import type { Doc, SystemSection, ToolDeclaration } from "../../prompt/doc.ts";
import { type Draft, withoutSpans } from "../draft.ts";
import { isBlank, plain } from "../text.ts";
import { type CallOnWire, type CallPiece, callOnWire, isCall, legalFunctionName, withDummySignature } from "./call.ts";
import { cutDeclaration, cutPart, cutSystem } from "./cut.ts";
import { signsCalls } from "./models.ts";

/** A declaration or one part of a content as it is sent. Each is exactly one segment. */
export type Rendered = { readonly part: "tool" | "system" | "user" | "model"; readonly json: string };

/**
 * All parts of the request in rendering order. Each is made once per tool, section or piece object, so that rendering a
 * long conversation again costs only what was added.
 */
export function renderedOf(doc: Doc): readonly Rendered[] {
  return [...headOf(doc), ...partsOf(doc.pieces, doc.model)];
}

export function headOf({ tools, system }: Doc): readonly Rendered[] {
  return [
    ...tools.flatMap((tool) => once(tool, () => declaration(tool)) ?? []),
    ...system.flatMap((section) => once(section, () => sectionPart(section)) ?? []),
  ];
}

const draftFor = madeOnce<Rendered, Draft>();
const encoder = new TextEncoder();

export function draftOfRendered(rendered: Rendered): Draft {
  return draftFor(rendered, () => {
    const bytes = encoder.encode(rendered.json);
    return withoutSpans(cuts[rendered.part](bytes, scanJson(bytes)));
  });
}

const cuts: Readonly<Record<Rendered["part"], (bytes: Uint8Array, node: JsonNode) => Draft>> = {
  tool: cutDeclaration,
  system: cutSystem,
  user: (bytes, node) => cutPart(bytes, node, "user"),
  model: (bytes, node) => cutPart(bytes, node, "assistant"),
};

const once = madeOnce<object, Rendered | null>();

/** `parametersJsonSchema` takes JSON Schema as it is; `parameters` knows only a part of OpenAPI's, and refuses the rest. */
function declaration({ name, description, inputSchema }: ToolDeclaration): Rendered {
  const json = `{"name":${quoted(name)},"description":${quoted(description)},"parametersJsonSchema":${inputSchema}}`;
  return { part: "tool", json };
}

function sectionPart({ text }: SystemSection): Rendered | null {
  return isBlank(text) ? null : { part: "system", json: textPart(text) };
}

/** `before`: what stands in front of the pieces, where they are not all. */
export function partsOf(
  pieces: readonly Piece[],
  { model }: ModelChoice,
  before: readonly Piece[] = [],
): readonly Rendered[] {
  const unsigned = signsCalls(model) ? unsignedCalls(pieces) : new Set<Piece>();
  const calls = new Map<string, CallOnWire>();
  return pieces.flatMap((piece) => {
    if (isCall(piece)) {
      const call = callOnWire(piece);
      calls.set(piece.block.callId, call);
      return callPart(piece, call, unsigned.has(piece));
    }
    if (piece.role === "user" && piece.block.type === "tool-result")
      return resultPart(piece, piece.block, calls.get(piece.block.callId) ?? callIn(before, piece.block.callId));
    return once(piece, () => plainPart(piece)) ?? [];
  });
}

function callIn(pieces: readonly Piece[], callId: string): CallOnWire | null {
  const call = pieces.filter(isCall).findLast(({ block }) => block.callId === callId);
  return call === undefined ? null : callOnWire(call);
}

/** The first call of each content of the model's, where it is not signed: the service looks there (PROTOCOLS C.2). */
function unsignedCalls(pieces: readonly Piece[]): ReadonlySet<Piece> {
  const found = new Set<Piece>();
  let isFirst = true;
  for (const piece of pieces) {
    if (piece.role !== "assistant") isFirst = true;
    if (!isCall(piece)) continue;
    if (isFirst && !callOnWire(piece).signed) found.add(piece);
    isFirst = false;
  }
  return found;
}

const bareCall = madeOnce<CallPiece, Rendered>();
const dummyCall = madeOnce<CallPiece, Rendered>();

function callPart(piece: CallPiece, call: CallOnWire, dummy: boolean): Rendered {
  if (dummy) return dummyCall(piece, () => ({ part: "model", json: withDummySignature(call) }));
  return bareCall(piece, () => ({ part: "model", json: call.json }));
}

const results = new WeakMap<Piece, { readonly head: string; readonly made: Rendered }>();

/** Under the name, and the id if any, that its call has in this request. Some templates refuse an empty answer. */
function resultPart(
  piece: Piece,
  { text, tool, isError }: UserBlock & { readonly type: "tool-result" },
  call: CallOnWire | null,
): Rendered {
  const id = call === null || call.id === null ? "" : `"id":${quoted(call.id)},`;
  const head = `${id}"name":${quoted(call?.name ?? legalFunctionName(tool))}`;
  const known = results.get(piece);
  if (known?.head === head) return known.made;
  const said = quoted(isBlank(text) ? "(no output)" : plain(text));
  const response = `{"${isError ? "error" : "output"}":${said}}`;
  const made: Rendered = { part: "user", json: `{"functionResponse":{${head},"response":${response}}}` };
  results.set(piece, { head, made });
  return made;
}

/** null: nothing to send (empty text of ours, reasoning that is not this wire's). */
function plainPart(piece: Piece): Rendered | null {
  if (piece.role === "assistant") {
    const json = assistantJson(piece.from === "gemini", piece.block);
    return json === null ? null : { part: "model", json };
  }
  const json = piece.role === "user" ? userJson(piece.block) : reminderJson(plain(piece.block.text));
  return json === null ? null : { part: "user", json };
}

/** Reasoning and unknown parts of other wires are left out whole (CASES C-025). */
function assistantJson(isOwn: boolean, block: AssistantBlock): string | null {
  if (isOwn && block.wire !== undefined) return plain(block.wire);
  if (block.type !== "text") return null;
  return isBlank(block.text) ? null : textPart(plain(block.text));
}

function userJson(block: UserBlock): string | null {
  if (block.type === "image") {
    const { mediaType, data } = block;
    return `{"inlineData":{"mimeType":${quoted(mediaType)},"data":${quoted(plain(data))}}}`;
  }
  return isBlank(block.text) ? null : textPart(plain(block.text));
}

/** There is no system side in mid-conversation here: the text says itself whose it is. */
function reminderJson(text: string): string | null {
  return isBlank(text) ? null : textPart(`<system-reminder>\n${text}\n</system-reminder>`);
}

function textPart(text: string): string {
  return `{"text":${quoted(text)}}`;
}
