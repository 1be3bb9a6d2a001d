import { bounds } from "../kernel/bounds.ts";
import { stringAt } from "../provider/lenient.ts";
import { timeOf } from "./place.ts";
import type { Raw } from "./record.ts";
import type { ItemBody } from "./transcript.ts";

/** A time without a zone is read as UTC: the same file says the same on every machine. */
export function utcTimeOf(value: unknown): number | null {
  const isLocal = typeof value === "string" && /T\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(value);
  return timeOf(isLocal ? `${value}Z` : value);
}

/** Kept as it stood, for whoever looks; a giant is cut. */
export function unknownBody(kind: string, value: unknown): ItemBody {
  return { type: "unknown", kind, raw: (JSON.stringify(value) ?? "").slice(0, bounds.unknownCharsMax) };
}

/** A block of thinking in Anthropic's shape; nothing where the block is of another type. */
export function thoughtBodies(block: Raw, request: string | null): readonly ItemBody[] {
  const type = stringAt(block, "type");
  if (type === "redacted_thinking")
    return [{ type: "reasoning", request, text: "", opaqueChars: stringAt(block, "data").length }];
  if (type !== "thinking" && type !== "reasoning") return [];
  const text = stringAt(block, "thinking") || stringAt(block, "text");
  return [{ type: "reasoning", request, text, opaqueChars: stringAt(block, "signature").length }];
}
