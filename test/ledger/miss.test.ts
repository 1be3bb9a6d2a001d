import { describe, expect, test } from "vitest";
import { afterBreak, emptyLane, type SentAttempt } from "../../src/ledger/lane.ts";
import type { LedgerRow } from "../../src/ledger/row.ts";
import { attempt, laneAfter, mark, received, segs, settle } from "./build.ts";

const minute = 60_000;
const before = "t1 t2 s1 u1";
const grown = "t1 t2 s1 u1 a1 r1";

const causeOf = (row: LedgerRow) => (typeof row.miss === "string" ? row.miss : row.miss.cause);

describe("every miss has one cause", () => {
  const rows: readonly {
    readonly name: string;
    readonly next: string;
    readonly sent?: Partial<SentAttempt>;
    readonly read: number;
    readonly cause: string;
    readonly tokens?: number;
  }[] = [
    { name: "what was written is read", next: grown, read: 4_000, cause: "none" },
    { name: "more than was left is read", next: grown, read: 5_000, cause: "none" },
    { name: "a few tokens less are the provider's own rounding", next: grown, read: 3_990, cause: "none" },
    {
      name: "within a moment of the end of its life it is alive",
      next: grown,
      sent: { at: 5 * minute - 1 },
      read: 0,
      cause: "look-back",
    },
    {
      name: "at the end of its life it is gone",
      next: grown,
      sent: { at: 5 * minute },
      read: 0,
      cause: "expired",
      tokens: 4_000,
    },
    {
      name: "expired comes before a change: the change cost nothing",
      next: "t9 t2 s1 u1 a1",
      sent: { at: 6 * minute },
      read: 0,
      cause: "expired",
    },
    {
      name: "another model",
      next: grown,
      sent: { model: "claude-sonnet-5-5" },
      read: 0,
      cause: "model-changed",
      tokens: 4_000,
    },
    { name: "another effort", next: grown, sent: { cacheKey: "low" }, read: 0, cause: "key-changed" },
    { name: "a changed tool", next: "t1 t9 s1 u1 a1 r1", read: 0, cause: "tools-changed" },
    { name: "a tool more", next: "t1 t2 t3 s1 u1 a1 r1", read: 0, cause: "tools-changed" },
    { name: "a tool less", next: "t1 s1 u1 a1 r1", read: 0, cause: "tools-changed" },
    { name: "changed system text", next: "t1 t2 s9 u1 a1 r1", read: 0, cause: "system-changed" },
    { name: "a changed message", next: "t1 t2 s1 u9 a1 r1", read: 3_000, cause: "messages-changed", tokens: 1_000 },
    { name: "a shorter history that was not all read", next: "t1 t2 s1", read: 2_000, cause: "messages-changed" },
    { name: "back to an earlier state, all of which is read", next: "t1 t2 s1", read: 3_000, cause: "none" },
    {
      name: "the marker stands too far behind",
      next: `${grown} ${Array.from({ length: 20 }, (_, at) => `r2${at}`).join(" ")}`,
      read: 0,
      cause: "look-back",
    },
    { name: "no marker at all", next: grown, sent: { marks: [] }, read: 0, cause: "look-back" },
  ];
  test.each(rows)("$name: $cause", ({ next, sent = {}, read, cause, tokens }) => {
    const segments = segs(next);
    const { row } = settle(
      laneAfter(before),
      attempt(segments, { at: minute, ...sent }),
      received({ cacheRead: read, cacheWrite5m: segments.length * 1_000 - read, output: 10 }),
    );
    expect(causeOf(row)).toBe(cause);
    if (tokens !== undefined) expect(row.miss).toMatchObject({ tokens });
  });

  test("the first request of a lane that read nothing is a cold start", () => {
    const { row } = settle(emptyLane, attempt(segs(before)), received({ cacheWrite5m: 4_000 }));
    expect(row.miss).toMatchObject({ cause: "cold-start", tokens: 4_000 });
    expect(row).toMatchObject({ step: 1, idleMs: null, firstChange: null });
  });
  test("the first request of a lane that found a shared head is no miss", () => {
    expect(settle(emptyLane, attempt(segs(before)), received({ cacheRead: 3_000, cacheWrite5m: 1_000 })).row.miss).toBe(
      "none",
    );
  });
  test("a first request that asks for no caching misses nothing", () => {
    expect(settle(emptyLane, attempt(segs(before), { marks: [] }), received({ uncached: 4_000 })).row.miss).toBe(
      "none",
    );
  });

  test("prefixes below the model's minimum are named", () => {
    const small = attempt(segs(before, 100));
    const first = settle(emptyLane, small, received({ uncached: 400, output: 5 }));
    const second = settle(first.memo, attempt(segs(grown, 100), { at: 1_000 }), received({ uncached: 600 }));
    expect(second.row.miss).toMatchObject({ cause: "below-minimum", tokens: 400 });
  });

  test("a declared break names a change, and the mechanism stays visible", () => {
    const memo = afterBreak(laneAfter(before), "cleared");
    const { row, memo: after } = settle(
      memo,
      attempt(segs("t1 t2 s1 u9 a1"), { at: minute }),
      received({ cacheRead: 3_000, cacheWrite5m: 2_000 }),
    );
    expect(row).toMatchObject({
      breaks: ["cleared"],
      firstChange: { segment: 3, kind: "text", role: "user" },
      miss: { cause: "break:cleared", mechanism: "messages-changed", tokens: 1_000 },
    });
    expect(after.breaks).toEqual([]);
  });
  test("a break on a cold cache cost nothing: the cause is that it had expired", () => {
    const memo = afterBreak(laneAfter(before), "cleared");
    const { row } = settle(memo, attempt(segs("t1 t2 s1 u9"), { at: 10 * minute }), received({ cacheWrite5m: 4_000 }));
    expect(row.miss).toMatchObject({ cause: "expired" });
  });
  test("a break is remembered through attempts that never began", () => {
    const memo = afterBreak(laneAfter(before), "compacted");
    const sent = attempt(segs("t1 t2 s1 u9"), { at: minute });
    const failed = settle(memo, sent, { type: "failed", class: "overloaded", began: false });
    const { row } = settle(
      failed.memo,
      { ...sent, attempt: 2, at: minute + 1 },
      received({ cacheRead: 3_000, cacheWrite5m: 1_000 }),
    );
    expect(row.miss).toMatchObject({ cause: "break:compacted" });
  });

  test("each cause has a line of text that begins with it", () => {
    const { row } = settle(
      laneAfter(before),
      attempt(segs(grown), { at: 7 * minute }),
      received({ cacheWrite5m: 6_000 }),
    );
    expect(row.miss).toMatchObject({ why: "expired: 420 s since the request before, longer than the cache lives" });
  });
});

