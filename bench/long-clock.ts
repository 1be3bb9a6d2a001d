import { systemClock } from "../src/adapters/clock.ts";
import { bounds } from "../src/kernel/bounds.ts";
import type { Clock } from "../src/ports/world.ts";

/** A clock whose waits between two attempts take no time; it goes on when it is told to. */
export type PassingClock = Clock & { pass(ms: number): void };

/**
 * Waiting for a provider moves the clock and nothing else. What watches over an effect (silence, one that ignores its
 * signal) really waits: it is never what is waited for.
 */
export function passingClock(startMs: number = Date.UTC(2026, 10, 29, 10)): PassingClock {
  let now = startMs;
  return {
    now: () => now,
    pass(ms) {
      now += ms;
    },
    async sleep(ms, signal) {
      if (ms >= bounds.streamIdleMsMax || ms === bounds.abandonMsMax) return await systemClock.sleep(ms, signal);
      now += Math.max(0, ms);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
