import fc from "fast-check";
import { expect, test } from "vitest";
import { moneyText } from "../../src/budget/prices.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import { ledgerOf } from "../../src/ledger/ledger.ts";
import type { Entry, EntryOf } from "../../src/log/entry.ts";
import { arbitraryMoves } from "../support/arbitrary-log.ts";
import { play } from "../support/play-log.ts";

const segment = { hash: hashOf("x"), kind: "text" as const, role: "user" as const, tokens: 1_000 };
const context = {
  segmentsOf: ({ segments }: EntryOf<"request-sent">) => Array.from({ length: segments }, () => segment),
  lifetime: "5m" as const,
  prices: {},
};

test("law 9 · where no usage was reported, tokens, cost, saving and miss are unknown, never zero", async () => {
  let unknown = 0;
  await fc.assert(
    fc.asyncProperty(arbitraryMoves, async (moves) => {
      const { entries } = await play("anthropic", moves);
      const reported = new Map(
        entries.flatMap((entry) => (entry.type === "response-received" ? [[entry.request, entry.usage]] : [])),
      );
      for (const row of ledgerOf(entries, context)) {
        const usage = reported.get(row.request) ?? null;
        expect(row.reported).toEqual(usage ?? "unknown");
        if (usage !== null) continue;
        unknown += 1;
        expect([row.cost.type, row.saved.type, row.miss, moneyText(row.saved)]).toEqual([
          "unknown",
          "unknown",
          "unknown",
          "unknown",
        ]);
      }
    }),
    { numRuns: 40 },
  );
  expect(unknown).toBeGreaterThan(0);
});

test("law 9 · a saving that is a loss is shown as one: a cache that was written and never read", async () => {
  const step = {
    type: "step" as const,
    answer: { reasoning: "none" as const, thought: "", parts: [], chunks: 1, reportsUsage: true },
    results: [],
    trouble: "none" as const,
  };
  const { entries } = await play("anthropic", [step]);
  const usage = {
    uncached: 10,
    cacheRead: 0,
    cacheWrite5m: 20_000,
    cacheWrite1h: 0,
    cacheWriteOther: 0,
    output: 5,
    reasoning: 0,
  };
  const written = entries.map((entry): Entry => (entry.type === "response-received" ? { ...entry, usage } : entry));
  const [row] = ledgerOf(written, context);
  expect(row?.saved.type === "usd" && row.saved.usd < 0).toBe(true);
  expect(row && moneyText(row.saved)).toMatch(/^-\$/);
});
