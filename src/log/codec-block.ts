import type { AssistantBlock, BlobRef, Text } from "./block.ts";
import { blobHash, type Check, either, number, optional, shape, string, union } from "./codec-check.ts";

const blobRef: Check<BlobRef> = shape<BlobRef>({ blob: blobHash, chars: number });
export const text: Check<Text> = either(string, blobRef);

export const assistantBlock: Check<AssistantBlock> = union<AssistantBlock, "type">("type", {
  text: shape({ text, wire: optional(text) }),
  "tool-call": shape({ callId: string, tool: string, input: text, wire: optional(text) }),
  reasoning: shape({ text, wire: optional(text) }),
  opaque: shape({ wire: text }),
});
