import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { AssistantBlock, BlobRef, CompactionBlock, Pointer, Pointers, Text } from "./block.ts";
import { blobHash, type Check, either, list, number, optional, shape, string, union } from "./codec-check.ts";

const blobRef: Check<BlobRef> = shape<BlobRef>({ blob: blobHash, chars: number });
export const text: Check<Text> = either(string, blobRef);

export const pointers: Check<Pointers> = shape<Pointers>({
  full: text,
  points: list(shape<Pointer>({ carrier: string, first: number, count: number, line: number })),
});

/** It goes back to the provider as it stands, so a line in which a byte was changed must not pass for one of ours. */
const wire: Check<Text> = (value) =>
  typeof value === "string" && parsedWire(value).type === "bad" ? "is not JSON" : text(value);

/** A call's input may be as deep as any value, and in its block it stands deeper. */
const parsedWire = (text: string) => parseJson(text, bounds.jsonDepthMax);

type ToolCall = Extract<AssistantBlock, { readonly type: "tool-call" }>;
const toolCallShape = shape<ToolCall>({ callId: string, tool: string, input: text, wire: optional(wire) });

/** The call's own id stands in `wire` too; another one there would leave the call without its result. */
const toolCall: Check<ToolCall> = (value) => {
  const fault = toolCallShape(value);
  if (fault !== null || !isRecord(value) || typeof value.wire !== "string") return fault;
  const parsed = parsedWire(value.wire);
  const isItsOwn = parsed.type === "ok" && isRecord(parsed.value) && namesCall(parsed.value, value.callId);
  return isItsOwn ? null : "has a `wire` of another call";
};

/**
 * By `id`, or by `call_id` (Responses, whose items have an id of their own). A part of Gemini's has any id or none: its
 * result repeats what stands there, whatever we call it.
 */
function namesCall(wire: Readonly<Record<string, unknown>>, callId: unknown): boolean {
  if (isRecord(wire.functionCall)) return true;
  return (wire.call_id ?? wire.id) === callId;
}

export const compactionBlock: Check<CompactionBlock> = shape<CompactionBlock>({ text, wire });

export const assistantBlock: Check<AssistantBlock> = union<AssistantBlock, "type">("type", {
  text: shape({ text, wire: optional(wire) }),
  "tool-call": toolCall,
  reasoning: shape({ text, wire: optional(wire) }),
  compaction: compactionBlock,
  opaque: shape({ wire }),
});
