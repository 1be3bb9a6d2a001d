import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import { arbitraryMoves, play } from "../support/arbitrary-log.ts";
import { prefixBroken, requestBroken } from "./law-2.ts";

export function law2(wire: Wire): void {
  describe(`law 2 · ${wire} · random logs, cut by the simulator`, () => {
    test("1,000 logs: each step request has the one before as prefix, unless a break lies between; each is well-formed", async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryMoves, async (moves) => {
          const log = await play(wire, moves);
          expect(prefixBroken(wire, log)).toBeNull();
          expect(requestBroken(wire, log)).toBeNull();
        }),
        { numRuns: Number(process.env.RUNS ?? 1000) },
      );
    });
  });
}
