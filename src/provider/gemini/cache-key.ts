import { canonicalJson, type Json } from "../../kernel/canonical.ts";
import { type JsonNode, stringMember } from "../../kernel/json-spans.ts";
import { jsonAt } from "../body.ts";
import { geminiBody } from "./body.ts";
import { field } from "./fields.ts";

/** All of the cache key that is not text (law 2). `model` is the address's; few bodies name it. */
export function geminiCacheKey(bytes: Uint8Array, model?: string): string {
  const { root } = geminiBody(bytes);
  const named = model ?? stringMember(bytes, root, "model");
  const config = field(root, "generationConfig");
  const nodes: readonly (readonly [string, JsonNode | undefined])[] = [
    ["toolConfig", field(root, "toolConfig")],
    ...configMembers.map((name) => [name, field(config, name)] as const),
  ];
  const parts = nodes.flatMap(([name, node]): readonly [string, Json][] =>
    node === undefined || node.type === "null" ? [] : [[name, jsonAt(bytes, node)]],
  );
  const key = named === undefined ? [] : [["model", named] as const];
  return canonicalJson(Object.fromEntries([...key, ...parts]));
}

/** Of the generation's settings those that reach the prompt; sampling and limits do not. */
const configMembers = ["thinkingConfig", "responseMimeType", "responseSchema", "responseJsonSchema", "mediaResolution"];
