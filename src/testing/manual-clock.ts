import type { Clock } from "../ports/world.ts";

/** A clock that stands still until a test moves it; sleepers wake in order of their times. */
export type ManualClock = Clock & { advance(ms: number): Promise<void>; readonly sleeping: () => number };

export function manualClock(startMs = Date.UTC(2026, 10, 29, 10)): ManualClock {
  let now = startMs;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  return {
    now: () => now,
    sleeping: () => sleepers.size,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = { at: now + ms, wake };
        function wake() {
          sleepers.delete(sleeper);
          resolve();
        }
        if (ms <= 0 || signal?.aborted) return resolve();
        sleepers.add(sleeper);
        signal?.addEventListener("abort", wake, { once: true });
      }),
    async advance(ms) {
      now += ms;
      const due = [...sleepers].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
      for (const { wake } of due) wake();
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
  };
}
