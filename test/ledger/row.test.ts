import { describe, expect, test } from "vitest";
import { emptyLane } from "../../src/ledger/lane.ts";
import { attempt, laneAfter, mark, received, segs, settle } from "./build.ts";

const before = "t1 t2 s1 u1";

describe("what a row says", () => {
  test("law 9 · no reported usage is unknown, never zero", () => {
    const { row } = settle(laneAfter(before), attempt(segs(before), { at: 1 }), received(null));
    expect(row).toMatchObject({
      ending: "received",
      reported: "unknown",
      cost: { type: "unknown" },
      saved: { type: "unknown" },
      miss: "unknown",
    });
  });
  test("a failed attempt is a row of its own, with its class and no usage", () => {
    const sent = attempt(segs(before), { attempt: 3, at: 1 });
    const { row, memo } = settle(laneAfter(before), sent, { type: "failed", class: "rate-limited", began: false });
    expect(row).toMatchObject({ attempt: 3, ending: "failed", failure: "rate-limited", reported: "unknown", step: 1 });
    expect(memo).toEqual(laneAfter(before));
  });
  test("an attempt whose end nobody knows is a row", () => {
    expect(settle(laneAfter(before), attempt(segs(before), { at: 1 }), { type: "unknown" }).row).toMatchObject({
      ending: "unknown",
      miss: "unknown",
    });
  });
  test("a broken answer had begun: what it wrote is there for the retry", () => {
    const sent = attempt(segs(before));
    const broken = settle(emptyLane, sent, { type: "failed", class: "broken-stream", began: true });
    const { row } = settle(broken.memo, { ...sent, attempt: 2, at: 1_000 }, received({ cacheRead: 4_000 }));
    expect(row).toMatchObject({ miss: "none", step: 1, idleMs: 1_000 });
  });
  test("attempts of one step share its number; the next step has the next", () => {
    const sent = attempt(segs(before));
    const failed = settle(emptyLane, sent, { type: "failed", class: "overloaded", began: false });
    const done = settle(failed.memo, { ...sent, attempt: 2 }, received({ cacheWrite5m: 4_000 }));
    const next = settle(done.memo, attempt(segs(`${before} a1 r1`), { at: 1 }), received({ cacheRead: 4_000 }));
    expect([failed.row.step, done.row.step, next.row.step]).toEqual([1, 1, 2]);
  });
  test("markers, idle time and lifetime are there", () => {
    const sent = attempt(segs(`${before} a1 r1`), { at: 90_000, marks: [mark(2), mark(5)] });
    const { row } = settle(laneAfter(before), sent, received({ cacheRead: 4_000, cacheWrite5m: 2_000 }));
    expect(row).toMatchObject({ marks: [2, 5], idleMs: 90_000, lifetimeMs: 300_000, segments: 6 });
  });
});

test("M-77 · a miss says how much later the first token came than without one; unknown until one came without", () => {
  const first = settle(emptyLane, attempt(segs("t1 t2 s1 u1")), received({ cacheWrite5m: 4_000 }, 900));
  expect(first.row).toMatchObject({ firstTokenMs: 900, miss: { cause: "cold-start", delayMs: null } });
  const warm = settle(
    first.memo,
    attempt(segs("t1 t2 s1 u1 a1 u2"), { at: 1_000 }),
    received({ cacheRead: 4_000 }, 300),
  );
  expect(warm.row.miss).toBe("none");
  const late = attempt(segs("t1 t2 s1 u1 a1 u2 a2 u3"), { at: 9_000_000 });
  expect(settle(warm.memo, late, received({ cacheWrite5m: 8_000 }, 1_100)).row.miss).toMatchObject({
    cause: "expired",
    delayMs: 800,
  });
});

test("a server that reports only what it evaluated has missed nothing we know of", () => {
  const local = { wire: "chat", model: "my-model", marks: [] } as const;
  const first = settle(emptyLane, attempt(segs(before), local), received({ uncached: 4_000, output: 100 }));
  const { row, memo } = settle(
    first.memo,
    attempt(segs(`${before} a1 r1`), { ...local, at: 1 }),
    received({ uncached: 1_000, output: 5 }),
  );
  expect(row.miss).toBe("unknown");
  expect(memo.previous?.promptTokens).toBe(4_000);
});

describe("money (Opus 5.5: input 4, write 5, read 0.2, output 20)", () => {
  test("savings are net of what writing cost", () => {
    const { row } = settle(
      laneAfter(before),
      attempt(segs(`${before} a1 r1`), { at: 1 }),
      received({ cacheRead: 4_000, cacheWrite5m: 2_000, output: 100 }),
    );
    expect(row.cost).toMatchObject({ usd: expect.closeTo((4_000 * 0.2 + 2_000 * 5 + 100 * 20) / 1e6, 12) });
    expect(row.saved).toMatchObject({ usd: expect.closeTo((4_000 * 3.8 - 2_000 * 1) / 1e6, 12) });
  });
  test("a request that only wrote is shown as a loss", () => {
    const { row } = settle(emptyLane, attempt(segs(before)), received({ cacheWrite5m: 4_000 }));
    expect(row.saved).toMatchObject({ usd: expect.closeTo(-0.004, 12) });
  });
  test("a miss costs what its tokens cost more than a read", () => {
    const { row } = settle(
      laneAfter(before),
      attempt(segs("t1 t2 s1 u9"), { at: 1 }),
      received({ cacheRead: 3_000, cacheWrite5m: 1_000 }),
    );
    expect(row.miss).toMatchObject({ tokens: 1_000, cost: { usd: expect.closeTo(1_000 * 4.8e-6, 12) } });
  });
  test("an unknown model has unknown money, and its misses are still named", () => {
    const sent = attempt(segs(before), { model: "my-model", wire: "chat", marks: [] });
    const { row } = settle(emptyLane, sent, received({ uncached: 4_000 }));
    expect(row).toMatchObject({ cost: { type: "unknown" }, miss: { cause: "cold-start", cost: { type: "unknown" } } });
  });
});
