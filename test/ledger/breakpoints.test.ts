import { describe, expect, test } from "vitest";
import { basisOf, predictCache } from "../../src/ledger/forecast.ts";
import { emptyLane, type SentAttempt } from "../../src/ledger/lane.ts";
import type { LedgerRow } from "../../src/ledger/row.ts";
import { answered, attempt, mark, received, segs, settle } from "./build.ts";

const minute = 60_000;
const before = "t1 s1 s2 u1";
const grown = "t1 s1 s2 u1 a1 r1";
/** More than Messages would look back over. */
const wide = `${before} a1 ${Array.from({ length: 40 }, (_, at) => `r${at}`).join(" ")}`;

const responses = (names: string, more: Partial<SentAttempt> = {}) =>
  attempt(segs(names), { wire: "responses", model: "gpt-6.2-sol", marks: [mark(1), mark(2)], ...more });
const lane = (names: string, more: Partial<SentAttempt> = {}) => {
  const sent = responses(names, more);
  const usage = { cacheWriteOther: sent.segments.length * 1_000, output: 100, reasoning: 40 };
  return settle(emptyLane, sent, received(usage)).memo;
};
const causeOf = (row: LedgerRow) => (typeof row.miss === "string" ? row.miss : row.miss.cause);
const next = (names: string, read: number, more: Partial<SentAttempt> = {}) =>
  settle(
    lane(before),
    responses(names, { at: minute, ...more }),
    received({ cacheRead: read, cacheWriteOther: 9_000 }),
  );

describe("OpenAI from 5.6 on: breakpoints on Responses (PROTOCOLS B.2)", () => {
  test("the end of every request is stored without a mark, and all that was sent is written", () => {
    const sent = responses(before, { marks: [] });
    expect(predictCache(emptyLane, sent)).toEqual({ readTokens: 0, writeTokens: 4_000 });
    expect(predictCache(lane(before, { marks: [] }), responses(grown, { at: minute, marks: [] }))).toEqual({
      readTokens: 4_000,
      writeTokens: 2_000,
    });
  });

  test("what was written is found however many segments came since", () => {
    const names = wide;
    expect(predictCache(lane(before), responses(names, { at: minute })).readTokens).toBe(4_000);
    expect(causeOf(next(names, 4_000).row)).toBe("none");
    expect(causeOf(next(names, 0).row)).toBe("expired");
  });

  test("boundaries are exact: after a change behind the head the head's own breakpoint is read, and no more", () => {
    const changed = "t1 s1 s2 u9 a1";
    expect(predictCache(lane(before), responses(changed, { at: minute })).readTokens).toBe(3_000);
    expect(predictCache(lane(before), responses("t1 s1 s9 u1", { at: minute })).readTokens).toBe(2_000);
    expect(predictCache(lane(before, { marks: [] }), responses(changed, { at: minute })).readTokens).toBe(0);
    expect(causeOf(next(changed, 3_000).row)).toBe("messages-changed");
  });

  test("nothing shorter than 1,024 tokens is stored", () => {
    const short = { ...responses("u1"), segments: segs("u1", 1_000), marks: [] };
    expect(predictCache(emptyLane, short).writeTokens).toBe(0);
    expect(predictCache(emptyLane, { ...short, segments: segs("u1", 1_024) }).writeTokens).toBe(1_024);
  });

  test("it lives for 30 minutes from its last read, whatever the marks say; longer is no miss", () => {
    expect(next(grown, 4_000, { at: 30 * minute - 1 }).row.lifetimeMs).toBe(30 * minute);
    expect(causeOf(next(grown, 0, { at: 30 * minute }).row)).toBe("expired");
    expect(causeOf(next(grown, 4_000, { at: 40 * minute }).row)).toBe("none");
    expect(predictCache(lane(before), responses(grown, { at: 30 * minute - 1 })).readTokens).toBe(4_000);
    expect(predictCache(lane(before), responses(grown, { at: 30 * minute })).readTokens).toBe(0);
  });

  test("reasoning stays in the prompt from 5.6 on; before, that of earlier turns is left out", () => {
    expect(basisOf(lane(before), "gpt-6.2-sol", answered(grown)).carried).toBe(4_100);
    const older = lane(before, { model: "gpt-5.5" });
    expect(basisOf(older, "gpt-5.5", answered(grown)).carried).toBe(4_060);
  });
});

describe("before 5.6", () => {
  test("any prefix is read in steps, and nothing is said to be written", () => {
    const older = { model: "gpt-5.5", marks: [], at: minute };
    expect(predictCache(lane(before, { model: "gpt-5.5", marks: [] }), responses(grown, older))).toEqual({
      readTokens: 3_968,
      writeTokens: 0,
    });
  });
});
