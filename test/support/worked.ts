import { estimate } from "../../src/budget/count.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import type { PieceKind } from "../../src/log/block.ts";
import type { Segment, SegmentKind } from "../../src/prompt/segment.ts";
import { assumedPrices, type Costs } from "../../src/reduction/costs.ts";
import type { Memo } from "../../src/reduction/memo.ts";

/** One piece of a conversation, for tests of what the reductions decide. */
export type Part = {
  readonly kind: SegmentKind;
  readonly role: Segment["role"];
  readonly as: PieceKind | null;
  readonly text: string;
  readonly callId?: string;
  readonly tool?: string;
};

export const message = (text: string): Part => ({ kind: "text", role: "user", as: "message", text });
export const says = (text: string): Part => ({ kind: "text", role: "assistant", as: null, text });
export const thinks = (text: string): Part => ({ kind: "reasoning", role: "assistant", as: null, text });

/** A call and what it returned. */
export function did(callId: string, tool: string, input: unknown, result: string): readonly Part[] {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return [
    { kind: "tool-call", role: "assistant", as: null, callId, tool, text },
    { kind: "tool-result", role: "user", as: "result", callId, tool, text: result },
  ];
}

/** Answers that use nothing, so that what stands before them grows old. */
export function later(steps: number, name = "s"): readonly Part[] {
  return Array.from({ length: steps }, (_, at) =>
    did(`${name}${at}`, "Bash", { command: `true ${name} ${at}` }, "ok"),
  ).flat();
}

export const words = (count: number, name = "word") =>
  Array.from({ length: count }, (_, at) => `${name}${at % 7}`).join(" ");

export function worked(...parts: readonly (Part | readonly Part[])[]) {
  const all = parts.flat();
  const segments = all.map(
    ({ kind, role, text, callId, tool }, id): Segment => ({
      id,
      kind,
      role,
      ...(callId === undefined ? {} : { callId, tool: tool ?? "tool" }),
      hash: hashOf(`${kind}\n${tool ?? ""}\n${text}`),
      text,
      span: [0, text.length],
      textSpans: [],
    }),
  );
  const memo: Memo = {
    kindOf: ({ id }) => all[id]?.as ?? null,
    handleOf: (callId) => handleOf(hashOf(callId)),
    tokensOf: ({ text }) => estimate(text ?? ""),
    isUnsent: () => false,
  };
  return { segments, memo };
}

export function costs(more: Partial<Costs> = {}): Costs {
  return {
    lineTokens: 150_000,
    headTokens: 5_000,
    closeLoop: false,
    reasoning: "bound",
    pressure: "none",
    clearing: "all",
    prices: assumedPrices,
    cache: "warm",
    tier: null,
    ...more,
  };
}
