import { systemClock } from "../adapters/clock.ts";
import { hashOf } from "../kernel/hash.ts";
import type { Entry } from "../log/entry.ts";
import type { LogStore, Stores } from "../ports/store.ts";

/**
 * Stores to open a session on that is only looked at: nothing is taken and nothing reaches the disk, also where another
 * process has the session open. What opening would write (how a crash ended) is seen by this view alone.
 */
export function viewOnly({ log, blobs, checkpoints }: Stores): Stores {
  const added: Entry[] = [];
  const append: LogStore["append"] = async ({ expectedSeq, entries }) => {
    const at = systemClock.now();
    const made = entries.map((body, index): Entry => ({ ...body, seq: expectedSeq + index + 1, at }));
    added.push(...made);
    return { type: "appended", head: { seq: expectedSeq + made.length, hash: "" }, entries: made };
  };
  return {
    log: {
      ...log,
      append,
      async *read(stream, from, options) {
        yield* log.read(stream, from, options);
        if (stream.type === "lane") yield* added;
      },
      lease: async () => ({ type: "leased", fence: 0, release: async () => {} }),
    },
    blobs: { ...blobs, put: async (_stream, content) => hashOf(content) },
    checkpoints: { ...checkpoints, save: async () => {} },
  };
}
