import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { type Wire, wires } from "../../src/kernel/usage.ts";
import type { SummaryOutcome } from "../../src/log/summary.ts";
import type { Fault } from "../../src/testing/simulate/faults.ts";
import type { SummaryBehaviour } from "../../src/testing/simulate/summaries.ts";
import {
  choiceOn,
  compactions,
  entriesOf,
  onSummaries,
  summingProvider,
  summingWorld,
  timed,
} from "../support/summing.ts";

async function run(wire: Wire, behaviours: readonly SummaryBehaviour[], faults: readonly Fault[] = []) {
  const provider = summingProvider(behaviours);
  provider.simulation.addFaults(faults);
  const world = await summingWorld({ wire, provider });
  const session = await world.open();
  const turn = await timed(session.prompt("Look at each, up to file 8"), world.clock);
  return { provider, world, session, turn, entries: await world.entries() };
}

type Row = readonly [
  what: string,
  tries: readonly SummaryOutcome[],
  behaviours: readonly SummaryBehaviour[],
  faults?: readonly Fault[],
];

const rows: readonly Row[] = [
  ["good", ["accepted"], ["good"]],
  ["late", ["accepted"], ["slow"]],
  ["in another language", ["accepted"], ["foreign-language"]],
  ["fluent and false", ["accepted"], ["wrong-facts"]],
  ["empty", ["empty", "empty"], ["empty"]],
  ["a tool call", ["tool-call", "tool-call"], ["tool-call"]],
  ["junk", ["junk", "junk"], ["junk"]],
  ["the text of an error", ["junk", "junk"], ["error-text"]],
  ["an echo of the question", ["junk", "junk"], ["echo"]],
  ["truncated", ["truncated", "truncated"], ["truncated"]],
  ["larger than it may be", ["larger", "larger"], ["larger"]],
  ["bad once", ["truncated", "accepted"], ["truncated", "good"]],
  ["too long at every rung, by 400", ["too-long", "too-long"], [], [onSummaries("too-long", 30_000)]],
  ["too long at every rung, by 413", ["too-long", "too-long"], [], [onSummaries("too-large")]],
  ["rate-limited", ["rate-limited", "rate-limited"], [], [onSummaries("rate-limit", 1)]],
  ["refused by a server that fails", ["failed", "failed"], [], [onSummaries("server-error")]],
  ["torn", ["failed", "failed"], [], [onSummaries("reset")]],
  ["ended in mid-stream", ["failed", "failed"], [], [onSummaries("early-end", 2)]],
  ["asked of a cache that was lost", ["accepted"], [], [onSummaries("cold-cache")]],
];

for (const wire of wires)
  describe(`a summary on ${wire}`, () => {
    for (const [what, tries, behaviours, faults] of rows)
      test(`C-003 · ${what}: ${tries.join(", ")}, each named, and the session goes on`, async () => {
        const { provider, turn, entries } = await run(wire, behaviours, faults);
        expect([turn.reason, turn.text]).toEqual(["done", "All 8 are looked at."]);
        const [first] = compactions(entries);
        const upTo = entries.filter(({ seq }) => seq <= (first?.seq ?? 0));
        expect(entriesOf(upTo, "summary-ended").map(({ outcome }) => outcome)).toEqual(tries);
        expect(entriesOf(upTo, "summary-asked")).toHaveLength(tries.length);
        for (const { outcome, detail } of entriesOf(upTo, "summary-ended"))
          expect(detail === "", `${outcome}: ${detail}`).toBe(outcome === "accepted");
        expect(first?.detail).toMatch(tries.at(-1) === "accepted" ? /^summed up/ : new RegExp(`${tries.at(-1)}\\)`));
        const asked = entriesOf(entries, "summary-asked").length;
        expect(asked).toBeLessThanOrEqual(bounds.summaryTriesMax * compactions(entries).length);
        expect(provider.asks()).toBeLessThanOrEqual(asked);
        const refused = provider.simulation.requests().flatMap(({ violation }) => violation ?? []);
        expect(refused).toEqual([]);
      });
  });

describe("a cache that must have expired", () => {
  const late = async (
    wire: Wire,
    { isReopened, minutes }: { readonly isReopened: boolean; readonly minutes: number },
  ) => {
    const provider = summingProvider();
    const world = await summingWorld({ wire, provider });
    let session = await world.open();
    // Near the line, and not over it.
    await timed(session.prompt("Look at each, up to file 4"), world.clock);
    expect(compactions(await world.entries())).toEqual([]);
    await world.clock.advance(minutes * 60_000);
    if (isReopened) session = await world.open(await world.takeOver());
    return { provider, world, session };
  };

  for (const isReopened of [false, true])
    test(`is not read for a summary: the work is folded, and the log says why (${isReopened ? "by another process" : "by the same"})`, async () => {
      const { provider, world, session } = await late("anthropic", { isReopened, minutes: 6 });
      await timed(session.prompt(`Look at each, up to file 5 ${"and on ".repeat(2_500)}`), world.clock);
      const [first] = compactions(await world.entries());
      expect(first?.detail).toMatch(/^folded without a model \(the cache has expired/);
      expect(provider.asks()).toBe(0);
    });

  test("by hand a summary is asked for all the same", async () => {
    const { provider, world, session } = await late("anthropic", { isReopened: false, minutes: 6 });
    expect(await timed(session.compact(), world.clock)).toMatchObject({ type: "compacted", by: "model" });
    expect(provider.asks()).toBe(1);
  });

  test("is only what the provider documents: within its lifetime, and where there is none, a summary is asked for", async () => {
    for (const [wire, minutes] of [
      ["anthropic", 4],
      ["chat", 6],
      ["gemini", 6],
    ] as const) {
      const { provider, world, session } = await late(wire, { isReopened: false, minutes });
      await timed(session.prompt(`Look at each, up to file 5 ${"and on ".repeat(2_500)}`), world.clock);
      expect(provider.asks(), choiceOn(wire).model).toBe(1);
    }
  });
});
