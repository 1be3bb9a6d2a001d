import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import type { Piece } from "../../src/log/block.ts";
import { reduceAll } from "../../src/log/reduce.ts";
import { emptyState } from "../../src/log/state.ts";
import { heal } from "../../src/prompt/heal.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { checkRequest } from "../../src/testing/simulate/check.ts";
import { arbitraryDoc } from "../support/arbitrary-doc.ts";
import { arbitraryMoves } from "../support/arbitrary-log.ts";
import { lawCodec, play } from "../support/play-log.ts";
import { storedForms } from "../support/replay-log.ts";

const said = (id: string): Piece => ({ id, role: "user", kind: "message", block: { type: "text", text: "hello" } });

/** Pieces of a real conversation, some gone, some twice, some out of place; a message first and last. */
function mutilated(wire: Wire): fc.Arbitrary<readonly Piece[]> {
  const keep = fc.array(fc.constantFrom(0, 1, 1, 1, 1, 2), { minLength: 1, maxLength: 40 });
  const swaps = fc.array(fc.tuple(fc.nat(60), fc.nat(60)), { maxLength: 3 });
  return fc.tuple(arbitraryDoc(wire, "m"), keep, swaps).map(([{ pieces }, times, pairs]) => {
    const list = pieces.flatMap((piece, at) => Array.from({ length: times[at % times.length] ?? 1 }, () => piece));
    for (const [a, b] of pairs) {
      const [one, two] = [list[a % list.length], list[b % list.length]];
      if (one === undefined || two === undefined) continue;
      list[a % list.length] = two;
      list[b % list.length] = one;
    }
    return [said("0.9"), ...list, said("999.0")];
  });
}

describe.each<Wire>(["anthropic", "chat", "responses", "gemini"])("law 4 · %s · any damaged history heals", (wire) => {
  test("to one that is well-formed, the same bytes each time, and a healed one stays as it is by reference", () => {
    fc.assert(
      fc.property(mutilated(wire), (pieces) => {
        const healed = heal(pieces);
        expect(wellformed(healed)).toBeNull();
        expect(heal(healed)).toBe(healed);
        expect(JSON.stringify(heal(pieces))).toBe(JSON.stringify(healed));
      }),
      { numRuns: 400 },
    );
  });

  test("by nothing that stands behind the damage: more pieces after a message only add behind it", () => {
    fc.assert(
      fc.property(mutilated(wire), fc.nat(), (pieces, at) => {
        // Between rounds: an assistant message follows, so no result of the round before can still come. One that is only
        // a call said before is none.
        const cuts = pieces.flatMap((piece, index) =>
          piece.role === "assistant" && pieces[index - 1]?.role === "user" && !isRepeated(pieces, index) ? [index] : [],
        );
        const end = cuts[at % Math.max(1, cuts.length)];
        if (end === undefined) return;
        const shorter = heal(pieces.slice(0, end));
        expect(heal(pieces).slice(0, shorter.length)).toEqual(shorter);
      }),
      { numRuns: 300 },
    );
  });

  test("also when any lines of the log are gone: what the state shows is well-formed, whatever was lost", async () => {
    const gone = fc.array(fc.nat(100), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(arbitraryMoves, gone, async (moves, lost) => {
        const log = await play(wire, moves);
        const left = log.entries.filter((_, at) => at < 5 || !lost.some((n) => n % log.entries.length === at));
        const said = { type: "message-added", text: "go on" } as const;
        const state = reduceAll(emptyState, [...left, { seq: 1_000, at: 0, ...said }]);
        if (state.epoch === null) return;
        expect(wellformed(storedForms(state, log.texts, log.texts).pieces)).toBeNull();
      }),
      { numRuns: 150 },
    );
  });

  test("to what the provider takes", () => {
    const model =
      { anthropic: "sim-plain", chat: "sim-llama", responses: "sim-responses", gemini: "sim-gemini" }[String(wire)] ??
      "";
    const choice = { wire, model, effort: null, thinking: "off" as const, outputTokensMax: 4_000 };
    fc.assert(
      fc.property(mutilated(wire), (pieces) => {
        // Signatures and unknown blocks of the random pieces came from no provider; pairing is what healing is about.
        const ours = pieces.filter(({ block }) => block.type !== "reasoning" && block.type !== "opaque");
        const doc = { model: choice, tools: [], system: [], pieces: heal(ours), cacheKey: "k" };
        const { body, headers, model: asked } = lawCodec(wire).encode(doc, []);
        const all = { ...headers, "content-type": "application/json", "x-api-key": "k", "x-goog-api-key": "k" };
        const refused = checkRequest(wire, all, body, undefined, { asked, only: ({ id }) => id !== "image" });
        expect(refused).toBeNull();
      }),
      { numRuns: 200 },
    );
  });
});

function isRepeated(pieces: readonly Piece[], at: number): boolean {
  const block = pieces[at]?.block;
  if (block?.type !== "tool-call") return false;
  return pieces.findIndex((one) => one.block.type === "tool-call" && one.block.callId === block.callId) < at;
}
