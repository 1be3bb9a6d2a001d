import { bounds } from "../kernel/bounds.ts";
import type { Clock } from "../ports/world.ts";

/**
 * Asks for a list again when the server says that it changed: a moment later, so that many notices are one, and later each
 * time while the notices do not stop. Some servers say so as an answer to being asked (CASES C-055).
 */
export function createRelist(given: {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Does not reject. */
  readonly list: () => Promise<void>;
}): { notice(): void } {
  const { clock, signal, list } = given;
  let state: "idle" | "waiting" | "listing" | "stale" = "idle";
  let waitMs: number = bounds.serverRelistMsFirst;
  let noticedAt = clock.now();

  function notice(): void {
    const now = clock.now();
    if (now - noticedAt > 2 * bounds.serverRelistMsMax) waitMs = bounds.serverRelistMsFirst;
    noticedAt = now;
    if (state === "listing") state = "stale";
    if (state === "idle") void run();
  }

  async function run(): Promise<void> {
    state = "waiting";
    await clock.sleep(waitMs, signal);
    waitMs = Math.min(2 * waitMs, bounds.serverRelistMsMax);
    if (signal.aborted) return;
    state = "listing";
    await list();
    const again = isStale();
    state = "idle";
    if (again) void run();
  }

  // Of its own, so that the compiler does not take the state for what it was before the list.
  const isStale = (): boolean => state === "stale";

  return { notice };
}
