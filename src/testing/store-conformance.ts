import { hashOf } from "../kernel/hash.ts";
import { brand, mainLane, type ProjectId, type SessionId } from "../kernel/ids.ts";
import type { Entry, EntryBody } from "../log/entry.ts";
import type { LogStore, Position, Stores, StreamId } from "../ports/store.ts";

/** A store under test. `now` sets the time that it reads. */
export type StoreUnderTest = { readonly stores: Stores; readonly now: (ms: number) => void };

/** The test runner's own functions come from outside, so that any runner will do. */
export type Runner = {
  readonly test: (name: string, body: () => Promise<void>) => void;
  readonly expect: (value: unknown) => { toEqual(wanted: unknown): void; toBe(wanted: unknown): void };
};

type Suite = Runner & { readonly name: string; readonly make: () => Promise<StoreUnderTest> };

/** Registers what every store must do. `make` gives a fresh, empty one for each test. */
export function storeConformance(suite: Suite): void {
  for (const [rule, prove] of Object.entries({ ...appending, ...reading, ...leasing, ...listing, ...keeping })) {
    suite.test(`${suite.name} · ${rule}`, async () => prove(await suite.make(), suite.expect));
  }
}

type Proof = (under: StoreUnderTest, expect: Runner["expect"]) => Promise<void>;

const appending: Readonly<Record<string, Proof>> = {
  "an append is numbered on, stamped with the store's time, and read back as returned": async (
    { stores, now },
    expect,
  ) => {
    const { log } = stores;
    now(1_000);
    const fence = await fenceOf(log, main);
    const first = await log.append({ stream: main, expectedSeq: 0, fence, entries: [started("s1"), said("one")] });
    now(2_000);
    const second = await log.append({ stream: main, expectedSeq: 2, fence, entries: [said("two")] });
    const read = await all(log, main);
    expect(read.map((entry) => [entry.seq, entry.at])).toEqual([
      [1, 1_000],
      [2, 1_000],
      [3, 2_000],
    ]);
    const returned = [first, second].flatMap((result) => (result.type === "appended" ? result.entries : []));
    expect(read).toEqual(returned);
  },
  "an append behind others' entries conflicts, names the head and writes nothing": async (
    { stores: { log } },
    expect,
  ) => {
    const fence = await fenceOf(log, main);
    await log.append({ stream: main, expectedSeq: 0, fence, entries: [started("s1"), said("one")] });
    const result = await log.append({ stream: main, expectedSeq: 1, fence, entries: [said("late")] });
    expect([result.type, result.type === "conflict" && result.head.seq]).toEqual(["conflict", 2]);
    const ahead = await log.append({ stream: main, expectedSeq: 9, fence, entries: [said("early")] });
    expect(ahead.type).toBe("conflict");
    expect((await all(log, main)).length).toBe(2);
  },
  "of appends started at once with one expected number exactly one is written": async ({ stores: { log } }, expect) => {
    const fence = await fenceOf(log, main);
    const call = (text: string) => log.append({ stream: main, expectedSeq: 0, fence, entries: [said(text)] });
    const results = await Promise.all(["a", "b", "c", "d"].map(call));
    expect(results.map((result) => result.type).sort()).toEqual(["appended", "conflict", "conflict", "conflict"]);
    expect((await all(log, main)).length).toBe(1);
  },
  "an append without a lease is refused, one under an old fence is fenced": async ({ stores: { log } }, expect) => {
    const lease = await log.lease(main, "first");
    if (lease.type !== "leased") throw new Error("the first lease was not given");
    const bare = await log.append({ stream: main, expectedSeq: 0, fence: null, entries: [said("x")] });
    expect(bare.type).toBe("refused");
    await lease.release();
    const later = await fenceOf(log, main);
    const stale = await log.append({ stream: main, expectedSeq: 0, fence: lease.fence, entries: [said("x")] });
    expect(stale).toEqual({ type: "fenced", fence: later });
    expect(await all(log, main)).toEqual([]);
  },
  "an entry that could not be read again is not written": async ({ stores: { log } }, expect) => {
    const fence = await fenceOf(log, main);
    const broken: EntryBody = { type: "limit-learned", model: "m", inputTokensMax: Number.NaN, from: "error" };
    const result = await log.append({ stream: main, expectedSeq: 0, fence, entries: [said("x"), broken] });
    expect(result.type).toBe("refused");
    expect(await all(log, main)).toEqual([]);
  },
  "an append of nothing appends nothing and tells the head": async ({ stores: { log } }, expect) => {
    const fence = await fenceOf(log, main);
    await log.append({ stream: main, expectedSeq: 0, fence, entries: [said("x")] });
    const result = await log.append({ stream: main, expectedSeq: 1, fence, entries: [] });
    expect([result.type, result.type === "appended" && result.head.seq]).toEqual(["appended", 1]);
  },
  "a project stream needs no lease: compare and retry loses no entry": async ({ stores: { log } }, expect) => {
    const add = async (key: string): Promise<void> => {
      for (let expectedSeq = 0; ; ) {
        const entries: EntryBody[] = [{ type: "context-observed", key, text: "" }];
        const result = await log.append({ stream: project, expectedSeq, fence: null, entries });
        if (result.type === "appended") return;
        if (result.type !== "conflict") throw new Error(result.type);
        expectedSeq = result.head.seq;
      }
    };
    await Promise.all(["a", "b", "c", "d", "e"].map(add));
    const keys = (await all(log, project)).map((entry) => (entry.type === "context-observed" ? entry.key : ""));
    expect([...keys].sort()).toEqual(["a", "b", "c", "d", "e"]);
  },
};

