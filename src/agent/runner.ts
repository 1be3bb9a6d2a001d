import type { EntryBody } from "../log/entry.ts";
import type { Ready } from "./perform.ts";

/** An effect that ended: what it yields, waiting to be stored. */
export type Settled = Pick<Ready, "yields"> & {
  readonly key: string;
  readonly entries: readonly EntryBody[];
  /** Where the log stood when the effect was decided. */
  readonly decidedAt: number;
  /** The effect broke down: `entries` say so, and the run ends with this. */
  readonly error: Error | null;
};

/** What is running right now: the only thing of a lane that is not in its log. */
export type Runner = {
  has(key: string): boolean;
  /** Effects that run or whose end is not stored yet. */
  running(): number;
  start(ready: Ready & { readonly key: string }, decidedAt: number): void;
  /** The oldest end that is not stored; it stays until `stored` is called. */
  settled(): Settled | undefined;
  waiting(): number;
  stored(): void;
  /** The caller was told how the run ended: what still waits is stored later, and is no error of a later run. */
  told(): void;
  /** Fires the signal of everything that runs, or of one key. */
  abort(key?: string): void;
  /** Resolves when something ends, or `wake` is called. Nothing may be awaited between a check and this. */
  something(): Promise<void>;
  wake(): void;
};

export function createRunner(): Runner {
  const running = new Map<string, AbortController>();
  const ended: Settled[] = [];
  let wake: () => void = () => {};

  const settle = (event: Settled) => {
    ended.push(event);
    wake();
  };

  return {
    has: (key) => running.has(key),
    running: () => running.size,
    start({ key, start, lost, yields }, decidedAt) {
      const controller = new AbortController();
      running.set(key, controller);
      const event = { key, yields, decidedAt };
      start(controller.signal).then(
        (entries) => settle({ ...event, entries, error: null }),
        (error: unknown) => settle({ ...event, entries: lost, error: errorOf(error) }),
      );
    },
    settled: () => ended[0],
    waiting: () => ended.length,
    stored() {
      const event = ended.shift();
      if (event !== undefined) running.delete(event.key);
    },
    told() {
      for (const [at, event] of ended.entries()) ended[at] = { ...event, error: null };
    },
    abort(key) {
      for (const [name, controller] of running) if (key === undefined || name === key) controller.abort();
    },
    something: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
    wake: () => wake(),
  };
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
