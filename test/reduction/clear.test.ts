import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import type { Segment } from "../../src/prompt/segment.ts";
import { type Clearing, clear } from "../../src/reduction/clear.ts";
import { type Costs, isCertainlyCold } from "../../src/reduction/costs.ts";
import type { Memo } from "../../src/reduction/memo.ts";
import { plan } from "../../src/reduction/plan.ts";
import { costs, did, later, message, type Part, says, thinks, words, worked } from "../support/worked.ts";

/** Each of about 2,000 tokens. */
const runs = (count: number, name = "r") =>
  Array.from({ length: count }, (_, at) =>
    did(`${name}${at}`, "Bash", { command: `make ${name}${at}` }, words(1_000, name)),
  );
const cleared = (parts: readonly (Part | readonly Part[])[], more: Partial<Costs> = {}) => {
  const { segments, memo } = worked(...parts);
  return { segments, memo, clearing: clear(segments, memo, costs(more)) };
};
const callsOf = ({
  segments,
  clearing,
}: {
  readonly segments: readonly Segment[];
  readonly clearing: Clearing | null;
}) => clearing?.stubs.map(({ segment }) => segments[segment]?.callId) ?? [];
const young = [message("go on"), ...runs(12), message(words(20_000)), later(4)];
/** Old work of 24,000 tokens, and little behind it; above, the same with much behind it. */
const ripe = [message("go on"), ...runs(12), later(20), says("so")];

describe("(b) what has cost its price is cleared", () => {
  test("behind one cut, oldest first, with the numbers of the decision", () => {
    const { clearing, segments } = cleared(ripe);
    expect(callsOf({ clearing, segments })).toEqual(Array.from({ length: 12 }, (_, at) => `r${at}`));
    expect(clearing?.numbers).toMatchObject({ reason: "rent", prices: "assumed", reasoningTokens: 0 });
    const { rent = 0, price = 0, recalls = 0, savedTokens = 0 } = clearing?.numbers ?? {};
    expect(rent).toBeGreaterThanOrEqual(price + recalls);
    expect(savedTokens).toBeGreaterThan(20_000);
  });

  test("not before it has", () => {
    expect(cleared(young).clearing).toBe(null);
  });

  test("not at prices at which it cannot pay, and without money never", () => {
    const rates = { read: 0, write: 1.25, output: 5 };
    expect(cleared(ripe, { prices: { type: "known", rates } }).clearing).toBe(null);
    expect(cleared(ripe, { prices: { type: "local" } }).clearing).toBe(null);
  });
});

describe("a short history is left alone", () => {
  const short = [message("go on"), ...runs(8), later(90)];
  test("below 20,000 tokens, in a large window", () => {
    expect(cleared(short).clearing).toBe(null);
    expect(cleared([message("go on"), ...runs(12), later(90)]).clearing).not.toBe(null);
  });

  test("below half of what is usable, in a small one", () => {
    expect(cleared(short, { lineTokens: 0.92 * 30_000 }).clearing).not.toBe(null);
    expect(cleared([message("go on"), ...runs(6), later(90)], { lineTokens: 0.92 * 30_000 }).clearing).toBe(null);
  });
});

describe("(a) where the cache is certainly gone, what is old goes at once", () => {
  test("from 1,000 tokens on", () => {
    expect(cleared(young).clearing).toBe(null);
    expect(cleared(young, { cache: "cold" }).clearing?.numbers).toMatchObject({ reason: "cold", price: 0 });
  });

  test("sooner than else, but not what the newest answer has just asked for", () => {
    const fresh = [message(words(20_000)), ...runs(6), ...runs(1, "n")];
    const { clearing, segments } = cleared(fresh, { cache: "cold" });
    expect(callsOf({ clearing, segments })).toEqual(["r0", "r1", "r2", "r3", "r4", "r5"]);
  });

  test("certainly: a documented end of life, and a tenth on top", () => {
    expect(isCertainlyCold(329_000, 300_000)).toBe(false);
    expect(isCertainlyCold(331_000, 300_000)).toBe(true);
    expect(isCertainlyCold(null, 300_000)).toBe(false);
    expect(isCertainlyCold(10 ** 9, null)).toBe(false);
  });
});

describe("(c) over the line", () => {
  const full = [message("go on"), ...runs(40)];
  const over = { pressure: "hard", lineTokens: 60_000 } as const;

  test("as much goes as brings the request down, the newest cut that does, also without money", () => {
    const { clearing, segments } = cleared(full, { ...over, prices: { type: "local" } });
    expect(clearing?.numbers).toMatchObject({ reason: "pressure", prices: "local" });
    expect(callsOf({ clearing, segments })).not.toContain("r39");
    expect(callsOf({ clearing, segments })).not.toContain("r0");
  });

  test("the newest results stay", () => {
    const calls = callsOf(cleared(full, over));
    expect(calls).not.toContain("r34");
    expect(calls.length).toBeGreaterThan(15);
  });

  test("before any fold; where clearing is not enough, finished work is folded", () => {
    const planned = (parts: readonly (Part | readonly Part[])[]) => {
      const { segments, memo } = worked(...parts);
      return plan(segments, memo, costs(over));
    };
    expect(planned(full)).toMatchObject({ type: "break", reason: "cleared" });
    const said = Array.from({ length: 40 }, (_, at) => [message(`step ${at}`), says(words(1_000))]).flat();
    expect(planned([...said, message("now")])).toMatchObject({ type: "break", reason: "compacted" });
  });

  test("below it only what pays goes: nothing is cut or folded", () => {
    const { segments, memo } = worked(...full);
    expect(plan(segments, memo, costs({ lineTokens: 60_000, prices: { type: "local" } }))).toEqual({ type: "nothing" });
  });
});

