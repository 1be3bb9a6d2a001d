import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { varveStrategies } from "../../src/replay/varve.ts";
import { decided, type Made, recorded, terms } from "../support/recorded.ts";
import { lostPointers, pointersOf } from "../support/resolved.ts";

const strategy = (name: string) => {
  const found = varveStrategies.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no strategy ${name}`);
  return found;
};

const file = (of: number) =>
  Array.from({ length: 400 }, (_, at) => `${at + 1}\tline ${at} of file ${of}, and what it says`);
type Read = { readonly of: number; readonly from: number; readonly count: number };

/** A session that reads parts of files, each in a step of its own. */
function reading(reads: readonly Read[]): readonly Made[] {
  const asks = (at: number) => {
    const { of, from } = reads[at] ?? { of: 0, from: 0 };
    return [{ callId: `c${at}`, tool: "Read", input: JSON.stringify({ path: `src/f${of}.ts`, startLine: from, at }) }];
  };
  return [
    { said: "go on", asks: asks(0) },
    ...reads.map(({ of, from, count }, at): Made => {
      const text = [`part ${at}`, ...file(of).slice(from, from + count), "end"].join("\n");
      return { results: [{ callId: `c${at}`, text, tool: "Read" }], asks: asks(at + 1) };
    }),
  ];
}

const reads = fc.array(fc.record({ of: fc.nat(2), from: fc.nat(300), count: fc.nat(100) }), {
  minLength: 20,
  maxLength: 60,
});

describe("a session read in overlapping parts", () => {
  test("whatever is cleared, collapsed and folded: every pointer leads to its lines in every prompt", async () => {
    let [pointers, breaks] = [0, 0];
    await fc.assert(
      fc.asyncProperty(reads, fc.constantFrom(12_000, 20_000, 200_000), async (list, windowTokens) => {
        const made = reading(list);
        const originals = new Map(
          made.flatMap(({ results = [] }) => results.map(({ text }) => [String(handleOf(hashOf(text))), text])),
        );
        for (const { shown, break: why } of await decided(strategy("varve"), recorded(made), {
          terms: terms({ windowTokens }),
        })) {
          const texts = shown.map(({ kind, text }) => ({ text: text ?? "", isResult: kind === "tool-result" }));
          pointers += texts.flatMap(({ text }) => pointersOf(text)).length;
          breaks += why === null ? 0 : 1;
          expect(lostPointers(texts, (handle) => originals.get(handle) ?? null)).toEqual([]);
        }
      }),
      { numRuns: 40 },
    );
    expect(pointers).toBeGreaterThan(1_000);
    expect(breaks).toBeGreaterThan(40);
  });

  test("without pointers none are made", async () => {
    const made = recorded(reading([0, 10, 20].map((from) => ({ of: 0, from, count: 90 }))));
    const said = async (name: string) =>
      (await decided(strategy(name), made)).flatMap(({ shown }) => shown.flatMap(({ text }) => pointersOf(text ?? "")));
    expect((await said("varve")).length).toBeGreaterThan(0);
    expect(await said("varve-no-pointers")).toEqual([]);
  });
});
