import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pieceSegments } from "../../src/agent/piece-segments.ts";
import { estimate } from "../../src/budget/count.ts";
import { exitCodeLine, firstForm } from "../../src/digest/first-form.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { clipResult } from "../../src/reduction/clip.ts";
import { fold } from "../../src/reduction/fold.ts";
import { tokensOf } from "../../src/reduction/segment-tokens.ts";
import { anyText } from "../support/arbitrary-answer.ts";
import { arbitraryDoc } from "../support/arbitrary-doc.ts";

const text = fc.oneof(
  anyText,
  anyText.map((one) => one.repeat(20)),
);
const bytesOf = (one: string) => new TextEncoder().encode(one).length;

describe("law 8 · a reduction that does not shrink is dropped", () => {
  test("a clipped result is smaller than it was, or there is none", () => {
    fc.assert(
      fc.property(text, fc.nat(2_000), (whole, tokensMax) => {
        const clipped = clipResult(whole, tokensMax, handleOf(hashOf(whole)));
        if (clipped !== null) expect(estimate(clipped)).toBeLessThan(estimate(whole));
      }),
      { numRuns: 300 },
    );
  });

  test("a first form has at most the bytes of its original, but for the line that says a failing exit code", () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom("output", "range", "whole"),
        fc.constantFrom(null, 0, 1),
        (raw, form, exitCode) => {
          const whole = raw.toWellFormed();
          const made = firstForm({ tool: "Bash", text: whole, exitCode, form, handle: handleOf(hashOf(whole)) });
          const extra = exitCode === 1 && form !== "whole" ? bytesOf(`\n${exitCodeLine(1)}`) : 0;
          expect(bytesOf(made.text)).toBeLessThanOrEqual(bytesOf(whole) + extra);
          if (made.whole) expect(made.text).toBe(whole);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("a fold's list is smaller than the work it stands for, or nothing is folded", () => {
    fc.assert(
      fc.property(arbitraryDoc("chat", "m"), fc.nat(3_000), fc.boolean(), ({ pieces }, targetTokens, closeLoop) => {
        const segments = pieceSegments(pieces);
        const kindOf = ({ id }: { readonly id: number }) => {
          const piece = pieces[id];
          return piece === undefined || piece.role === "assistant" ? null : piece.kind;
        };
        const goal = { targetTokens, textTokensMax: 500, closeLoop, reasoning: "bound" as const };
        const folded = fold(segments, { kindOf, handleOf: () => null, isUnsent: () => false, tokensOf }, goal);
        if (folded.type === "nothing" || folded.block === null) return;
        const dropped = folded.drops.flatMap(([from, to]) => segments.slice(from, to + 1));
        const before = dropped.reduce((sum, segment) => sum + tokensOf(segment), 0);
        expect(estimate(folded.block.text)).toBeLessThan(before);
      }),
      { numRuns: 300 },
    );
  });
});
