import type { ModelChoice } from "../../log/entry.ts";
import type { WireRequest } from "../../ports/model.ts";
import type { Doc } from "../../prompt/doc.ts";
import { thinkingConfigOf } from "./models.ts";
import { type Rendered, renderedOf } from "./part.ts";

/** The request body as text: stored pieces put together, keys in a fixed order (law 7). The model stands in the address. */
export function encodeGemini(doc: Doc): WireRequest {
  const parts = renderedOf(doc);
  const tools = jsonsOf(parts, "tool");
  const system = jsonsOf(parts, "system");
  const members = [
    ...(system === "" ? [] : [`"systemInstruction":{"parts":[${system}]}`]),
    ...(tools === "" ? [] : [`"tools":[{"functionDeclarations":[${tools}]}]`]),
    `"generationConfig":{${settings(doc.model).join(",")}}`,
    `"contents":[${contents(parts).join(",")}]`,
  ];
  return { wire: "gemini", model: doc.model.model, body: `{${members.join(",")}}`, headers: {} };
}

function settings(model: ModelChoice): readonly string[] {
  const thinking = thinkingConfigOf(model);
  const config = thinking === null ? [] : [`"thinkingConfig":${thinking}`];
  return [`"maxOutputTokens":${model.outputTokensMax}`, ...config];
}

function jsonsOf(parts: readonly Rendered[], part: Rendered["part"]): string {
  return parts
    .filter((one) => one.part === part)
    .map(({ json }) => json)
    .join(",");
}

/** Neighbours of one role are one content: the answers to an answer's calls, images and texts stand in one (CASES C-027). */
function contents(parts: readonly Rendered[]): readonly string[] {
  const groups: { readonly role: string; readonly jsons: string[] }[] = [];
  for (const { part, json } of parts) {
    if (part === "tool" || part === "system") continue;
    const last = groups.at(-1);
    if (last?.role === part) last.jsons.push(json);
    else groups.push({ role: part, jsons: [json] });
  }
  return groups.map(({ role, jsons }) => `{"role":"${role}","parts":[${jsons.join(",")}]}`);
}
