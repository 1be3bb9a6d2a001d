import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { passingClock } from "../../bench/long-clock.ts";
import { longFaults } from "../../bench/long-gates.ts";
import { playLong } from "../../bench/long-play.ts";
import { memoryStore } from "../../src/adapters/store-memory.ts";
import type { Wire } from "../../src/kernel/usage.ts";

/** What holds of a thousand turns holds on any machine; the time of a step is the bench's. */
export async function thousandTurns(windowTokens: number, wire: Wire): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "varve-long-run-"));
  try {
    const stores = memoryStore(passingClock());
    const played = await playLong({ turns: 1_000, windowTokens, wire, faults: "on", folder, stores });
    expect(longFaults(played)).toEqual([]);
    expect(played.seen.hidden.requests).toBe(played.tally.requests);
    expect(played.simulation.report().faults).toBeGreaterThan(100);
    expect(played.restartMs.length).toBeGreaterThan(3);
    expect(played.changes["facts changed"]).toBeGreaterThan(50);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