const reading: Readonly<Record<string, Proof>> = {
  "a log that does not exist reads as empty": async ({ stores: { log } }, expect) => {
    expect(await all(log, main)).toEqual([]);
  },
  "reading goes on after any position it told of, with its hint and without": async ({ stores: { log } }, expect) => {
    const fence = await fenceOf(log, main);
    const texts = ["a", "b", "emoji 😀 and 漢字", "d"];
    await log.append({ stream: main, expectedSeq: 0, fence, entries: texts.map(said) });
    const positions: Position[] = [];
    const whole = await all(log, main, null, (position) => positions.push(position));
    expect(positions.map((position) => position.seq)).toEqual([1, 2, 3, 4]);
    for (const [index, position] of positions.entries()) {
      const { seq, hash } = position;
      const wanted = whole.slice(index + 1);
      expect(await all(log, main, position)).toEqual(wanted);
      expect(await all(log, main, { seq, hash })).toEqual(wanted);
      expect(await all(log, main, { seq, hash, hint: "1:0:5" })).toEqual(wanted);
      expect(await all(log, main, { seq, hash: "" })).toEqual(wanted);
    }
  },
  "the head that an append tells of is a position to read on from": async ({ stores: { log } }, expect) => {
    const fence = await fenceOf(log, main);
    const first = await log.append({ stream: main, expectedSeq: 0, fence, entries: [said("a"), said("b")] });
    await log.append({ stream: main, expectedSeq: 2, fence, entries: [said("c")] });
    if (first.type !== "appended") throw new Error(first.type);
    expect((await all(log, main, first.head)).map((entry) => entry.seq)).toEqual([3]);
  },
  "following meets what is appended later, in order, until its signal aborts": async ({ stores: { log } }, expect) => {
    const fence = await fenceOf(log, main);
    const stop = new AbortController();
    const seen: number[] = [];
    const following = (async () => {
      for await (const entry of log.read(main, null, { follow: stop.signal })) {
        seen.push(entry.seq);
        if (entry.seq === 4) stop.abort();
      }
    })();
    for (let seq = 0; seq < 4; seq += 1) {
      await log.append({ stream: main, expectedSeq: seq, fence, entries: [said(`n${seq}`)] });
    }
    await following;
    expect(seen).toEqual([1, 2, 3, 4]);
  },
  "following with an aborted signal reads what is there and ends": async ({ stores: { log } }, expect) => {
    const fence = await fenceOf(log, main);
    await log.append({ stream: main, expectedSeq: 0, fence, entries: [said("a")] });
    const seen: number[] = [];
    for await (const entry of log.read(main, null, { follow: AbortSignal.abort() })) seen.push(entry.seq);
    expect(seen).toEqual([1]);
  },
};

