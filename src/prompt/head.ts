import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { SystemSection, ToolDeclaration } from "./doc.ts";
import type { Head } from "./render.ts";

/** The two blobs an epoch names, as `canonicalJson` wrote them. A missing or damaged one faults the session: it is the prompt. */
export function parseHead(blobs: { readonly tools: string | null; readonly system: string | null }): Head {
  return { tools: list("tools", blobs.tools, isDeclaration), system: list("system", blobs.system, isSection) };
}

/** One declaration, as `canonicalJson` wrote it; null: it is none. */
export function parsedDeclaration(text: string | null): ToolDeclaration | null {
  const parsed = text === null ? null : parseJson(text);
  return parsed?.type === "ok" && isDeclaration(parsed.value) ? parsed.value : null;
}

function list<T>(name: string, text: string | null, is: (value: unknown) => value is T): readonly T[] {
  if (text === null) throw new Error(`the stored ${name} of this epoch are missing: the session's blobs were changed`);
  const parsed = parseJson(text);
  if (parsed.type === "bad" || !Array.isArray(parsed.value) || !parsed.value.every(is))
    throw new Error(`the stored ${name} of this epoch are damaged: expected a list, found ${text.slice(0, 80)}`);
  return parsed.value;
}

function isDeclaration(value: unknown): value is ToolDeclaration {
  if (!isRecord(value)) return false;
  return [value.name, value.description, value.inputSchema].every((field) => typeof field === "string");
}

function isSection(value: unknown): value is SystemSection {
  if (!isRecord(value) || typeof value.name !== "string" || typeof value.text !== "string") return false;
  return value.scope === "global" || value.scope === "session";
}
