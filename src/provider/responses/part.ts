import { compactText, itemsAt, type JsonNode, memberOf, rawText, stringMember } from "../../kernel/json-spans.ts";
import { own } from "../../kernel/own.ts";
import type { Segment, SegmentKind } from "../../prompt/segment.ts";
import { type Draft, draftOf, textAt, textBlockJson } from "../draft.ts";

/** One part of a message's content; a string literal is the shorthand of one text. `extras` join its hash. */
export function cutPart(bytes: Uint8Array, node: JsonNode, role: Segment["role"], extras = ""): Draft {
  const literal = textLiteral(bytes, node);
  const kind = literal === undefined ? kindOf(bytes, node) : "text";
  const words = literal === undefined ? {} : textAt(bytes, [literal]);
  return draftOf({ kind, role, span: node.span, json: partJson(bytes, node) + extras, ...words });
}

/**
 * The part's JSON as the hash takes it: without its breakpoint, and a text whose members say nothing else as the plain
 * text it is, whichever way its client wrote it.
 */
export function partJson(bytes: Uint8Array, node: JsonNode): string {
  const literal = textLiteral(bytes, node);
  if (literal === undefined) return compactText(bytes, node, breakpointsOf([node]));
  const refused = stringMember(bytes, node, "type") === "refusal" ? "refusal:" : "";
  return refused + textBlockJson(rawText(bytes, literal.span)) + extrasOf(bytes, node, textKeys);
}

/** The string literal that holds a part's text; undefined for parts that are no text. */
export function textLiteral(bytes: Uint8Array, node: JsonNode): JsonNode | undefined {
  if (node.type === "string") return node;
  const key = own(textMembers, stringMember(bytes, node, "type") ?? "");
  const literal = key === undefined ? undefined : memberOf(node, key);
  return literal?.type === "string" ? literal : undefined;
}

/** Members besides the known ones that say something: the model may see them, so they are hashed. */
export function extrasOf(bytes: Uint8Array, node: JsonNode, known: ReadonlySet<string>): string {
  if (node.type !== "object") return "";
  const others = node.members.filter(({ key, value }) => !known.has(key) && !isNothing(value));
  return others.map(({ key, value }) => `\n${key}:${compactText(bytes, value)}`).join("");
}

/** The breakpoints on these parts or items, to be left out: they are no part of what the model sees. */
export function breakpointsOf(nodes: readonly JsonNode[]): ReadonlyMap<JsonNode, null> {
  const markers = nodes.flatMap((node) =>
    node.type === "object" ? node.members.filter(({ key }) => key === "prompt_cache_breakpoint") : [],
  );
  return new Map(markers.map(({ value }) => [value, null]));
}

function kindOf(bytes: Uint8Array, node: JsonNode): SegmentKind {
  return own(kinds, stringMember(bytes, node, "type") ?? "") ?? "other";
}

function isNothing(value: JsonNode): boolean {
  return value.type === "null" || (value.type === "array" && itemsAt(value).length === 0);
}

const textMembers: Readonly<Record<string, string>> = {
  text: "text",
  input_text: "text",
  output_text: "text",
  refusal: "refusal",
};

const textKeys: ReadonlySet<string> = new Set(["type", "text", "refusal", "prompt_cache_breakpoint"]);

const kinds: Readonly<Record<string, SegmentKind>> = {
  input_image: "image",
  input_file: "document",
};