const leasing: Readonly<Record<string, Proof>> = {
  "a second taker is told who writes and since when": async ({ stores: { log }, now }, expect) => {
    now(5_000);
    await fenceOf(log, main, "terminal 1");
    now(9_000);
    expect(await log.lease(main, "terminal 2")).toEqual({ type: "busy", owner: "terminal 1", since: 5_000 });
  },
  "of takers at once exactly one wins": async ({ stores: { log } }, expect) => {
    const results = await Promise.all(["a", "b", "c", "d", "e"].map((owner) => log.lease(main, owner)));
    expect(results.filter((result) => result.type === "leased").length).toBe(1);
  },
  "a released lease can be taken again, under a higher fence each time": async ({ stores: { log } }, expect) => {
    const fences: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const lease = await log.lease(main, "again");
      if (lease.type !== "leased") throw new Error(lease.type);
      fences.push(lease.fence);
      await lease.release();
      await lease.release();
    }
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  },
  "each lane has its own writer, and readers take no lease": async ({ stores: { log } }, expect) => {
    await fenceOf(log, main);
    expect((await log.lease(lane, "child")).type).toBe("leased");
    expect(await all(log, main)).toEqual([]);
  },
};

const listing: Readonly<Record<string, Proof>> = {
  "C-091 · the list has the session alone, not its sub-agents, newest first": async (
    { stores: { log }, now },
    expect,
  ) => {
    for (const [id, at] of [
      ["s1", 10],
      ["s2", 30],
      ["s3", 20],
    ] as const) {
      now(at);
      await write(log, laneOf(id), [started(id), said(`  hello\nfrom ${id} `)]);
    }
    now(99);
    for (const id of ["a", "b", "c"])
      await write(log, { ...lane, lane: brand<"LaneId">(id) }, [started("s1"), said("sub")]);
    const listed = await log.list({ project: null, limit: 10 });
    expect(listed.map((session) => session.session)).toEqual(["s2", "s3", "s1"]);
    const [newest] = listed;
    const wanted = { session: "s2", project: "p1", cwd: "/work", startedAt: 30, updatedAt: 30, title: "hello from s2" };
    expect(newest).toEqual(wanted);
  },
  "the list is cut to a project, and read on behind a session": async ({ stores: { log }, now }, expect) => {
    for (const [id, at] of [
      ["s1", 10],
      ["s2", 30],
      ["s3", 20],
    ] as const) {
      now(at);
      await write(log, laneOf(id), [started(id, id === "s2" ? "p2" : "p1")]);
    }
    const ids = async (call: Parameters<LogStore["list"]>[0]) => (await log.list(call)).map((item) => item.session);
    expect(await ids({ project: brand("p1"), limit: 10 })).toEqual(["s3", "s1"]);
    expect(await ids({ project: null, limit: 2 })).toEqual(["s2", "s3"]);
    expect(await ids({ project: null, limit: 2, after: brand("s3") })).toEqual(["s1"]);
    expect(await ids({ project: null, limit: 2, after: brand("unknown") })).toEqual([]);
  },
  "a title comes out of a blob too": async ({ stores: { log, blobs } }, expect) => {
    const blob = await blobs.put(main, "long text");
    await write(log, main, [started("s1"), { type: "message-added", text: { blob, chars: 9 } }]);
    expect((await log.list({ project: null, limit: 1 })).map((item) => item.title)).toEqual(["long text"]);
  },
};