describe("(d) a dearer price for the whole request", () => {
  const grown = [message("go on"), ...runs(40)];
  const tier = { promptTokens: 201_000, fromTokens: 200_000, factor: 2 };
  const dear = { prices: { type: "known", rates: { read: 0.1, write: 1, output: 6 } } } as const;

  test("is kept away from, where that lasts long enough to pay", () => {
    expect(cleared(grown, dear).clearing?.numbers.reason).not.toBe("tier");
    expect(cleared(grown, { ...dear, tier }).clearing?.numbers.reason).toBe("tier");
  });

  test("not where it is not reached, cannot be prevented, or costs next to nothing", () => {
    const reason = (more: Partial<typeof tier>) =>
      cleared(grown, { ...dear, tier: { ...tier, ...more } }).clearing?.numbers.reason;
    expect(reason({ promptTokens: 199_000 })).not.toBe("tier");
    expect(reason({ promptTokens: 290_000 })).not.toBe("tier");
    expect(reason({ factor: 1.001 })).not.toBe("tier");
  });
});

describe("reasoning behind the first change", () => {
  const thought = [message("go on"), ...runs(6), thinks(words(300, "why")), ...runs(6, "q"), later(40), says("so")];
  test("is left out whole, and what is in front of it stays", () => {
    const { clearing, segments } = cleared([message("go on"), thinks("first"), ...thought]);
    const dropped = clearing?.drops.flatMap(([from, to]) => segments.slice(from, to + 1)) ?? [];
    expect(dropped.map(({ kind, text }) => [kind, text])).toEqual([["reasoning", words(300, "why")]]);
    expect(clearing?.numbers.reasoningTokens).toBe(estimate(words(300, "why")));
  });

  test("stays where the provider does not bind it", () => {
    const { clearing } = cleared(thought, { reasoning: "free" });
    expect(clearing?.drops).toEqual([]);
    expect(clearing?.numbers.reasoningTokens).toBe(0);
  });

  test("of an open loop that needs it: nothing in front of it changes; a closed loop binds nothing", () => {
    const open = [message("go on"), ...runs(12), thinks("why"), later(30)];
    expect(cleared(open, { closeLoop: true }).clearing).toBe(null);
    expect(cleared(open).clearing).not.toBe(null);
    expect(cleared([...open, says("done"), message("next")], { closeLoop: true }).clearing).not.toBe(null);
  });
});

test("what may be cleared is a choice: nothing, results, inputs as well", () => {
  const written = Array.from({ length: 12 }, (_, at) => did(`w${at}`, "Write", { content: words(1_000) }, "written"));
  const parts = [message("go on"), ...written, ...runs(12), later(40)];
  expect(cleared(parts, { clearing: "off" }).clearing).toBe(null);
  expect(callsOf(cleared(parts, { clearing: "results" })).some((id) => id?.startsWith("w"))).toBe(false);
  expect(callsOf(cleared(parts)).some((id) => id?.startsWith("w"))).toBe(true);
});

const conversations = fc.array(
  fc.record({
    tool: fc.constantFrom("Bash", "Read", "Grep", "Edit", "Skill", "recall", "mcp__pw__browser_snapshot"),
    words: fc.integer({ min: 1, max: 3_000 }),
    file: fc.nat(3),
    failed: fc.boolean(),
    thought: fc.boolean(),
  }),
  { minLength: 8, maxLength: 50 },
);
const settings = fc.record({
  pressure: fc.constantFrom("none" as const, "hard" as const),
  cache: fc.constantFrom("warm" as const, "cold" as const),
  reasoning: fc.constantFrom("free" as const, "bound" as const),
  lineTokens: fc.integer({ min: 5_000, max: 150_000 }),
});

test("whatever the work and the setting: smaller, seen, recallable, the same again, and then at rest", () => {
  fc.assert(
    fc.property(conversations, settings, (made, more) => {
      const parts = [
        message("go on"),
        ...made.flatMap(({ tool, words: count, file, failed, thought }, at) => [
          ...(thought ? [thinks(words(50, `t${at}`))] : []),
          ...did(
            `c${at}`,
            tool,
            { file_path: `src/f${file}.ts`, command: `make ${file}`, content: words(count, `i${at}`) },
            `${words(count, `r${at}`)}${failed ? "\n[exit code 1]" : ""}`,
          ),
        ]),
      ];
      const { segments, memo } = worked(...parts);
      const clearing = clear(segments, memo, costs(more));
      expect(clear(segments, memo, costs(more))).toEqual(clearing);
      if (clearing === null) return;
      for (const stub of clearing.stubs) expectFair(segments, memo, stub);
      const texts = new Map(clearing.stubs.map(({ segment, text }) => [segment, text]));
      const dropped = (at: number) => clearing.drops.some(([from, to]) => at >= from && at <= to);
      const left = parts.flatMap((part, at) => (dropped(at) ? [] : [{ ...part, text: texts.get(at) ?? part.text }]));
      const after = worked(...left);
      expect(
        clear(after.segments, after.memo, costs({ ...more, pressure: "none", cache: "warm" }))?.stubs ?? [],
      ).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

function expectFair(
  segments: readonly Segment[],
  memo: Memo,
  { segment: at, text, handle }: Clearing["stubs"][number],
): void {
  const segment = segments[at];
  expect(segment).toBeDefined();
  if (segment === undefined) return;
  expect(estimate(text)).toBeLessThan(memo.tokensOf(segment));
  expect(text).toContain(`recall handle=${handle}`);
  expect(segment.tool).not.toBe("Skill");
  expect(at).toBeLessThan(segments.length - 1);
  if (segment.kind === "tool-call") expect(() => JSON.parse(text)).not.toThrow();
  else expect(handle).toBe(memo.handleOf(segment.callId ?? ""));
}
