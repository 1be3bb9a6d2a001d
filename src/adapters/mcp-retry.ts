import { bounds } from "../kernel/bounds.ts";
import type { Clock } from "../ports/world.ts";
import type { ServerFault } from "./mcp-fault.ts";

/** When what failed is tried again: later each time, until it is given up. */
export type Retry = {
  /** Nothing is known to be wrong with it yet. */
  isFirst(): boolean;
  /** Ms since 1970; null: not by itself. `ranMs`: how long it was up before. */
  failed(type: ServerFault["type"], ranMs: number): number | null;
  /** It is tried now, whoever asked for it. */
  cancel(): void;
};

export function createRetry(given: {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly start: () => Promise<void>;
}): Retry {
  const { clock, signal, start } = given;
  let failures = 0;
  let waiting = new AbortController();

  async function startAfter(ms: number): Promise<void> {
    waiting = new AbortController();
    const stop = AbortSignal.any([waiting.signal, signal]);
    await clock.sleep(ms, stop);
    if (!stop.aborted) await start();
  }

  return {
    isFirst: () => failures === 0,
    failed(type, ranMs) {
      failures = ranMs >= bounds.serverSteadyMs ? 1 : failures + 1;
      if (type === "final" || failures >= bounds.serverStartsMax) return null;
      const waitMs = bounds.serverRetryMsFirst * 2 ** (failures - 1);
      void startAfter(waitMs);
      return clock.now() + waitMs;
    },
    cancel: () => waiting.abort(),
  };
}
