import { bounds } from "../kernel/bounds.ts";
import { stringAt } from "../provider/lenient.ts";
import type { Raw } from "./record.ts";
import type { ItemBody } from "./transcript.ts";

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
