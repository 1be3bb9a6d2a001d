import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Wire, wires } from "../../src/kernel/usage.ts";
import { arbitraryMoves, type Move } from "../support/arbitrary-log.ts";
import { play } from "../support/play-log.ts";
import { requestsOf, reread } from "../support/replay-log.ts";
import { prefixBroken, requestBroken } from "./law-2.ts";
import { factHidden } from "./law-6.ts";

/** Long enough to leave the window, with something to slide for and summaries that were finished in between. */
const moves: fc.Arbitrary<readonly Move[]> = fc.tuple(arbitraryMoves, arbitraryMoves, fc.lorem()).map(([a, b, text]) =>
  [...a, ...b].slice(0, 16).flatMap((move, at): readonly Move[] => {
    const said: Move = { type: "message", text: `${text} `.repeat(60) };
    if (at % 4 === 1) return [said, move, { type: "pin", text: `rule ${at}`, said: false }];
    return at % 4 === 3 ? [{ type: "summed", text: `1. Rules\n- ${text}` }, move, { type: "fold" }] : [move];
  }),
);

describe.each<Wire>([...wires])("a window that slides · %s", (wire) => {
  test("40 logs: laws 2, 4, 6 and 7 hold as they do with epochs", async () => {
    const slid = { count: 0 };
    await fc.assert(
      fc.asyncProperty(moves, async (made) => {
        const log = await play(wire, made, "window");
        const again = { ...log, entries: reread(log.entries) };
        const requests = requestsOf(wire, again);
        expect(prefixBroken(wire, requests)).toBeNull();
        expect(requestBroken(wire, again, requests)).toBeNull();
        expect(factHidden(wire, again)).toBeNull();
        slid.count += log.entries.filter((one) => one.type === "epoch-opened" && one.reason === "window-slid").length;
      }),
      { numRuns: 40 },
    );
    expect(slid.count).toBeGreaterThan(10);
  }, 120_000);
});
