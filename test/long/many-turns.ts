import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { passingClock } from "../../bench/long-clock.ts";
import { longFaults } from "../../bench/long-gates.ts";
import { playLong } from "../../bench/long-play.ts";
import { memoryStore } from "../../src/adapters/store-memory.ts";
import type { Wire } from "../../src/kernel/usage.ts";

/** What holds of many turns holds on any machine; the time of a step is the bench's. */
export async function manyTurns(turns: number, windowTokens: number, wire: Wire): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "varve-long-run-"));
  try {
    const stores = memoryStore(passingClock());
    const played = await playLong({ turns, windowTokens, wire, faults: "on", folder, stores });
    expect(longFaults(played)).toEqual([]);
    expect(played.seen.hidden.requests).toBe(played.tally.requests);
    expect(played.simulation.report().faults).toBeGreaterThan(turns / 10);
    expect(played.restartMs.length).toBeGreaterThan(3);
    expect(played.changes["facts changed"]).toBeGreaterThan(turns / 20);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
