import { hashOf } from "../kernel/hash.ts";
import { type Hash, mainLane } from "../kernel/ids.ts";
import { decodeLine, encodeLine, type Line } from "../log/codec.ts";
import type { EntryBody } from "../log/entry.ts";
import type {
  AppendResult,
  BlobStore,
  CheckpointStore,
  LogStore,
  Position,
  SessionSummary,
  Stores,
  StreamId,
} from "../ports/store.ts";
import type { Clock } from "../ports/world.ts";
import { newestFirst, titleOf } from "./store-summary.ts";

type Stream = {
  readonly id: StreamId;
  readonly lines: Line[];
  lease: { readonly fence: number; readonly holder: { readonly owner: string; readonly since: number } | null };
  readonly bells: Set<() => void>;
};

/** The reference: what the ports promise, with nothing in between. Lines go through the codec as they do in files. */
export function memoryStore(clock: Clock): Stores {
  const streams = new Map<string, Stream>();
  const blobs = new Map<string, Map<Hash, Uint8Array>>();
  const checkpoints = new Map<string, string>();

  const streamOf = (id: StreamId): Stream => {
    const known = streams.get(keyOf(id));
    const stream = known ?? { id, lines: [], lease: { fence: 0, holder: null }, bells: new Set() };
    streams.set(keyOf(id), stream);
    return stream;
  };
  const shelfOf = (scope: StreamId): Map<Hash, Uint8Array> => {
    const key = scope.type === "lane" ? scope.session : keyOf(scope);
    const shelf = blobs.get(key) ?? new Map<Hash, Uint8Array>();
    blobs.set(key, shelf);
    return shelf;
  };

  const log: LogStore = {
    append: async (call) => {
      const stream = streamOf(call.stream);
      const result = appendTo(stream, call, clock.now());
      if (result.type === "appended") for (const ring of stream.bells) ring();
      return result;
    },
    read: (id, from, options) => readFrom(streamOf(id), from, options ?? {}),
    list: async ({ project, after, limit }) => {
      const mains = [...streams.values()].filter((stream) => stream.lines.length > 0);
      const found = mains.map((stream) => summaryOf(stream, shelfOf(stream.id))).filter((summary) => summary !== null);
      const listed = found.filter((summary) => project === null || summary.project === project).sort(newestFirst);
      const at = after === undefined ? -1 : listed.findIndex((summary) => summary.session === after);
      return after !== undefined && at === -1 ? [] : listed.slice(at + 1, at + 1 + limit);
    },
    lanes: async (session) =>
      [...streams.values()]
        .flatMap(({ id, lines }) => (id.type === "lane" && id.session === session && lines.length > 0 ? [id.lane] : []))
        .sort(),
    lease: async (id, owner) => {
      const stream = streamOf(id);
      const { holder, fence: last } = stream.lease;
      if (holder !== null) return { type: "busy", ...holder };
      const fence = last + 1;
      stream.lease = { fence, holder: { owner, since: clock.now() } };
      const release = async (): Promise<void> => {
        if (stream.lease.fence === fence) stream.lease = { fence, holder: null };
      };
      return { type: "leased", fence, release };
    },
    fork: async (from, upTo, to) => {
      const source = streamOf(from);
      const target = streamOf({ type: "lane", session: to, lane: mainLane });
      if (source.lines.length === 0) throw new Error(`no such log: ${keyOf(from)}`);
      if (target.lines.length > 0) throw new Error(`session ${to} is there already`);
      target.lines.push(...source.lines.slice(0, Math.floor(upTo)));
      target.lease = { fence: target.lines.at(-1)?.fence ?? 0, holder: null };
      for (const [hash, bytes] of shelfOf(from)) shelfOf(target.id).set(hash, bytes);
      return headOf(target);
    },
  };
  return { log, blobs: memoryBlobs(shelfOf), checkpoints: memoryCheckpoints(checkpoints) };
}

