import { canonicalJson, type Json } from "../../kernel/canonical.ts";

/** What the simulator remembers of its own answers: rules about assistant content are about what was really sent. */
export type Memory = {
  /** JSON of the reasoning that came with this call, `[]` for none; undefined for a call that is not ours, or whose id came twice. */
  reasoningOf(callId: string): string | undefined;
  /** Whether a block with this JSON left here; empty text and unknown types come back only if they did. */
  sent(block: unknown): boolean;
  /** The form of all that this answer held; undefined for one that is not ours. */
  turnOf(answerId: string): string | undefined;
};

export const noMemory: Memory = { reasoningOf: () => undefined, sent: () => false, turnOf: () => undefined };

export type GrowingMemory = Memory & {
  keepReasoning(callIds: readonly string[], reasoning: readonly unknown[]): void;
  keepBlocks(blocks: readonly unknown[]): void;
  keepTurn(answerId: string, form: string): void;
  clear(): void;
};

const keptMax = 100_000;

export function createMemory(): GrowingMemory {
  const reasoning = new Map<string, string | null>();
  const blocks = new Set<string>();
  const turns = new Map<string, string>();
  return {
    reasoningOf: (callId) => reasoning.get(callId) ?? undefined,
    sent: (block) => blocks.has(keyOf(block)),
    turnOf: (answerId) => turns.get(answerId),
    keepReasoning(callIds, parts) {
      const json = JSON.stringify(parts);
      // An id that stood for two calls does not say which reasoning belongs beside it.
      for (const id of callIds)
        reasoning.set(id, (reasoning.get(id) ?? json) === json && reasoning.get(id) !== null ? json : null);
      trim(reasoning);
    },
    keepBlocks(sent) {
      for (const block of sent) blocks.add(keyOf(block));
      trim(blocks);
    },
    keepTurn(answerId, form) {
      turns.set(answerId, form);
      trim(turns);
    },
    clear() {
      reasoning.clear();
      turns.clear();
      blocks.clear();
    },
  };
}

/** A client may write the members of a block in another order. */
function keyOf(block: unknown): string {
  // What came from JSON or goes into it is JSON.
  return canonicalJson(block as Json);
}

/** Oldest out first: maps and sets keep the order of insertion. */
export function trim(kept: Map<string, unknown> | Set<string>, max = keptMax): void {
  for (const key of kept.keys()) {
    if (kept.size <= max) return;
    kept.delete(key);
  }
}