describe("life and reach of what was written (PROTOCOLS A.2)", () => {
  test("a read refreshes: three requests four minutes apart all hit", () => {
    let memo = laneAfter(before);
    for (const [at, names] of [
      [4, grown],
      [8, `${grown} a2 r2`],
      [12, `${grown} a2 r2 a3 r3`],
    ] as const) {
      const segments = segs(names);
      const read = (segments.length - 2) * 1_000;
      const next = settle(
        memo,
        attempt(segments, { at: at * minute }),
        received({ cacheRead: read, cacheWrite5m: 2_000 }),
      );
      expect(next.row.miss).toBe("none");
      memo = next.memo;
    }
  });
  test("an hour's marker lives an hour", () => {
    const sent = attempt(segs(before), { marks: [mark(3, "1h")] });
    const { memo } = settle(emptyLane, sent, received({ cacheWrite1h: 4_000 }));
    const row = (at: number) => settle(memo, attempt(segs(grown), { at }), received({ cacheWrite5m: 6_000 })).row;
    expect(row(59 * minute).miss).toMatchObject({ cause: "look-back" });
    expect(row(60 * minute).miss).toMatchObject({ cause: "expired" });
    expect(row(60 * minute).lifetimeMs).toBe(60 * minute);
  });
  test("the clock starts at the start of the request, however long its answer took", () => {
    const sent = attempt(segs(before));
    const { memo } = settle(emptyLane, sent, received({ cacheWrite5m: 4_000 }, 4 * minute));
    expect(
      settle(memo, attempt(segs(grown), { at: 5 * minute }), received({ cacheWrite5m: 6_000 })).row.miss,
    ).toMatchObject({ cause: "expired" });
  });
  test("a side request keeps the prefix alive and is no part of the sequence", () => {
    const side = attempt(segs(`${before} u7`), { purpose: "side", at: 4 * minute, marks: [mark(3)] });
    const { memo } = settle(laneAfter(before), side, received({ cacheRead: 4_000, uncached: 1_000 }));
    const { row } = settle(
      memo,
      attempt(segs(grown), { at: 8 * minute }),
      received({ cacheRead: 4_000, cacheWrite5m: 2_000 }),
    );
    expect(row).toMatchObject({ miss: "none", firstChange: null, step: 2 });
  });
});

describe("services that cache without being asked", () => {
  const chat = { wire: "chat", model: "gpt-5.4", marks: [] } as const;
  const first = settle(emptyLane, attempt(segs(before), chat), received({ uncached: 4_200 })).memo;
  test.each([
    { name: "the last full step was read", next: grown, at: 1_000, read: 4_096, cause: "none" },
    { name: "one full step less is missed", next: grown, at: 1_000, read: 3_968, cause: "expired" },
    { name: "after the promised life", next: grown, at: 5 * minute, read: 0, cause: "expired" },
    { name: "a changed message", next: "t1 t2 s1 u9", at: 1_000, read: 2_944, cause: "messages-changed" },
    { name: "another key", next: grown, at: 1_000, read: 0, cause: "key-changed", key: "other" },
  ])("$name: $cause", ({ next, at, read, cause, key }) => {
    const sent = attempt(segs(next), { ...chat, at, cacheKey: key ?? "high" });
    expect(causeOf(settle(first, sent, received({ cacheRead: read, uncached: 6_000 - read })).row)).toBe(cause);
  });
});