function appendTo(stream: Stream, call: Parameters<LogStore["append"]>[0], at: number): AppendResult {
  if (stream.id.type === "lane") {
    if (call.fence === null) return { type: "refused", why: "a lane is written under a lease only" };
    const { fence, holder } = stream.lease;
    if (holder === null || call.fence !== fence) return { type: "fenced", fence };
  }
  const head = headOf(stream);
  if (Math.floor(call.expectedSeq) !== head.seq) return { type: "conflict", head };
  const added: Line[] = [];
  for (const body of call.entries) {
    const line = nextLine(added.at(-1) ?? stream.lines.at(-1), { at, fence: call.fence, body });
    if (line.type === "bad") return { type: "refused", why: `an entry that could not be read again: ${line.why}` };
    added.push(line);
  }
  stream.lines.push(...added);
  return { type: "appended", head: headOf(stream), entries: added.map((line) => line.entry) };
}

function nextLine(
  before: Line | undefined,
  line: { readonly at: number; readonly fence: number | null; readonly body: EntryBody },
): ReturnType<typeof decodeLine> {
  return decodeLine(encodeLine({ ...line, seq: (before?.entry.seq ?? 0) + 1, prev: before?.hash ?? "" }));
}

async function* readFrom(stream: Stream, from: Position | null, options: NonNullable<Parameters<LogStore["read"]>[2]>) {
  const { follow, onPosition } = options;
  let next = from?.seq ?? 0;
  do {
    for (; next < stream.lines.length; next += 1) {
      const line = stream.lines[next];
      if (line === undefined) break;
      onPosition?.({ seq: line.entry.seq, hash: line.hash });
      yield line.entry;
    }
  } while (follow !== undefined && (await changed(stream, next, follow)));
}

/** False once the signal has aborted. */
async function changed(stream: Stream, seen: number, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ring = (): void => resolve();
  if (signal.aborted || stream.lines.length > seen) ring();
  stream.bells.add(ring);
  signal.addEventListener("abort", ring);
  await promise;
  stream.bells.delete(ring);
  signal.removeEventListener("abort", ring);
  return !signal.aborted;
}

function headOf(stream: Stream): Position {
  const last = stream.lines.at(-1);
  return last === undefined ? { seq: 0, hash: "" } : { seq: last.entry.seq, hash: last.hash };
}

function summaryOf(stream: Stream, shelf: ReadonlyMap<Hash, Uint8Array>): SessionSummary | null {
  const [first] = stream.lines;
  const last = stream.lines.at(-1);
  if (stream.id.type !== "lane" || stream.id.lane !== mainLane || first === undefined || last === undefined)
    return null;
  const started = first.entry.type === "session-started" ? first.entry : null;
  const message = stream.lines.map((line) => line.entry).find((entry) => entry.type === "message-added");
  const text = message?.text ?? "";
  return {
    session: stream.id.session,
    project: started?.project ?? null,
    cwd: started?.cwd ?? "",
    startedAt: first.entry.at,
    updatedAt: last.entry.at,
    title: titleOf(typeof text === "string" ? text : new TextDecoder().decode(shelf.get(text.blob))),
  };
}

function memoryBlobs(shelfOf: (scope: StreamId) => Map<Hash, Uint8Array>): BlobStore {
  return {
    put: async (scope, content) => {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content.slice();
      const hash = hashOf(bytes);
      shelfOf(scope).set(hash, bytes);
      return hash;
    },
    has: async (scope, hash) => shelfOf(scope).has(hash),
    get: async (scope, hash, from = 0, to) => shelfOf(scope).get(hash)?.slice(Math.max(0, from), to) ?? null,
  };
}

function memoryCheckpoints(texts: Map<string, string>): CheckpointStore {
  return {
    save: async (stream, text) => {
      texts.set(keyOf(stream), text);
    },
    load: async (stream) => texts.get(keyOf(stream)) ?? null,
  };
}

function keyOf(stream: StreamId): string {
  return stream.type === "lane" ? `lane ${stream.session} ${stream.lane}` : `project ${stream.project}`;
}
