import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import { arbitraryMoves, type Move } from "../support/arbitrary-log.ts";
import { play } from "../support/play-log.ts";
import { type Render, requestsOf, reread, storedForms } from "../support/replay-log.ts";
import { factHidden } from "./law-6.ts";

/** Facts matter where the rest moves: more of them, and of what takes their blocks away. */
const moves: fc.Arbitrary<readonly Move[]> = fc.tuple(arbitraryMoves, arbitraryMoves).map(([a, b]) => {
  const busy = [...a, ...b].slice(0, 14);
  return busy.flatMap((move, at): readonly Move[] =>
    at % 3 === 0 ? [{ type: "pin", text: `rule ${at} 漢字 "q" \\ <b>`, said: at % 2 === 0 }, move] : [move],
  );
});

describe.each<Wire>(["anthropic", "chat", "responses", "gemini"])("law 6 · %s", (wire) => {
  test("150 logs: every fact in force stands, word for word, in every step request, folds and breaks or not", async () => {
    let pinned = 0;
    await fc.assert(
      fc.asyncProperty(moves, async (made) => {
        const log = await play(wire, made);
        const again = { ...log, entries: reread(log.entries) };
        pinned += log.entries.filter(({ type }) => type === "fact-pinned").length;
        expect(factHidden(wire, again)).toBeNull();
        expect(requestsOf(wire, again).map(({ request }) => request.body)).toEqual(log.bodies);
      }),
      { numRuns: 150 },
    );
    expect(pinned).toBeGreaterThan(150);
  }, 120_000);

  test("without blocks of facts it does not hold", async () => {
    const found = await fc.check(
      fc.asyncProperty(moves, async (made) => factHidden(wire, await play(wire, made), withoutBlocks) === null),
      { numRuns: 300, endOnFailure: true },
    );
    expect(found.failed).toBe(true);
  });
});

const withoutBlocks: Render = (state, texts, blobs) => {
  const doc = storedForms(state, texts, blobs);
  return { ...doc, pieces: doc.pieces.filter((piece) => piece.role !== "user" || piece.kind !== "facts") };
};
