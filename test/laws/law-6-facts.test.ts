import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import { reduce } from "../../src/log/reduce.ts";
import { emptyState } from "../../src/log/state.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import { arbitraryMoves, type Move } from "../support/arbitrary-log.ts";
import { play, type RandomLog } from "../support/play-log.ts";
import { type Render, requestsOf, reread, storedForms } from "../support/replay-log.ts";

/** Facts matter where the rest moves: more of them, and of what takes their blocks away. */
const moves: fc.Arbitrary<readonly Move[]> = fc.tuple(arbitraryMoves, arbitraryMoves).map(([a, b]) => {
  const busy = [...a, ...b].slice(0, 14);
  return busy.flatMap((move, at): readonly Move[] =>
    at % 3 === 0 ? [{ type: "pin", text: `rule ${at} 漢字 "q" \\ <b>`, said: at % 2 === 0 }, move] : [move],
  );
});

/** The first fact in force that a request of this log does not show on the user's side; null where each shows all. */
function factHidden(wire: Wire, log: RandomLog, render?: Render): string | null {
  const requests = new Map(requestsOf(wire, log, render).map(({ seq, request }) => [seq, request.body]));
  let state = emptyState;
  for (const entry of log.entries) {
    const body = entry.type === "request-sent" ? requests.get(entry.seq) : undefined;
    if (body !== undefined) {
      const shown = cut(wire, body).filter(({ role, kind }) => role === "user" && kind === "text");
      for (const { id, text } of state.facts.active)
        if (!shown.some((segment) => segment.text.includes(text))) return `entry ${entry.seq}: ${id} (${text})`;
    }
    state = reduce(state, entry);
  }
  return null;
}

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
