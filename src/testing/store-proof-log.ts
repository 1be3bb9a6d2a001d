import type { EntryBody } from "../log/entry.ts";
import type { Position } from "../ports/store.ts";
import { all, fenceOf, lane, main, type Proof, project, said, started } from "./store-proof.ts";

export const appending: Readonly<Record<string, Proof>> = {
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

export const reading: Readonly<Record<string, Proof>> = {
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

export const leasing: Readonly<Record<string, Proof>> = {
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
