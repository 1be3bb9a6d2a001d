import { compactText, itemsAt, type JsonNode, memberOf, rawText, stringMember } from "../../kernel/json-spans.ts";
import type { Segment, SegmentKind } from "../../prompt/segment.ts";
import { blocksOf } from "../body.ts";
import { type Draft, type DraftParts, draftOf, numbering, textAt } from "../draft.ts";
import { geminiBody } from "./body.ts";
import { field } from "./fields.ts";
import { callLinks } from "./links.ts";

/**
 * Cuts a generateContent request, ours or a foreign one, into what the service renders. An explicit cache stands for
 * tools, system and contents that were fixed when it was made, so it comes first, as one opaque segment. Throws `BodyError`.
 */
export function cutGemini(bytes: Uint8Array): readonly Segment[] {
  const { root } = geminiBody(bytes);
  const drafts = [
    ...cutCached(bytes, field(root, "cachedContent")),
    ...blocksOf(memberOf(root, "tools")).flatMap((tool) => cutTool(bytes, tool)),
    ...partsOf(field(root, "systemInstruction")).map((part) => cutSystem(bytes, part)),
    ...itemsAt(memberOf(root, "contents")).flatMap((content) => cutContent(bytes, content)),
  ];
  const segmentOf = linking();
  return drafts.map((draft) => segmentOf(draft));
}

/** Draft after draft. Calls without an id, and their answers, get one here: it is no part of the body. */
export function linking(): (draft: Draft) => Segment {
  const links = callLinks();
  const number = numbering();
  return (draft) => {
    if (draft.kind !== "tool-call" && draft.kind !== "tool-result") return number(draft);
    const link = draft.kind === "tool-call" ? links.call : links.result;
    const callId = link(draft.callId, draft.tool ?? "");
    return number(callId === undefined ? draft : { ...draft, callId });
  };
}

/** One entry of `tools`: its declarations one by one, and each tool of the service's own. */
function cutTool(bytes: Uint8Array, node: JsonNode): readonly Draft[] {
  if (node.type !== "object") return [];
  return node.members.flatMap(({ key, value }) => {
    if (isDeclarations(key)) return blocksOf(value).map((one) => cutDeclaration(bytes, one));
    const json = `${key}:${compactText(bytes, value)}`;
    return [draftOf({ kind: "tool", role: "tools", span: value.span, json, text: json, tool: key })];
  });
}

export function cutDeclaration(bytes: Uint8Array, node: JsonNode): Draft {
  const json = compactText(bytes, node);
  const tool = stringMember(bytes, node, "name");
  return draftOf({ kind: "tool", role: "tools", span: node.span, json, text: json, tool });
}

export function isDeclarations(key: string): boolean {
  return key === "functionDeclarations" || key === "function_declarations";
}

export function cutSystem(bytes: Uint8Array, node: JsonNode): Draft {
  const part = cutPart(bytes, node, "system");
  if (part.kind !== "text") return part;
  return draftOf({ ...part, kind: "system", json: partJson(bytes, node) });
}

/** One part of a content; a string literal is the shorthand of one text part. */
export function cutPart(bytes: Uint8Array, node: JsonNode, role: Segment["role"], extras = ""): Draft {
  const kind = kindOf(bytes, node);
  const json = partJson(bytes, node) + extras;
  return draftOf({ kind, role, span: node.span, json, ...(details[kind]?.(bytes, node) ?? {}) });
}

/** The parts of a content; text alone is the shorthand of a content with one part. */
export function partsOf(content: JsonNode | undefined): readonly JsonNode[] {
  if (content === undefined) return [];
  if (content.type === "array") return content.items.flatMap(partsOf);
  if (content.type === "string") return [content];
  const parts = memberOf(content, "parts");
  return parts === undefined && memberOf(content, "text") !== undefined ? [content] : blocksOf(parts);
}

export function isModel(bytes: Uint8Array, content: JsonNode): boolean {
  return stringMember(bytes, content, "role") === "model";
}

function cutCached(bytes: Uint8Array, node: JsonNode | undefined): readonly Draft[] {
  if (node === undefined || node.type === "null") return [];
  const json = `cachedContent:${compactText(bytes, node)}`;
  return [draftOf({ kind: "other", role: "system", span: node.span, json })];
}

function cutContent(bytes: Uint8Array, content: JsonNode): readonly Draft[] {
  const role = isModel(bytes, content) ? "assistant" : "user";
  const extras = content.type === "object" ? extrasOf(bytes, content) : "";
  return partsOf(content).map((part, index) => cutPart(bytes, part, role, index === 0 ? extras : ""));
}

/** Members of a content besides role and parts: the model may see them, so they are hashed. */
function extrasOf(bytes: Uint8Array, content: JsonNode & { readonly type: "object" }): string {
  if (memberOf(content, "parts") === undefined) return "";
  const others = content.members.filter(({ key }) => key !== "role" && key !== "parts");
  return others.map(({ key, value }) => `\n${key}:${compactText(bytes, value)}`).join("");
}

function partJson(bytes: Uint8Array, node: JsonNode): string {
  return node.type === "string" ? `{"text":${rawText(bytes, node.span)}}` : compactText(bytes, node);
}

function kindOf(bytes: Uint8Array, node: JsonNode): SegmentKind {
  if (node.type === "string") return "text";
  if (field(node, "functionCall")?.type === "object") return "tool-call";
  if (field(node, "functionResponse")?.type === "object") return "tool-result";
  const media = field(node, "inlineData") ?? field(node, "fileData");
  if (media !== undefined) return mediaTypeOf(bytes, media).startsWith("image/") ? "image" : "document";
  if (memberOf(node, "text")?.type !== "string") return "other";
  return memberOf(node, "thought")?.type === "true" ? "reasoning" : "text";
}

export function mediaTypeOf(bytes: Uint8Array, media: JsonNode): string {
  return stringMember(bytes, media, "mimeType") ?? stringMember(bytes, media, "mime_type") ?? "";
}

type Details = Partial<Pick<DraftParts, "text" | "textSpans" | "callId" | "tool">>;

const details: Readonly<Partial<Record<SegmentKind, (bytes: Uint8Array, node: JsonNode) => Details>>> = {
  text(bytes, node) {
    const literal = node.type === "string" ? node : memberOf(node, "text");
    return literal === undefined ? {} : textAt(bytes, [literal]);
  },
  "tool-call"(bytes, node) {
    const call = field(node, "functionCall");
    const args = memberOf(call, "args");
    const text = args === undefined ? "" : compactText(bytes, args);
    return { text, callId: stringMember(bytes, call, "id"), tool: stringMember(bytes, call, "name") };
  },
  "tool-result"(bytes, node) {
    const answer = field(node, "functionResponse");
    const ids = { callId: stringMember(bytes, answer, "id"), tool: stringMember(bytes, answer, "name") };
    const response = memberOf(answer, "response");
    const literal = answerText(response);
    if (literal !== undefined) return { ...textAt(bytes, [literal]), ...ids };
    return { text: response === undefined ? "" : compactText(bytes, response), ...ids };
  },
};

/** `output` or `error` as the service documents them, else the one text that a client put under a name of its own. */
export function answerText(response: JsonNode | undefined): JsonNode | undefined {
  if (response?.type !== "object") return undefined;
  const named = memberOf(response, "output") ?? memberOf(response, "error");
  const only = response.members.length === 1 ? response.members[0]?.value : undefined;
  return [named, only].find((node) => node?.type === "string");
}
