import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { marksOf } from "../../src/provider/anthropic/marks.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { checkRequest } from "../../src/testing/simulate/check.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import { arbitraryDoc } from "../support/arbitrary-doc.ts";

const keys = { "x-api-key": "k", authorization: "Bearer k", "x-goog-api-key": "k" };
const models = {
  anthropic: ["claude-opus-5-5", "claude-sonnet-5", "claude-haiku-4-5"],
  chat: ["gpt-5.5", "sim-reasoner", "sim-llama"],
  responses: ["gpt-6.2-sol", "gpt-5.6-terra", "gpt-5.5"],
  gemini: ["gemini-4-argon", "gemini-3.1-pro-preview", "gemini-2.5-flash"],
} as const;

describe.each(["anthropic", "chat", "responses", "gemini"] as const)(
  "what we encode for %s, seen by the simulator's own code",
  (wire) => {
    const codec = codecFor(wire);
    const doc = fc.constantFrom(...models[wire]).chain((model) => arbitraryDoc(wire, model));

    test("law 4 · no rule on the form of a request is broken", () => {
      fc.assert(
        fc.property(doc, (one) => {
          const marks = codec.placeMarks(codec.segmentsOfDoc(one), {
            model: one.model.model,
            previous: [],
            taken: 0,
            globalSegments: one.tools.length,
          });
          const { body, headers, model: asked } = codec.encode(one, marks);
          const found = checkRequest(
            wire,
            { "content-type": "application/json", ...keys, ...headers },
            body,
            undefined,
            {
              asked,
              only: (rule) => !/^thinking-|^reasoning-signature|^tools-with-effort|^max-tokens/.test(rule.id),
            },
          );
          expect(found).toBeNull();
        }),
        { numRuns: 200 },
      );
    });

    test("it cuts the body into as many pieces as we do, of the same roles", () => {
      fc.assert(
        fc.property(doc, (one) => {
          const body = codec.encode(one, []).body;
          expect(cut(wire, body).map((s) => s.role)).toEqual(codec.segmentsOfDoc(one).map((s) => s.role));
        }),
        { numRuns: 100 },
      );
    });

    test("law 2 · a longer document's pieces begin with the shorter one's", () => {
      fc.assert(
        fc.property(doc, fc.nat(), (one, at) => {
          const ends = one.pieces.flatMap((piece, i) =>
            piece.role === "user" && one.pieces[i + 1]?.role !== "user" ? [i + 1] : [],
          );
          const some = cut(
            wire,
            codec.encode({ ...one, pieces: one.pieces.slice(0, ends[at % ends.length]) }, []).body,
          );
          const all = cut(wire, codec.encode(one, []).body);
          expect(all.slice(0, some.length).map((s) => s.hash)).toEqual(some.map((s) => s.hash));
        }),
        { numRuns: 200 },
      );
    });
  },
);

test("marks read from a body are where they were put", () => {
  expect(marksOf(new TextEncoder().encode('{"messages":[]}'))).toEqual({ marks: [], taken: 0 });
});
