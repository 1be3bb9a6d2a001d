import { hashOf } from "../kernel/hash.ts";
import { brand } from "../kernel/ids.ts";
import type { EntryBody } from "../log/entry.ts";
import type { LogStore } from "../ports/store.ts";
import {
  all,
  failed,
  fenceOf,
  lane,
  laneOf,
  main,
  type Proof,
  project,
  said,
  started,
  textIn,
  write,
} from "./store-proof.ts";

export const listing: Readonly<Record<string, Proof>> = {
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
  "the lanes of a session are those with a log, its main one and its sub-agents'": async (
    { stores: { log } },
    expect,
  ) => {
    expect(await log.lanes(brand("s1"))).toEqual([]);
    await write(log, main, [started("s1")]);
    await write(log, lane, [started("s1")]);
    await write(log, laneOf("s2"), [started("s2")]);
    await log.lease({ ...lane, lane: brand<"LaneId">("silent") }, "test");
    expect(await log.lanes(brand("s1"))).toEqual(["child", "main"]);
    expect(await log.lanes(brand("s2"))).toEqual(["main"]);
  },
  "a title comes out of a blob too": async ({ stores: { log, blobs } }, expect) => {
    const blob = await blobs.put(main, "long text");
    await write(log, main, [started("s1"), { type: "message-added", text: { blob, chars: 9 } }]);
    expect((await log.list({ project: null, limit: 1 })).map((item) => item.title)).toEqual(["long text"]);
  },
};

export const keeping: Readonly<Record<string, Proof>> = {
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