const keeping: Readonly<Record<string, Proof>> = {
  "a fork has the first entries and the blobs, goes on by itself, and leaves the original": async (
    { stores },
    expect,
  ) => {
    const { log, blobs } = stores;
    const hash = await blobs.put(main, "kept");
    await write(log, main, [started("s1"), said("one"), said("two")]);
    const copy = laneOf("s2");
    const position = await log.fork(main, 2, brand("s2"));
    expect(position.seq).toBe(2);
    const fence = await fenceOf(log, copy);
    const forked: EntryBody = { type: "session-forked", session: brand("s2"), from: brand("s1"), fromSeq: 2 };
    expect((await log.append({ stream: copy, expectedSeq: 2, fence, entries: [forked] })).type).toBe("appended");
    const original = await all(log, main);
    expect((await all(log, copy)).slice(0, 2)).toEqual(original.slice(0, 2));
    expect(original.length).toBe(3);
    expect((await all(log, copy, position)).map((entry) => entry.type)).toEqual(["session-forked"]);
    expect(await blobs.has(copy, hash)).toBe(true);
    expect(await failed(log.fork(main, 2, brand("s2")))).toBe(true);
    expect((await all(log, copy)).length).toBe(3);
  },
  "a blob is kept once under its hash, shared by the lanes of a session, read whole and in part": async (
    { stores },
    expect,
  ) => {
    const { blobs } = stores;
    const hash = await blobs.put(main, "0123456789é");
    expect(hash).toBe(hashOf("0123456789é"));
    expect(await blobs.put(lane, new TextEncoder().encode("0123456789é"))).toBe(hash);
    expect(textIn(await blobs.get(lane, hash))).toBe("0123456789é");
    expect(textIn(await blobs.get(main, hash, 2, 5))).toBe("234");
    expect(textIn(await blobs.get(main, hash, 8))).toBe("89é");
    expect(textIn(await blobs.get(main, hash, 8, 999))).toBe("89é");
    expect(textIn(await blobs.get(main, hash, 50, 60))).toBe("");
    expect(await blobs.has(laneOf("s2"), hash)).toBe(false);
    expect(await blobs.get(main, hashOf("never put"))).toBe(null);
    expect(await blobs.put(project, "")).toBe(hashOf(""));
    expect(textIn(await blobs.get(project, hashOf("")))).toBe("");
  },
  "a checkpoint is one text per stream, the newest": async ({ stores: { checkpoints } }, expect) => {
    expect(await checkpoints.load(main)).toBe(null);
    await checkpoints.save(main, "one");
    await checkpoints.save(main, "two");
    await checkpoints.save(lane, "other");
    expect(await checkpoints.load(main)).toBe("two");
    expect(await checkpoints.load(lane)).toBe("other");
  },
};

const main = laneOf("s1");
const lane = { ...laneOf("s1"), lane: brand<"LaneId">("child") };
const project: StreamId = { type: "project", project: brand("p1") };

function laneOf(id: string): Extract<StreamId, { type: "lane" }> {
  const session: SessionId = brand(id);
  return { type: "lane", session, lane: mainLane };
}

function started(id: string, owner = "p1"): EntryBody {
  const [session, project]: [SessionId, ProjectId] = [brand(id), brand(owner)];
  return { type: "session-started", format: 1, session, lane: mainLane, project, cwd: "/work", version: "0" };
}

function said(text: string): EntryBody {
  return { type: "message-added", text };
}

async function fenceOf(log: LogStore, stream: StreamId, owner = "test"): Promise<number> {
  const lease = await log.lease(stream, owner);
  if (lease.type !== "leased") throw new Error(`no lease: ${JSON.stringify(lease)}`);
  return lease.fence;
}

async function write(log: LogStore, stream: StreamId, entries: readonly EntryBody[]): Promise<void> {
  const result = await log.append({ stream, expectedSeq: 0, fence: await fenceOf(log, stream), entries });
  if (result.type !== "appended") throw new Error(`not appended: ${JSON.stringify(result)}`);
}

async function all(
  log: LogStore,
  stream: StreamId,
  from: Position | null = null,
  onPosition: (position: Position) => void = () => undefined,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of log.read(stream, from, { onPosition })) entries.push(entry);
  return entries;
}

function textIn(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

async function failed(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    () => true,
  );
}
