import { open } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { bounds } from "../kernel/bounds.ts";
import { mainLane } from "../kernel/ids.ts";
import type { AppendResult, Damage, LeaseResult, LogStore, Stores, StreamId } from "../ports/store.ts";
import type { Clock } from "../ports/world.ts";
import { nullIfAbsent } from "./store-fault.ts";
import { appendEntries, type WriteAll, writeAll } from "./store-file-append.ts";
import { fileBlobs, fileCheckpoints } from "./store-file-blobs.ts";
import { forkLog } from "./store-file-fork.ts";
import { newerFence, takeLease } from "./store-file-lease.ts";
import { lastLine, listSessions } from "./store-file-list.ts";
import { pathsOf, type StreamPaths } from "./store-file-path.ts";
import { readEntries, type Tail } from "./store-file-read.ts";

export type FileStoreOptions = {
  /** Holds `sessions/` and `projects/`; made when first written to. */
  readonly root: string;
  readonly clock: Clock;
  /** Wait until each append is on the disk (default). Without it a power cut may cost the newest entries. */
  readonly sync?: boolean;
  /** Told when opening a log for writing cut off a torn last line. */
  readonly onDamage?: (stream: StreamId, damage: Damage) => void;
  /** For tests: how bytes reach the file, and where the system tells of its processes. */
  readonly write?: WriteAll;
  readonly procRoot?: string;
};

/** Sessions and projects as files. Any number of processes may use one root; each log has one writer at a time. */
export function fileStore(options: FileStoreOptions): Stores {
  const { root, clock, sync = true } = options;
  const paths = (stream: StreamId): StreamPaths => pathsOf(root, stream);
  const writers = new Map<string, Writer>();
  const writerOf = (key: string): Writer => {
    const writer = writers.get(key) ?? { queue: Promise.resolve(), tail: null, bells: new Set() };
    writers.set(key, writer);
    return writer;
  };
  const leasePlace = (at: StreamPaths) => ({
    prefix: at.lease,
    procRoot: options.procRoot ?? "/proc",
    now: () => clock.now(),
  });

  const append: LogStore["append"] = async (call) => {
    const at = paths(call.stream);
    const writer = writerOf(at.key);
    return inTurn(writer, async () => {
      const write = async (): Promise<AppendResult> => {
        const { result, tail } = await appendEntries({
          ...call,
          paths: at,
          known: writer.tail,
          at: clock.now(),
          sync,
          write: options.write ?? writeAll,
          onDamage: (damage) => options.onDamage?.(call.stream, damage),
        });
        writer.tail = tail;
        if (result.type === "appended") for (const ring of writer.bells) ring();
        return result;
      };
      if (call.stream.type === "project")
        return underLock(() => takeLease(leasePlace(at), "append", async () => 0), write);
      return underLease(at, call.fence, write);
    });
  };

  const read: LogStore["read"] = (stream, from, given) => {
    const at = paths(stream);
    const writer = writerOf(at.key);
    return readEntries({
      paths: at,
      from,
      follow: given?.follow ?? null,
      onDamage: given?.onDamage ?? (() => undefined),
      onPosition: given?.onPosition ?? (() => undefined),
      onTail: (tail) => {
        writer.tail = tail;
      },
      listen: (ring) => {
        writer.bells.add(ring);
        return () => writer.bells.delete(ring);
      },
    });
  };

  const lease: LogStore["lease"] = async (stream, owner) => {
    const at = paths(stream);
    return takeLease(leasePlace(at), owner, () => newestFence(at.log));
  };

  const log: LogStore = {
    append,
    read,
    list: (call) => listSessions(root, call),
    lease,
    fork: (from, upTo, to) => forkLog(paths(from), upTo, paths({ type: "lane", session: to, lane: mainLane }), sync),
  };
  return { log, blobs: fileBlobs(paths, sync), checkpoints: fileCheckpoints(paths) };
}

/** What one process knows of a stream: who is writing, where it ends, who waits for more. */
type Writer = { queue: Promise<unknown>; tail: Tail | null; readonly bells: Set<() => void> };

function inTurn<T>(writer: Writer, work: () => Promise<T>): Promise<T> {
  const turn = writer.queue.then(work);
  writer.queue = turn.catch(() => undefined);
  return turn;
}

async function underLease(
  at: StreamPaths,
  fence: number | null,
  write: () => Promise<AppendResult>,
): Promise<AppendResult> {
  if (fence === null) return { type: "refused", why: "a lane is written under a lease only" };
  const newer = await newerFence(at.lease, fence);
  return newer === null ? write() : { type: "fenced", fence: newer };
}

/** A project has no lease: its lock is held for one append, and waited for. */
async function underLock(take: () => Promise<LeaseResult>, write: () => Promise<AppendResult>): Promise<AppendResult> {
  for (let waitedMs = 0; ; waitedMs += lockPollMs) {
    const lock = await take();
    if (lock.type === "refused") return lock;
    if (lock.type === "leased") {
      try {
        return await write();
      } finally {
        await lock.release();
      }
    }
    if (waitedMs >= bounds.lockMsMax) return { type: "refused", why: `busy: ${lock.owner} since ${lock.since}` };
    await setTimeout(lockPollMs);
  }
}

const lockPollMs = 10;

/** The fence of the newest line, for when the lease files are gone (a folder copied by hand). */
async function newestFence(path: string): Promise<number> {
  const file = await open(path, "r").catch(nullIfAbsent);
  if (file === null) return 0;
  try {
    return (await lastLine(file, (await file.stat()).size))?.fence ?? 0;
  } finally {
    await file.close();
  }
}
