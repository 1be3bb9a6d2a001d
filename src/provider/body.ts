import { canonicalJson, type Json } from "../kernel/canonical.ts";
import { itemsAt, type JsonNode, JsonSpanError, memberOf, rawText, scanJson } from "../kernel/json-spans.ts";
import { BodyError } from "./body-error.ts";

/** A scanned request body. */
export type Body = { readonly bytes: Uint8Array; readonly root: JsonNode };

/** Throws `BodyError` unless the bytes are a JSON object with a list of messages: all that we ask of a foreign body. */
export function bodyOf(bytes: Uint8Array): Body {
  const body = objectOf(bytes);
  if (memberOf(body.root, "messages")?.type !== "array") throw new BodyError("messages", "is no list");
  return body;
}

/** Any JSON object; what else it must have is the wire's to say. */
export function objectOf(bytes: Uint8Array): Body {
  const root = scanned(bytes);
  if (root.type !== "object") throw new BodyError("", "is no JSON object");
  return { bytes, root };
}

export function messagesOf({ root }: Body): readonly JsonNode[] {
  return itemsAt(memberOf(root, "messages"));
}

/** The blocks of a message's `content` or of `system`: its items, or the one string that is the shorthand of a block. */
export function blocksOf(content: JsonNode | undefined): readonly JsonNode[] {
  if (content === undefined || content.type === "null") return [];
  return content.type === "array" ? content.items : [content];
}

/** Canonical JSON of the top-level members with these names, without those that are absent. */
export function cacheKeyOfMembers(bytes: Uint8Array, names: readonly string[]): string {
  const { root } = objectOf(bytes);
  const parts: [string, Json][] = names.flatMap((name) => {
    const node = memberOf(root, name);
    return node === undefined || node.type === "null" ? [] : [[name, jsonAt(bytes, node)]];
  });
  return canonicalJson(Object.fromEntries(parts));
}

/** The value as JavaScript has it. */
export function jsonAt(bytes: Uint8Array, node: JsonNode): Json {
  // The scanner has checked that this span is JSON, so parsing cannot fail and gives a Json value.
  return JSON.parse(rawText(bytes, node.span)) as Json;
}

function scanned(bytes: Uint8Array): JsonNode {
  try {
    return scanJson(bytes);
  } catch (error) {
    if (error instanceof JsonSpanError) throw new BodyError("", `is ${error.message}`);
    throw error;
  }
}
