import type { Clock } from "../ports/world.ts";

const timerMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      // A longer time would make the timer fire at once; whoever sleeps that long looks at the clock again anyway.
      const timer = setTimeout(done, Math.min(ms, timerMsMax));
      signal?.addEventListener("abort", done, { once: true });
    }),
};
