import type { Wire } from "../../kernel/usage.ts";

type Block = { readonly type: string; readonly [member: string]: unknown };

/** Text without a sign, in the wire's own shape. */
export function emptyText(wire: Wire): Block {
  const part = { type: "output_text", annotations: [], logprobs: [], text: "" };
  return wire === "responses"
    ? { type: "message", status: "completed", role: "assistant", content: [part] }
    : { type: "text", text: "" };
}

/** A kind of content that no client knows. */
export const novelty: Block = { type: "simulated_novelty", payload: { b: 1, a: [" é "] } };
