import type { BrainReply } from "./brain.ts";

/** What a recorded assistant message held, whatever its format. */
export type RecordedBlock =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | { readonly type: "call"; readonly tool: string; readonly input: unknown };

/** Signatures and ids of the record are not kept: the simulator signs and numbers anew. */
export function replyFrom(blocks: readonly RecordedBlock[]): BrainReply {
  const joined = (type: "text" | "reasoning") =>
    blocks.flatMap((block) => (block.type === type && block.text !== "" ? [block.text] : [])).join("\n\n");
  const [reasoning, text] = [joined("reasoning"), joined("text")];
  return {
    ...(reasoning === "" ? {} : { reasoning }),
    ...(text === "" ? {} : { text }),
    calls: blocks.flatMap((block) => (block.type === "call" ? [{ tool: block.tool, input: block.input }] : [])),
  };
}
