import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { type WriteAll, writeAll } from "../../src/adapters/store-file-append.ts";
import { brand, mainLane } from "../../src/kernel/ids.ts";
import { decodeLine, encodeLine } from "../../src/log/codec.ts";
import type { Position, StreamId } from "../../src/ports/store.ts";
import {
  appendOne,
  leased,
  linesOf,
  main,
  openStore,
  readAll,
  said,
  started,
  storeWith,
  tempFolder,
} from "./store-files.ts";

const run = promisify(execFile);
const mounts: string[] = [];
afterAll(async () => {
  for (const mount of mounts) await run("umount", [mount]);
});

/** A file system of 64 kB, or null where this user may not mount one. */
async function smallDisk(): Promise<string | null> {
  const folder = await tempFolder();
  try {
    await run("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]);
  } catch {
    return null;
  }
  mounts.push(folder);
  return folder;
}

/** Writes as a disk does that has room for so many bytes: a part, then the error. */
function diskWithRoom(room: { bytes: number }, code: string): WriteAll {
  return async (file, bytes) => {
    const part = bytes.subarray(0, Math.min(room.bytes, bytes.length));
    await writeAll(file, part);
    room.bytes -= part.length;
    if (part.length < bytes.length) throw Object.assign(new Error(`${code}: write`), { code });
  };
}

describe("a disk that takes no more", () => {
  test("an append that did not fit leaves no byte, says why, and works again when there is room", async () => {
    const { root, path } = await storeWith(2);
    const room = { bytes: 100 };
    const { log } = openStore(root, { write: diskWithRoom(room, "ENOSPC") });
    const { fence } = await leased(log.lease(main, "x"));
    const before = await readFile(path);
    const entries = [said("a"), said("b".repeat(500))];
    const full = await log.append({ stream: main, expectedSeq: 2, fence, entries });
    expect(full).toEqual({ type: "refused", why: `the disk is full (ENOSPC): ${path}` });
    expect((await readFile(path)).equals(before)).toBe(true);
    room.bytes = 10_000;
    expect(await log.append({ stream: main, expectedSeq: 2, fence, entries })).toMatchObject({ head: { seq: 4 } });
    const seen = await readAll(openStore(root));
    expect([seen.entries.length, seen.damage]).toEqual([4, []]);
  });

  test("what others wrote behind a failed append is not cut off with it", async () => {
    const { root, path } = await storeWith(2);
    const write: WriteAll = async (file, bytes) => {
      await writeAll(file, bytes.subarray(0, 20));
      await writeFile(path, "somebody else\n", { flag: "a" });
      throw Object.assign(new Error("EIO"), { code: "EIO" });
    };
    const { log } = openStore(root, { write });
    const { fence } = await leased(log.lease(main, "x"));
    const result = await log.append({ stream: main, expectedSeq: 2, fence, entries: [said("a")] });
    expect(result).toMatchObject({ type: "refused", why: expect.stringContaining("EIO") });
    expect(await readFile(path, "utf8")).toContain("somebody else\n");
  });

  test("a real full disk: appends, blobs, checkpoints and leases say so, and go on when there is room", async () => {
    const root = await smallDisk();
    if (root === null) {
      // Not allowed to mount here: the rule is proved by the writer above; this states that it was not the real thing.
      expect(process.getuid?.() === 0 && existsSync("/proc/sys/fs")).toBeDefined();
      return;
    }
    const stores = openStore(root, { sync: true });
    const { fence } = await leased(stores.log.lease(main, "x"));
    await stores.log.append({ stream: main, expectedSeq: 0, fence, entries: [started] });
    const filler = join(root, "filler");
    await writeFile(filler, Buffer.alloc(40_000));
    const big = [said("b".repeat(30_000))];
    const path = join(root, "sessions/s1/main.jsonl");
    const { size } = await stat(path);
    const full = await stores.log.append({ stream: main, expectedSeq: 1, fence, entries: big });
    expect(full).toEqual({ type: "refused", why: `the disk is full (ENOSPC): ${path}` });
    expect((await stat(path)).size).toBe(size);
    await expect(stores.blobs.put(main, "c".repeat(30_000))).rejects.toThrow("the disk is full (ENOSPC)");
    await expect(stores.checkpoints.save(main, "c".repeat(30_000))).rejects.toThrow("ENOSPC");
    await writeFile(join(root, "rest"), Buffer.alloc(30_000)).catch(() => undefined);
    const child: StreamId = { type: "lane", session: brand("s1"), lane: brand("child") };
    expect(await stores.log.lease(child, "x")).toMatchObject({ type: "refused", why: expect.stringContaining("full") });
    await rm(filler);
    await rm(join(root, "rest"));
    expect(await stores.log.append({ stream: main, expectedSeq: 1, fence, entries: big })).toMatchObject({
      head: { seq: 2 },
    });
    expect((await stores.log.lease(child, "x")).type).toBe("leased");
    const parts = (await readdir(join(root, "sessions/s1"), { recursive: true })).filter((name) =>
      name.endsWith(".part"),
    );
    expect(parts).toEqual([]);
  });

  test("a file system that became read-only: writing is refused with the reason, reading and listing go on", async () => {
    const mounted = await smallDisk();
    const root = mounted ?? (await storeWith(1)).root;
    const room = { bytes: 1e9 };
    const stores = openStore(root, mounted === null ? { write: diskWithRoom(room, "EROFS") } : {});
    const lease = await leased(stores.log.lease(main, "x"));
    let expectedSeq = 1;
    if (mounted === null) room.bytes = 0;
    else {
      await stores.log.append({ stream: main, expectedSeq: 0, fence: lease.fence, entries: [started] });
      await run("mount", ["-o", "remount,ro", root]);
      expect(await openStore(root).log.lease({ type: "project", project: brand("p") }, "y")).toMatchObject({
        type: "refused",
        why: expect.stringContaining("read-only (EROFS)"),
      });
      expectedSeq = 1;
    }
    const call = { stream: main, expectedSeq, fence: lease.fence, entries: [said("a")] };
    expect(await stores.log.append(call)).toMatchObject({ type: "refused", why: expect.stringContaining("EROFS") });
    expect((await readAll(stores)).entries.length).toBe(1);
    expect((await stores.log.list({ project: null, limit: 5 })).length).toBe(1);
    await lease.release();
  });

  test("a root that is a file, not a folder, refuses with the reason", async () => {
    const root = join(await tempFolder(), "file");
    await writeFile(root, "");
    const { log } = openStore(root);
    expect(await log.lease(main, "x")).toMatchObject({ type: "refused", why: expect.stringContaining(root) });
    const stream: StreamId = { type: "project", project: brand("p") };
    const entries = [said("a")];
    expect((await log.append({ stream, expectedSeq: 0, fence: null, entries })).type).toBe("refused");
  });
});

describe("long logs", () => {
  test("100,000 lines with text of every width are read in order, and read on at any place without the rest", async () => {
    const root = await tempFolder();
    const path = join(root, "sessions/s1/main.jsonl");
    await mkdir(join(root, "sessions/s1"), { recursive: true });
    await writeFile(path, longLog(100_000));
    const stores = openStore(root);
    let count = 0;
    let middle: Position | null = null;
    let last: Position | null = null;
    const onDamage = () => expect.unreachable("no damage was made");
    const onPosition = (position: Position) => {
      last = position;
      if (position.seq === 99_990) middle = position;
    };
    for await (const entry of stores.log.read(main, null, { onDamage, onPosition })) {
      count += 1;
      if (entry.seq !== count) expect.unreachable(`${entry.seq} after ${count - 1}`);
    }
    expect(count).toBe(100_000);
    const before = await bytesRead();
    const other = openStore(root);
    expect((await readAll(other, middle)).entries.map((entry) => entry.seq)).toEqual(
      Array.from({ length: 10 }, (_, index) => 99_991 + index),
    );
    expect(await appendOne(other, 100_000)).toMatchObject({ type: "appended", head: { seq: 100_001 } });
    expect(await appendOne(other, 100_001)).toMatchObject({ type: "appended", head: { seq: 100_002 } });
    // Where the system does not count, both are 0 and the results above are the proof.
    expect((await bytesRead()) - before).toBeLessThan((await stat(path)).size / 4);
    expect(last).toMatchObject({ seq: 100_000 });
  });
});

describe("what a session keeps", () => {
  test("C-089 · a large body is one blob however often it is put, sub-agents write files of their own", async () => {
    const { root, path } = await storeWith(2);
    const stores = openStore(root);
    const { size } = await stat(path);
    const body = "x".repeat(20 * 1024 * 1024);
    const hashes = new Set([await stores.blobs.put(main, body), await stores.blobs.put(main, body)]);
    const [blob] = hashes;
    if (blob === undefined) throw new Error("no blob");
    expect(hashes.size).toBe(1);
    await appendOne(stores, 2, { type: "message-added", text: { blob, chars: body.length } });
    for (let index = 0; index < 50; index += 1) {
      const stream: StreamId = { type: "lane", session: brand("s1"), lane: brand(`sub-${index}`) };
      const { fence } = await leased(stores.log.lease(stream, "sub"));
      const entries = [started, ...Array.from({ length: 100 }, (_, step) => said(`progress ${step}`))];
      expect((await stores.log.append({ stream, expectedSeq: 0, fence, entries })).type).toBe("appended");
    }
    expect((await stat(path)).size - size).toBeLessThan(1_000);
    const names = await readdir(join(root, "sessions/s1"), { recursive: true });
    expect(names.filter((name) => name.startsWith("blobs/") && name.length > 60).length).toBe(1);
    expect(names.filter((name) => name.endsWith(".jsonl")).length).toBe(51);
    expect((await stores.log.list({ project: null, limit: 100 })).length).toBe(1);
  });

  test("C-091 · files and folders that are not sessions are in no list", async () => {
    const { root } = await storeWith(2);
    await mkdir(join(root, "sessions/agent-1/lanes"), { recursive: true });
    await writeFile(join(root, "sessions/agent-1/lanes/a.jsonl"), "{}\n");
    await writeFile(join(root, "sessions/title.jsonl"), "{}\n");
    await mkdir(join(root, "sessions/.trash"), { recursive: true });
    expect((await openStore(root).log.list({ project: null, limit: 9 })).map((item) => item.session)).toEqual(["s1"]);
  });

  test("a damaged blob is not given out whole, and putting the content again heals it", async () => {
    const { root } = await storeWith(1);
    const { blobs } = openStore(root);
    const hash = await blobs.put(main, "the original");
    const path = join(root, "sessions/s1/blobs", hash.slice(0, 2), hash);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await writeFile(path, "the 0riginal");
    expect(await blobs.get(main, hash)).toBe(null);
    await blobs.put(main, "the original");
    expect(Buffer.from((await blobs.get(main, hash)) ?? []).toString()).toBe("the original");
    expect(await blobs.get(main, brand("../../main.jsonl"))).toBe(null);
    expect(await blobs.has(main, brand("../../main.jsonl"))).toBe(false);
  });

  test("a fork of a damaged log is the same lines, damage and all, and goes on by itself", async () => {
    const { root, path } = await storeWith(6);
    const lines = await linesOf(path);
    await writeFile(path, `${[...lines.slice(0, 3), "junk", ...lines.slice(3)].join("\n")}\n{"torn`);
    const stores = openStore(root);
    const position = await stores.log.fork(main, 4, brand("s2"));
    const copy = await linesOf(join(root, "sessions/s2/main.jsonl"));
    expect(copy).toEqual([...lines.slice(0, 3), "junk", lines[3]]);
    const stream: StreamId = { type: "lane", session: brand("s2"), lane: mainLane };
    const { fence } = await leased(stores.log.lease(stream, "x"));
    expect(await stores.log.append({ stream, expectedSeq: position.seq, fence, entries: [said("x")] })).toMatchObject({
      type: "appended",
      head: { seq: 5 },
    });
    await expect(stores.log.fork({ ...stream, session: brand("none") }, 4, brand("s3"))).rejects.toThrow("none");
    expect(await readdir(join(root, "sessions"))).toEqual(["s1", "s2"]);
  });
});

function longLog(count: number): string {
  const lines: string[] = [];
  let prev: Position["hash"] = "";
  for (let seq = 1; seq <= count; seq += 1) {
    const body = seq === 1 ? started : said(`${"é漢😀".repeat(seq % 40)} ${seq}`);
    const line = encodeLine({ seq, at: seq, fence: 1, prev, body });
    const decoded = decodeLine(line);
    if (decoded.type === "bad") throw new Error(decoded.why);
    prev = decoded.hash;
    lines.push(line);
  }
  return `${lines.join("\n")}\n`;
}

/** Bytes this process has read by system calls, where the system counts them. */
async function bytesRead(): Promise<number> {
  const text = await readFile("/proc/self/io", "utf8").catch(() => "");
  return Number(/^rchar: (\d+)/m.exec(text)?.[1] ?? 0);
}
