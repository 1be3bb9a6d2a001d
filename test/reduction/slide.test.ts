import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import type { Costs } from "../../src/reduction/costs.ts";
import type { SlidingWindow } from "../../src/reduction/fold-goal.ts";
import { plan } from "../../src/reduction/plan.ts";
import { partsOf } from "../../src/reduction/plan-parts.ts";
import { tokensOf } from "../../src/reduction/segment-tokens.ts";
import { roundsIn } from "../../src/reduction/slide.ts";
import { call, context, message, type Part, result, says, words, world } from "./parts.ts";

const window: SlidingWindow = {
  rounds: 6,
  lowRounds: 3,
  toolTokens: 1_000,
  summaryTokens: 100,
  itemsTokens: 100,
  summary: null,
  stays: new Set(),
};

const costs = (given: Partial<Costs> = {}): Costs => ({
  lineTokens: 20_000,
  headTokens: 0,
  closeLoop: false,
  reasoning: "free",
  pressure: "none",
  clearing: "all",
  prices: { type: "local" },
  cache: "warm",
  tier: null,
  window,
  ...given,
});

const round = (n: number, size = 200): readonly Part[] => [
  message(`Round ${n}: ${words(size)}`),
  says(`Did ${n}. ${words(size)}`),
];
const rounds = (upto: number, size?: number) => [
  context,
  ...Array.from({ length: upto }, (_, at) => round(at + 1, size)).flat(),
];

/** What is left of the parts, and the block in place of the rest. */
function left(parts: readonly Part[], given: Partial<Costs> = {}, made = world(...parts)) {
  const { segments, memo } = made;
  const planned = plan(segments, memo, costs(given));
  if (planned.type !== "break") return { type: planned.type, texts: [] as string[], block: null, stubs: 0 };
  const { drops = [], blocks = [], stubs = [] } = partsOf(planned);
  const texts = segments
    .filter(({ id }) => !drops.some(([from, to]) => id >= from && id <= to))
    .map(({ text }) => text ?? "");
  return { type: planned.reason, texts, block: blocks[0]?.text ?? null, stubs: stubs.length };
}

/** Counted as requests are: with what stands around a block. */
function framed({ segments, memo }: ReturnType<typeof world>): ReturnType<typeof world> {
  return { segments, memo: { ...memo, tokensOf } };
}

const starts = (texts: readonly string[]) => texts.map((text) => text.split(/[:.]/)[0]);

