import { brand } from "../../kernel/ids.ts";
import { compactText, itemsAt, type JsonNode, memberOf, stringAt, stringMember } from "../../kernel/json-spans.ts";
import type { AssistantBlock, Piece, UserBlock } from "../../log/block.ts";
import type { ModelChoice } from "../../log/entry.ts";
import type { Doc, SystemSection, ToolDeclaration } from "../../prompt/doc.ts";
import { blocksOf, jsonAt } from "../body.ts";
import { effortOf } from "../effort.ts";
import { recordOf } from "../lenient.ts";
import { resultsFirst } from "../results-first.ts";
import { geminiBody } from "./body.ts";
import { answerText, isDeclarations, isModel, mediaTypeOf, partsOf } from "./cut.ts";
import { field, valueAt } from "./fields.ts";
import { callLinks, type Links } from "./links.ts";

/**
 * A foreign generateContent request as a document; `model` is the address's. Model parts keep their bytes; user parts we
 * have no word for (files, videos) become texts that hold the part's JSON, so that nothing is lost. What an explicit cache
 * holds is not in the request: a section names the cache.
 */
export function decodeForeignGemini(bytes: Uint8Array, model?: string): Doc {
  const { root } = geminiBody(bytes);
  return {
    model: modelOf(bytes, root, model ?? stringMember(bytes, root, "model") ?? ""),
    tools: blocksOf(memberOf(root, "tools")).flatMap((tool) => toolsOf(bytes, tool)),
    system: [
      ...cachedSection(bytes, field(root, "cachedContent")),
      ...partsOf(field(root, "systemInstruction")).map((part, index) => sectionOf(bytes, part, index)),
    ],
    pieces: resultsFirst(piecesOf(bytes, itemsAt(memberOf(root, "contents")))),
    cacheKey: "",
  };
}

function modelOf(bytes: Uint8Array, root: JsonNode, model: string): ModelChoice {
  const node = field(root, "generationConfig");
  const config = node === undefined ? {} : recordOf(jsonAt(bytes, node));
  const thinking = recordOf(valueAt(config, "thinkingConfig"));
  const level = valueAt(thinking, "thinkingLevel");
  const limit = valueAt(config, "maxOutputTokens");
  return {
    wire: "gemini",
    model,
    effort: effortOf(typeof level === "string" ? level.toLowerCase() : null),
    thinking: thinkingOf(valueAt(thinking, "thinkingBudget"), valueAt(thinking, "includeThoughts")),
    outputTokensMax: typeof limit === "number" ? limit : 0,
  };
}

/** As far as our own words go: these models think whether asked or not, and "off" only keeps them from saying so. */
function thinkingOf(budget: unknown, shown: unknown): ModelChoice["thinking"] {
  if (typeof budget === "number" && budget > 0 && shown === true) return { budgetTokens: budget };
  return shown === true ? "adaptive" : "off";
}

function toolsOf(bytes: Uint8Array, tool: JsonNode): readonly ToolDeclaration[] {
  if (tool.type !== "object") return [];
  return tool.members.flatMap(({ key, value }) =>
    isDeclarations(key)
      ? blocksOf(value).map((one) => declarationOf(bytes, one))
      : [{ name: key, description: "", inputSchema: compactText(bytes, value) }],
  );
}

function declarationOf(bytes: Uint8Array, node: JsonNode): ToolDeclaration {
  const schema = field(node, "parametersJsonSchema") ?? memberOf(node, "parameters");
  return {
    name: stringMember(bytes, node, "name") ?? "",
    description: stringMember(bytes, node, "description") ?? "",
    inputSchema: schema === undefined ? "{}" : compactText(bytes, schema),
  };
}

function cachedSection(bytes: Uint8Array, node: JsonNode | undefined): readonly SystemSection[] {
  if (node === undefined || node.type === "null") return [];
  const name = node.type === "string" ? stringAt(bytes, node.span) : compactText(bytes, node);
  return [{ name: "cached content", scope: "session", text: `(what the explicit cache ${name} holds)` }];
}

function sectionOf(bytes: Uint8Array, part: JsonNode, index: number): SystemSection {
  return { name: `system ${index}`, scope: "session", text: partText(bytes, part) };
}

function piecesOf(bytes: Uint8Array, contents: readonly JsonNode[]): readonly Piece[] {
  const links = callLinks();
  return contents.flatMap((content, at) =>
    partsOf(content).map((part, index): Piece => {
      const id = `${at}.${index}`;
      if (isModel(bytes, content))
        return { id, role: "assistant", from: "gemini", block: assistantBlock(bytes, part, links) };
      const block = userBlock(bytes, part, links);
      const kind = block.type === "tool-result" ? "result" : block.type === "image" ? "image" : "message";
      return { id, role: "user", kind, block };
    }),
  );
}

function assistantBlock(bytes: Uint8Array, part: JsonNode, links: Links): AssistantBlock {
  if (part.type === "string") return { type: "text", text: stringAt(bytes, part.span) };
  const wire = compactText(bytes, part);
  const call = field(part, "functionCall");
  if (call?.type === "object") {
    const tool = stringMember(bytes, call, "name") ?? "";
    const args = memberOf(call, "args");
    const input = args === undefined ? "{}" : compactText(bytes, args);
    return { type: "tool-call", callId: brand(links.call(stringMember(bytes, call, "id"), tool)), tool, input, wire };
  }
  const text = stringMember(bytes, part, "text");
  if (text === undefined) return { type: "opaque", wire };
  return { type: memberOf(part, "thought")?.type === "true" ? "reasoning" : "text", text, wire };
}

function userBlock(bytes: Uint8Array, part: JsonNode, links: Links): UserBlock {
  const answer = field(part, "functionResponse");
  if (answer?.type === "object") return resultOf(bytes, answer, links);
  const media = field(part, "inlineData");
  const mediaType = media === undefined ? "" : mediaTypeOf(bytes, media);
  const data = stringMember(bytes, media, "data");
  if (mediaType.startsWith("image/") && data !== undefined) return { type: "image", mediaType, data };
  return { type: "text", text: partText(bytes, part) };
}

function resultOf(bytes: Uint8Array, answer: JsonNode, links: Links): UserBlock {
  const tool = stringMember(bytes, answer, "name") ?? "";
  const response = memberOf(answer, "response");
  const literal = answerText(response);
  const whole = response === undefined ? "" : compactText(bytes, response);
  return {
    type: "tool-result",
    callId: brand(links.result(stringMember(bytes, answer, "id"), tool) ?? ""),
    tool,
    text: literal === undefined ? whole : stringAt(bytes, literal.span),
    isError: memberOf(response, "error") !== undefined && memberOf(response, "output") === undefined,
  };
}

function partText(bytes: Uint8Array, part: JsonNode): string {
  if (part.type === "string") return stringAt(bytes, part.span);
  return stringMember(bytes, part, "text") ?? compactText(bytes, part);
}
