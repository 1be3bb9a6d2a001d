import { estimate } from "../../src/budget/count.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import type { PieceKind } from "../../src/log/block.ts";
import type { Segment, SegmentKind } from "../../src/prompt/segment.ts";
import type { Memo } from "../../src/reduction/memo.ts";

/** Segments as a few words each, and what is known of them. */
export type Part = {
  readonly kind: SegmentKind;
  readonly role: Segment["role"];
  readonly as: PieceKind | null;
  readonly text: string;
  readonly callId?: string;
  readonly tool?: string;
};
export const words = (count: number) => "word ".repeat(count);
export const context: Part = { kind: "text", role: "user", as: "context", text: "facts" };
export const message = (text: string): Part => ({ kind: "text", role: "user", as: "message", text });
export const reminder = (text: string): Part => ({ kind: "text", role: "user", as: "reminder", text });
export const folded = (text: string): Part => ({ kind: "text", role: "user", as: "fold", text });
export const says = (text: string): Part => ({ kind: "text", role: "assistant", as: null, text });
export const thinks = (text: string): Part => ({ kind: "reasoning", role: "assistant", as: null, text });
export const call = (callId: string, input: unknown, tool = "Read"): Part => ({
  kind: "tool-call",
  role: "assistant",
  as: null,
  callId,
  tool,
  text: JSON.stringify(input),
});
export const result = (callId: string, text: string, tool = "Read"): Part => ({
  kind: "tool-result",
  role: "user",
  as: "result",
  callId,
  tool,
  text,
});

export function world(...parts: readonly Part[]): { readonly segments: readonly Segment[]; readonly memo: Memo } {
  const segments = parts.map(
    ({ kind, role, text, callId, tool = "Read" }, id): Segment => ({
      id,
      kind,
      role,
      ...(callId === undefined ? {} : { callId, tool }),
      hash: hashOf(`${id}${text}`),
      text,
      span: [0, text.length],
      textSpans: [],
    }),
  );
  return {
    segments,
    memo: {
      kindOf: ({ id }) => parts[id]?.as ?? null,
      handleOf: (callId) => handleOf(hashOf(callId)),
      tokensOf: ({ text }) => estimate(text ?? ""),
      isUnsent: () => false,
    },
  };
}
