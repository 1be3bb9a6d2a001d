import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import type { Entry } from "../../src/log/entry.ts";
import { reduce, reduceAll } from "../../src/log/reduce.ts";
import { emptyState, type State } from "../../src/log/state.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { arbitraryMoves } from "../support/arbitrary-log.ts";
import { play } from "../support/play-log.ts";
import { storedForms } from "../support/replay-log.ts";
import { anyBody } from "./codec-arbitrary.ts";

/** Through JSON and back, as a checkpoint goes. */
function reread<T>(value: T): T {
  const parsed: T = JSON.parse(JSON.stringify(value));
  return parsed;
}

describe.each<Wire>(["anthropic", "chat"])("real logs (%s)", (wire) => {
  test("reduce from every prefix, in one go and one by one, to the same plain JSON", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryMoves, async (moves) => {
        const { entries } = await play(wire, moves);
        let state: State = emptyState;
        for (const entry of entries) {
          state = reduce(state, entry);
          expect(state.seq).toBe(entry.seq);
        }
        expect(reduceAll(emptyState, reread(entries))).toEqual(state);
        expect(reread(state)).toEqual(state);
        // From a checkpoint anywhere the rest of the log leads to the same state.
        const middle = Math.floor(entries.length / 2);
        expect(reduceAll(reread(reduceAll(emptyState, entries.slice(0, middle))), entries.slice(middle))).toEqual(
          state,
        );
      }),
      { numRuns: 40 },
    );
  });

  test("that lost lines, or have some twice, reduce too, and what is rendered of them is well-formed", async () => {
    const times = fc.array(fc.constantFrom(0, 1, 1, 1, 1, 1, 2), { minLength: 3, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(arbitraryMoves, times, async (moves, counts) => {
        const log = await play(wire, moves);
        const damaged = log.entries.flatMap((entry, at): readonly Entry[] =>
          Array.from({ length: counts[at % counts.length] ?? 1 }, () => entry),
        );
        const state = reduceAll(emptyState, damaged);
        expect(reread(state)).toEqual(state);
        if (state.epoch === null || state.started === null) return;
        const { pieces } = storedForms(state, log.texts, log.texts);
        // Who speaks last depends on where the log ends; a request goes out only behind a message or a result.
        const spoken = pieces.at(-1)?.role === "assistant" ? pieces.slice(0, pieces.findLastIndex(isUser) + 1) : pieces;
        if (spoken.length > 0) expect(wellformed(spoken)).toBeNull();
      }),
      { numRuns: 60 },
    );
  });
});

function isUser({ role }: { readonly role: string }): boolean {
  return role === "user";
}

test("any entries at all, in any order, reduce without a throw to plain JSON", () => {
  fc.assert(
    fc.property(fc.array(anyBody, { maxLength: 30 }), (bodies) => {
      const state = bodies.reduce<State>(
        (before, body, at) => reduce(before, { seq: at + 1, at, ...body }),
        emptyState,
      );
      expect(reread(state)).toEqual(state);
    }),
    { numRuns: 300 },
  );
});