describe("M-61 · a window slides", () => {
  test("not before it holds more rounds than it may, whatever the auto line says", () => {
    expect(left(rounds(6)).type).toBe("nothing");
    expect(left(rounds(6), { pressure: "near" }).type).toBe("nothing");
  });

  test("to half of them, and the newest stay whole", () => {
    const { type, texts, block } = left([...rounds(6), message("Round 7: go on")]);
    expect(type).toBe("window-slid");
    expect(starts(texts)).toEqual(["facts", "Round 5", "Did 5", "Round 6", "Did 6", "Round 7"]);
    expect(block).toContain("Said: Did 4.");
  });

  test("at the hard line to half of what the head leaves of it, if that holds fewer", () => {
    const { type, texts } = left([...rounds(5), message("Round 6: go on")], { lineTokens: 2_200, pressure: "hard" });
    expect(type).toBe("window-slid");
    expect(starts(texts)).toEqual(["facts", "Round 5", "Did 5", "Round 6"]);
  });

  test("of a round that is larger than the low-water mark nothing goes, while the request is below the hard line", () => {
    const steps = Array.from({ length: 4 }, (_, at) => [
      call(`c${at}`, { path: `f${at}.ts` }),
      result(`c${at}`, words(900)),
    ]).flat();
    const { texts } = left([...rounds(6), message("Round 7: go on"), ...steps], { lineTokens: 6_000 });
    expect(starts(texts).slice(0, 2)).toEqual(["facts", "Round 7"]);
    expect(texts).toHaveLength(2 + steps.length);
  });

  test("in mid-turn its older steps go, the newest request and what nobody has seen stay", () => {
    const steps = Array.from({ length: 12 }, (_, at) => [
      call(`c${at}`, { path: `f${at}.ts` }),
      result(`c${at}`, words(120)),
    ]).flat();
    const { type, texts } = left([context, message("The task: all of it"), ...steps], {
      lineTokens: 1_500,
      pressure: "hard",
    });
    expect(["cleared", "window-slid"]).toContain(type);
    expect(texts).toContain("The task: all of it");
    expect(texts.at(-1)).toBe(words(120));
  });

  test("with the rolling summary in front of what it does not know of", () => {
    const summary = { text: "1. Rules\n- tabs only", knows: new Set([0, 1, 2, 3, 4]) };
    const { block } = left([...rounds(6), message("Round 7: go on")], { window: { ...window, summary } });
    const [known, later] = (block ?? "").split("</summary-text>");
    expect(known).toContain("- tabs only");
    expect(later).not.toContain("Did 2.");
    expect(later).toContain("Said: Did 4.");
  });

  test("results of the rounds that stay shrink, oldest first, to what tools may have", () => {
    const work = (n: number): readonly Part[] => [
      message(`Round ${n}: look`),
      call(`c${n}`, { path: `f${n}.ts` }),
      result(`c${n}`, words(400)),
      says(`Seen ${n}. ${words(60)}`),
    ];
    const parts = [context, ...Array.from({ length: 6 }, (_, at) => work(at + 1)).flat(), message("Round 7: go on")];
    const { type, stubs } = left(parts, { window: { ...window, toolTokens: 500 } });
    expect({ type, stubs }).toEqual({ type: "window-slid", stubs: 1 });
    expect(left(parts, { clearing: "off", window: { ...window, toolTokens: 500 } })).toMatchObject({ stubs: 0 });
  });

  test("and keeps what the open task began with", () => {
    const parts = [...rounds(6), message("Round 7: go on")];
    expect(left(parts, { window: { ...window, stays: new Set([3]) } }).texts).toContain(`Round 2: ${words(200)}`);
  });

  test("unless the block would be no smaller than what it stands for (law 8)", () => {
    expect(left([...rounds(6, 2), message("Round 7: go on")]).type).toBe("nothing");
  });

  test.each([
    ["a list", null],
    ["the rolling summary", { text: "1. Rules\n- tabs only", knows: new Set([0, 1, 2, 3, 4]) }],
  ])(
    "too long however far it slid: %s in the block's place is shorter each time, and that is the end of it",
    (_, summary) => {
      const newest = message(`Round 9: ${words(400)}`);
      const tight = (parts: readonly Part[]) =>
        left(parts, { pressure: "hard", lineTokens: 100, window: { ...window, summary } }, framed(world(...parts)));
      const blocks: string[] = [];
      let { block } = tight([...rounds(8), newest]);
      while (block !== null && blocks.length < 20) {
        blocks.push(block);
        block = tight([context, { ...message(block), as: "fold" }, newest]).block;
      }
      expect(blocks.length).toBeGreaterThan(0);
      expect(blocks.length).toBeLessThan(20);
      const sizes = blocks.map(estimate);
      expect(sizes).toEqual([...new Set(sizes)].toSorted((a, b) => b - a));
    },
  );

  test("whatever the rounds: smaller, the newest request whole, no call without its result, and then at rest", () => {
    const part = fc.constantFrom<"say" | "call">("say", "call");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(part, fc.integer({ min: 1, max: 300 })), { minLength: 8, maxLength: 14 }),
        (made) => {
          const parts = [
            context,
            ...made.flatMap(([kind, size], n): readonly Part[] =>
              kind === "say"
                ? round(n, size)
                : [
                    message(`Round ${n}: look`),
                    call(`c${n}`, { path: `f${n}` }),
                    result(`c${n}`, words(size)),
                    says(`Seen ${n}`),
                  ],
            ),
            message("The newest: go on"),
          ];
          const { segments, memo } = world(...parts);
          const planned = plan(segments, memo, costs());
          if (planned.type !== "break" || planned.reason !== "window-slid") return;
          const { drops = [], blocks = [] } = partsOf(planned);
          const kept = parts.filter((_, id) => !drops.some(([from, to]) => id >= from && id <= to));
          expect(kept.at(-1)?.text).toBe("The newest: go on");
          const callsOf = (kind: Part["kind"]) => kept.flatMap((one) => (one.kind === kind ? [one.callId] : []));
          expect(callsOf("tool-call")).toEqual(callsOf("tool-result"));
          const after = world(...kept);
          expect(roundsIn(after.segments, after.memo)).toBeLessThanOrEqual(window.lowRounds);
          const sizeOf = ({ segments: all, memo: by }: ReturnType<typeof world>) =>
            all.reduce((sum, one) => sum + by.tokensOf(one), 0);
          expect(sizeOf(after) + blocks.reduce((sum, { text }) => sum + text.length / 8, 0)).toBeLessThan(
            sizeOf({ segments, memo }),
          );
        },
      ),
      { numRuns: 100 },
    );
  });
});
