import type { Clock } from "../ports/world.ts";

/** A signal that ends with another, or after a time; whichever it was, `isOver` tells. */
export type Limit = { readonly signal: AbortSignal; isOver(): boolean; release(): void };

export function limitOf(clock: Clock, ms: number, signal: AbortSignal): Limit {
  const time = new AbortController();
  const done = new AbortController();
  void clock.sleep(ms, done.signal).then(() => {
    if (!done.signal.aborted) time.abort("it took too long");
  });
  return {
    signal: AbortSignal.any([signal, time.signal]),
    isOver: () => time.signal.aborted && !signal.aborted,
    release: () => done.abort(),
  };
}

/** Resolves with what was promised, or with null once the signal is aborted. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return null;
  let stop = (): void => {};
  const aborted = new Promise<null>((resolve) => {
    stop = () => resolve(null);
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
