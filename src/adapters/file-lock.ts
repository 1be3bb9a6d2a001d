import { setTimeout } from "node:timers/promises";
import { bounds } from "../kernel/bounds.ts";
import { type LeasePlace, takeLease } from "./store-file-lease.ts";

export type Locked<T> =
  | { readonly type: "done"; readonly value: T }
  | { readonly type: "refused"; readonly why: string };

/** Work that one process at a time does. The lock is waited for, and a dead holder's is taken over. */
export async function locked<T>(
  place: LeasePlace,
  names: { readonly work: string; readonly place: string },
  work: () => Promise<T>,
): Promise<Locked<T>> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const lock = await takeLease(place, names.work, async () => 0);
    if (lock.type === "refused") return lock;
    if (lock.type === "leased") {
      try {
        return { type: "done", value: await work() };
      } finally {
        await lock.release();
      }
    }
    if (waitedMs >= bounds.lockMsMax) {
      return { type: "refused", why: `after ${waitedMs} ms ${names.place} is still being written by ${lock.owner}` };
    }
    await setTimeout(pollMs);
  }
}

const pollMs = 10;
