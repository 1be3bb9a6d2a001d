import { mainLane } from "../kernel/ids.ts";
import type { AppendResult, Damage, LogStore, Stores, StreamId } from "../ports/store.ts";
import type { Clock } from "../ports/world.ts";
import { appendEntries, type WriteAll, writeAll } from "./store-file-append.ts";
import { fileBlobs, fileCheckpoints } from "./store-file-blobs.ts";
import { forkLog } from "./store-file-fork.ts";
import { fileGuard } from "./store-file-guard.ts";
import { lanesOf, listSessions } from "./store-file-list.ts";
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
  const guard = fileGuard({ procRoot: options.procRoot ?? "/proc", now: () => clock.now() });

  const append: LogStore["append"] = async (call) => {
    const at = paths(call.stream);
    const writer = writerOf(at.key);
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
    const guarded = call.stream.type === "project" ? guard.underLock : guard.underLease;
    return inTurn(writer, () => guarded(at, call.fence, write));
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

  const log: LogStore = {
    append,
    read,
    list: (call) => listSessions(root, call),
    lanes: (session) => lanesOf(root, session),
    lease: async (stream, owner) => guard.lease(paths(stream), owner),
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
