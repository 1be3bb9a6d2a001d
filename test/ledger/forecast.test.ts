import { describe, expect, test } from "vitest";
import { basisOf, predictCache } from "../../src/ledger/forecast.ts";
import { emptyLane } from "../../src/ledger/lane.ts";
import { sumOf } from "../../src/ledger/noted.ts";
import { answered, attempt, laneAfter, mark, received, segs, settle } from "./build.ts";

const before = "t1 t2 s1 u1";
const grown = "t1 t2 s1 u1 a1 r1";
const model = "claude-opus-5-5";

describe("what of the next prompt is known", () => {
  test("before any report nothing is", () => {
    expect(basisOf(emptyLane, model, segs(before))).toEqual({
      carried: null,
      marks: 0,
      measured: 0,
      added: [0, 1, 2, 3],
    });
  });
  test("a prompt that grew carries the report and the answer; only what came behind is counted", () => {
    expect(basisOf(laneAfter(before), model, answered(grown))).toEqual({
      carried: 4_100,
      marks: 4,
      measured: 0,
      added: [5],
    });
  });
  test("after a break what stays has the tokens it was measured to have", () => {
    const { memo } = settle(emptyLane, attempt(segs(before)), received({ cacheWrite5m: 6_000, output: 100 }));
    expect(basisOf(memo, model, segs("t1 t2 s1 u9"))).toEqual({ carried: 0, marks: 0, measured: 5_000, added: [3] });
  });
  test("another model's measures are of another tokenizer", () => {
    expect(basisOf(laneAfter(before), "claude-haiku-4-5", segs(before)).carried).toBeNull();
  });
  test("the measured segments of a lane add up to the reported prompt, the answer to its own report", () => {
    const { memo } = settle(
      laneAfter(before),
      attempt(answered(grown), { at: 1 }),
      received({ cacheRead: 4_000, cacheWrite5m: 3_100 }),
    );
    const tokens = memo.previous?.segments.map((segment) => segment.tokens);
    expect(sumOf(memo.previous?.segments ?? [])).toBeCloseTo(7_100);
    expect(tokens?.[4]).toBeCloseTo(100);
    expect(tokens?.[5]).toBeCloseTo(3_000);
  });
  test("a report below what was carried (dropped reasoning) is spread over all", () => {
    const { memo } = settle(laneAfter(before), attempt(segs(grown), { at: 1 }), received({ cacheRead: 3_000 }));
    expect(sumOf(memo.previous?.segments ?? [])).toBeCloseTo(3_000);
    expect(memo.previous?.segments.every((segment) => segment.tokens > 0)).toBe(true);
  });
});

describe("what the cache should give", () => {
  const predict = (more: Parameters<typeof attempt>[1], names = grown) =>
    predictCache(laneAfter(before), attempt(segs(names), { at: 1_000, ...more }));
  test.each([
    { name: "the part that was written", more: {}, names: grown, want: { readTokens: 4_000, writeTokens: 2_000 } },
    {
      name: "nothing before the answer had begun",
      more: { at: 400 },
      names: grown,
      want: { readTokens: 0, writeTokens: 6_000 },
    },
    {
      name: "nothing after its life",
      more: { at: 300_000 },
      names: grown,
      want: { readTokens: 0, writeTokens: 6_000 },
    },
    {
      name: "nothing for another key",
      more: { cacheKey: "low" },
      names: grown,
      want: { readTokens: 0, writeTokens: 6_000 },
    },
    { name: "nothing behind a change", more: {}, names: "t1 t2 s9 u1", want: { readTokens: 0, writeTokens: 4_000 } },
    { name: "nothing without a marker", more: { marks: [] }, names: grown, want: { readTokens: 0, writeTokens: 0 } },
    {
      name: "an earlier marker on the way is enough",
      more: { marks: [mark(3), mark(5)] },
      names: grown,
      want: { readTokens: 4_000, writeTokens: 2_000 },
    },
  ])("$name", ({ more, names, want }) => expect(predict(more, names)).toEqual(want));

  test("a marker reaches 20 segments back, itself included", () => {
    const behind = (count: number) => `${before} ${Array.from({ length: count }, (_, at) => `r2${at}`).join(" ")}`;
    expect(predict({}, behind(19)).readTokens).toBe(4_000);
    expect(predict({}, behind(20)).readTokens).toBe(0);
  });
  test("two services' own rules: full steps, at least the minimum", () => {
    const chat = { wire: "chat", model: "gpt-5.4", marks: [] } as const;
    const { memo } = settle(emptyLane, attempt(segs(before), chat), received({ uncached: 4_200 }));
    expect(predictCache(memo, attempt(segs(grown), { ...chat, at: 1_000 })).readTokens).toBe(4_096);
    const small = settle(emptyLane, attempt(segs(before, 200), chat), received({ uncached: 800 })).memo;
    expect(predictCache(small, attempt(segs(grown, 200), { ...chat, at: 1_000 })).readTokens).toBe(0);
  });
});
