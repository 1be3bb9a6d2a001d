import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileStore } from "../../src/adapters/store-file.ts";
import { brand, mainLane } from "../../src/kernel/ids.ts";
import type { EntryBody } from "../../src/log/entry.ts";
import type { Stores, StreamId } from "../../src/ports/store.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import type { RandomLog } from "./play-log.ts";

export const lawStream: StreamId = { type: "lane", session: brand("20261129-100000-laws0001"), lane: mainLane };

/** A store in a folder of its own, which is gone afterwards. Opened anew by each call of `open`, as by a new process. */
export async function inFolder<T>(use: (open: () => Stores, root: string) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), "varve-laws-"));
  try {
    return await use(() => fileStore({ root, clock: manualClock(), sync: false }), root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Writes a log in appends of those sizes, over and over; damage is never written, so it is left out. `after` follows each append. */
export async function save(
  { log, blobs }: Stores,
  { entries, texts }: RandomLog,
  sizes: readonly number[],
  after: () => Promise<void> = async () => {},
): Promise<void> {
  const lease = await log.lease(lawStream, "a law test");
  if (lease.type !== "leased") throw new Error(`no lease: ${lease.type}`);
  for (const text of texts.values()) await blobs.put(lawStream, text);
  const bodies = entries.flatMap(bodyOf);
  for (let at = 0, turn = 0; at < bodies.length; turn += 1) {
    const size = Math.max(1, sizes[turn % Math.max(1, sizes.length)] ?? 1);
    const call = { stream: lawStream, expectedSeq: at, fence: lease.fence, entries: bodies.slice(at, at + size) };
    const result = await log.append(call);
    if (result.type !== "appended") throw new Error(`the append was answered with ${result.type}`);
    at += size;
    await after();
  }
  await lease.release();
}

function bodyOf({ seq: _seq, at: _at, ...body }: RandomLog["entries"][number]): readonly EntryBody[] {
  return body.type === "line-unreadable" ? [] : [body];
}
