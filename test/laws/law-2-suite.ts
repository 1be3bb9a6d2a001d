import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import { itemsOf } from "../../src/kernel/vector.ts";
import type { Piece } from "../../src/log/block.ts";
import type { State } from "../../src/log/state.ts";
import { userContextText } from "../../src/prompt/context.ts";
import { type Texts, textOf } from "../../src/prompt/render.ts";
import { arbitraryMoves } from "../support/arbitrary-log.ts";
import { play } from "../support/play-log.ts";
import { type Render, requestsOf, reread, storedForms } from "../support/replay-log.ts";
import { prefixBroken, requestBroken } from "./law-2.ts";

/** One file per wire runs it, so that two cores share the work. */
export function law2(wire: Wire): void {
  describe(`law 2 · ${wire} · random logs, cut by the simulator`, () => {
    test("1,000 logs: a step request has the one before as prefix unless a break lies between; law 4: each is well-formed", async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryMoves, async (moves) => {
          const log = await play(wire, moves);
          const requests = requestsOf(wire, { ...log, entries: reread(log.entries) });
          expect(prefixBroken(wire, requests)).toBeNull();
          expect(requestBroken(wire, log, requests)).toBeNull();
        }),
        { numRuns: 1_000 },
      );
    }, 180_000);

    test.each([
      ["user context made anew from the newest observations", freshContext],
      ["results digested anew at each request", freshDigests],
    ])("without stored forms it does not hold: %s", async (_name, render) => {
      const found = await fc.check(
        fc.asyncProperty(arbitraryMoves, async (moves) => {
          const log = await play(wire, moves);
          return prefixBroken(wire, requestsOf(wire, log, render)) === null;
        }),
        { numRuns: 1_000, endOnFailure: true },
      );
      expect(found.failed).toBe(true);
    });
  });
}

const freshContext: Render = (state, texts, blobs) => {
  const doc = storedForms(state, texts, blobs);
  return { ...doc, pieces: doc.pieces.map((piece) => withText(piece, "context", userContextText(state.observed))) };
};

/** What a digest must not do: look at how full the window is by now. */
const freshDigests: Render = (state, texts, blobs) => {
  const doc = storedForms(state, texts, blobs);
  const chars = Math.max(1, 400 - 20 * doc.pieces.length);
  return {
    ...doc,
    pieces: doc.pieces.map((piece) => withText(piece, "result", originalOf(piece, state, texts)?.slice(0, chars))),
  };
};

function originalOf({ block }: Piece, state: State, texts: Texts): string | undefined {
  if (block.type !== "tool-result") return undefined;
  const original = [...itemsOf(state.originals)].findLast(({ callId }) => callId === block.callId);
  return original === undefined ? undefined : textOf(original.text, texts);
}

function withText(piece: Piece, kind: "context" | "result", text: string | undefined): Piece {
  if (piece.role !== "user" || piece.kind !== kind || piece.block.type === "image" || text === undefined) return piece;
  return { ...piece, block: { ...piece.block, text } };
}
