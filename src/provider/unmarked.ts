import { compactText, itemsAt, type JsonNode, memberOf, rawText } from "../kernel/json-spans.ts";
import { textBlockJson } from "./draft.ts";

/** The block's compact JSON without markers, and a result's content always as a list: both forms render alike. */
export function unmarked(bytes: Uint8Array, node: JsonNode): string {
  const content = memberOf(node, "content");
  const instead = new Map<JsonNode, string | null>();
  for (const marked of [node, ...itemsAt(content)]) {
    if (marked.type !== "object") continue;
    for (const { key, value } of marked.members) if (key === "cache_control") instead.set(value, null);
  }
  if (content?.type === "string") instead.set(content, `[${textBlockJson(rawText(bytes, content.span))}]`);
  return compactText(bytes, node, instead);
}
