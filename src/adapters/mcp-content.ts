import { isRecord } from "../kernel/canonical.ts";
import { isTooDeep, tooDeep } from "../kernel/json.ts";
import type { ServerAnswer, ServerContent } from "../ports/servers.ts";
import { jsonOf, resourceOf } from "./mcp-list.ts";

type Answer = Extract<ServerAnswer, { readonly type: "answer" }>;

/** The answer to a call. A schema of the server's for it is not looked at: its own words count (CASES C-051). */
export function calledAnswer(result: Record<string, unknown>): Answer {
  const { content, structuredContent } = checked(result);
  // Before the protocol had content, a result was one value.
  const old = "toolResult" in result ? [{ type: "other" as const, json: JSON.stringify(result.toolResult) ?? "" }] : [];
  return {
    type: "answer",
    isError: result.isError === true,
    content: [...listOf(content).map(contentOf), ...old],
    structured: jsonOf(structuredContent),
  };
}

export function readAnswer(result: Record<string, unknown>): Answer {
  return plain(listOf(checked(result).contents).map(resourceContent));
}

export function promptAnswer(result: Record<string, unknown>): Answer {
  const messages = listOf(checked(result).messages);
  // Until 2025 nothing forbade a list here.
  return plain(messages.flatMap((one) => (isRecord(one) ? listOf(one.content).map(contentOf) : [])));
}

function plain(content: readonly ServerContent[]): Answer {
  return { type: "answer", isError: false, content, structured: undefined };
}

function checked(result: Record<string, unknown>): Record<string, unknown> {
  if (isTooDeep(result)) throw new Error(`its answer is ${tooDeep}`);
  return result;
}

/** One block where a list was due is a list of one. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? [value] : [];
}

function contentOf(block: unknown): ServerContent {
  if (!isRecord(block)) return other(block);
  const { type, text, data, mimeType, resource } = block;
  if (type === "text" && typeof text === "string") return { type, text };
  if ((type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string") {
    return { type, mediaType: mimeType, data };
  }
  if (type === "resource") return resourceContent(resource);
  const link = type === "resource_link" ? resourceOf(block) : null;
  if (link === null) return other(block);
  const { kind: _, ...rest } = link;
  return { type: "link", ...rest };
}

function resourceContent(value: unknown): ServerContent {
  if (!isRecord(value) || typeof value.uri !== "string") return other(value);
  const { uri, text, blob } = value;
  const mimeType = typeof value.mimeType === "string" ? value.mimeType : null;
  if (typeof text === "string") return { type: "embedded", uri, mimeType, text };
  return typeof blob === "string" ? { type: "blob", uri, mimeType, data: blob } : other(value);
}

function other(value: unknown): ServerContent {
  return { type: "other", json: JSON.stringify(value) ?? "null" };
}
