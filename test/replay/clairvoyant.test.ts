import fc from "fast-check";
import { expect, test } from "vitest";
import { clairvoyants } from "../../src/replay/clairvoyant.ts";
import { plainRules } from "../../src/replay/plain.ts";
import type { Probe } from "../../src/replay/recording.ts";
import { replay } from "../../src/replay/replay.ts";
import type { Strategy } from "../../src/replay/strategy.ts";
import { chainOf, decided, linesOf, type Made, recorded, terms } from "../support/recorded.ts";

const strategy = (name: string): Strategy => {
  const found = [...clairvoyants, ...plainRules].find((one) => one.name === name);
  if (found === undefined) throw new Error(`no strategy ${name}`);
  return found;
};
const probe = (callId: string, source: string, text: string): Probe => ({ callId, kind: "ident", text, source });

test("first forms with hindsight show the whole lines that will be needed, and a stub with the handle", async () => {
  const long = linesOf(300, "file");
  const probes = [probe("c2", "c0", "line 17 says"), probe("c3", "c0", "line 17 says"), probe("c3", "c0", "line 250")];
  const decisions = await decided(strategy("clairvoyant-forms"), recorded(chainOf([long, "x", "y"])), { probes });
  const shown = decisions.at(-1)?.shown.find(({ callId, kind }) => callId === "c0" && kind === "tool-result");
  const [first, second, stub] = shown?.text?.split("\n") ?? [];
  expect([first, second]).toEqual([
    "file line 17 says something of its own",
    "file line 250 says something of its own",
  ]);
  expect(stub).toContain(`recall handle=${shown?.handles[0]?.handle}`);
});

test("of a line without end what stands around the needed string is shown, and what needs no form keeps none", async () => {
  const giant = `${"a".repeat(5_000)}needed${"b".repeat(5_000)}`;
  const decisions = await decided(strategy("clairvoyant-forms"), recorded(chainOf([giant, "short"])), {
    probes: [probe("c2", "c0", "needed")],
  });
  const shown = decisions.at(-1)?.shown.filter(({ kind }) => kind === "tool-result");
  expect(shown?.[0]?.text).toContain(`aneededb`);
  expect(shown?.[0]?.text?.length).toBeLessThan(600);
  expect(shown?.[1]?.text).toBe("short");
});

/** A large result at the start, then small ones. */
const session = (calls: number, pause: number | null): readonly Made[] =>
  chainOf([linesOf(2_000, "large"), ...Array.from({ length: calls }, (_, at) => linesOf(3, `small ${at}`))]).map(
    (one, at) => (at === pause ? { ...one, minutes: 30 } : one),
  );
const clearedAt = async (made: readonly Made[], probes: readonly Probe[], lifetimeMs: number | null = 300_000) => {
  const decisions = await decided(strategy("clairvoyant-clear"), recorded(made), {
    probes,
    terms: terms({ lifetimeMs }),
  });
  const isStub = (text: string | null | undefined) => text?.includes("recall handle=") === true;
  return decisions.findIndex(({ shown }) => isStub(shown.find(({ kind }) => kind === "tool-result")?.text));
};

test("a result is cleared after its last use, never before, and never before it was seen", async () => {
  expect(await clearedAt(session(20, null), [probe("c7", "c0", "line 1000 says")])).toBe(8);
  expect(await clearedAt(session(20, null), [])).toBe(2);
});

test("it is not cleared where writing again what stands behind it costs more than it saves", async () => {
  const small = chainOf([linesOf(10, "small"), linesOf(2_000, "large"), "x"]);
  expect(await clearedAt(small, [probe("c3", "c1", "line 1000 says"), probe("c2", "c0", "line 1 says")])).toBe(-1);
});

test("a cold cache is written anyway, so what is spent goes there", async () => {
  const made = chainOf([linesOf(10, "small"), ...Array.from({ length: 6 }, (_, at) => linesOf(2_000, `large ${at}`))]);
  const needed = Array.from({ length: 6 }, (_, at) => probe("c6", `c${at + 1}`, `large ${at} line 1000`));
  const first = [probe("c2", "c0", "line 1 says")];
  const paused = made.map((one, at) => (at === 4 ? { ...one, minutes: 30 } : one));
  expect(await clearedAt(made, [...first, ...needed])).toBe(-1);
  expect(await clearedAt(paused, [...first, ...needed])).toBe(4);
  expect(await clearedAt(paused, [...first, ...needed], null)).toBe(-1);
});

test("whatever the session, hindsight needs no recall and is not dearer than append-only", async () => {
  const sessions = fc.array(fc.record({ lines: fc.integer({ min: 1, max: 300 }), minutes: fc.constantFrom(1, 30) }), {
    minLength: 2,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(
      sessions,
      fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { maxLength: 15 }),
      async (parts, uses) => {
        const texts = parts.map(({ lines }, at) => linesOf(lines, `r${at}`));
        const made = chainOf(texts).map((one, at) => ({ ...one, minutes: parts[at]?.minutes ?? 1 }));
        const probes = uses.map(([source, user, line]) => {
          const from = source % parts.length;
          const by = from + 1 + (user % (parts.length - from));
          return probe(`c${by}`, `c${from}`, `r${from} line ${line % (parts[from]?.lines ?? 1)} says`);
        });
        const costOf = async (name: string) => {
          const done = await replay({
            recording: { session: "s", headTokens: 5_000, calls: recorded(made) },
            probes,
            strategy: strategy(name),
            terms: terms(),
            now: () => 0,
            onCall: () => {},
          });
          expect({ lost: done.lost, recalled: done.recalled }).toEqual({ lost: 0, recalled: 0 });
          return done.inputCost;
        };
        const base = await costOf("none");
        for (const { name } of clairvoyants) expect(await costOf(name)).toBeLessThanOrEqual(base + 1e-6);
      },
    ),
    { numRuns: 40 },
  );
});
