import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, test } from "vitest";
import { takeLease } from "../../src/adapters/store-file-lease.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { StreamId } from "../../src/ports/store.ts";
import {
  appendOne,
  leased,
  main,
  openStore,
  readAll,
  said,
  storeWith,
  tempFolder,
  tickingClock,
} from "./store-files.ts";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

type Other = { readonly child: ChildProcess; ask(order: string): Promise<unknown>; next(): Promise<unknown> };

/** Another process on the same store (fixtures/store-process.ts). */
function other(root: string, owner: string, job: string, procRoot = "/proc"): Other {
  const script = new URL("./fixtures/store-process.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [script, root, owner, job, procRoot], { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value));
  const ask = async (order: string): Promise<unknown> => {
    child.stdin.write(`${order}\n`);
    return next();
  };
  return { child, ask, next };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

describe("two processes and one session", () => {
  test("C-087 · the second is told who writes and since when; after kill -9 of the first it goes on, no entry lost", async () => {
    const { root } = await storeWith(1);
    const first = other(root, "window 1", "write");
    expect(await first.next()).toMatchObject({ type: "leased" });
    expect(await first.ask("one")).toMatchObject({ type: "appended", head: { seq: 2 } });
    const stores = openStore(root);
    const busy = await stores.log.lease(main, "window 2");
    expect(busy).toMatchObject({ type: "busy", owner: "window 1", since: expect.any(Number) });
    expect(await first.ask("two")).toMatchObject({ type: "appended", head: { seq: 3 } });
    await kill(first.child);
    expect(await appendOne(stores, 3, said("window 2 one"))).toMatchObject({ type: "appended", head: { seq: 4 } });
    const seen = await readAll(openStore(root));
    const texts = seen.entries.map((entry) => (entry.type === "message-added" ? entry.text : entry.type));
    expect(texts).toEqual(["session-started", "window 1 one", "window 1 two", "window 2 one"]);
    expect(seen.damage).toEqual([]);
  });

  test("C-087 · of four processes that take a dead one's lease at once exactly one wins, the others name it", async () => {
    const { root } = await storeWith(1);
    const dead = other(root, "dead", "write");
    expect(await dead.next()).toMatchObject({ type: "leased", fence: 2 });
    await kill(dead.child);
    const takers = ["a", "b", "c", "d"].map((owner) => ({ owner, process: other(root, owner, "race") }));
    await Promise.all(takers.map(({ process }) => process.next()));
    const results = await Promise.all(takers.map(({ process }) => process.ask("go")));
    const types = results.map((result) => (isRecord(result) ? result.type : null));
    expect([...types].sort()).toEqual(["busy", "busy", "busy", "leased"]);
    const winner = takers[types.indexOf("leased")]?.owner;
    expect(await openStore(root).log.lease(main, "late")).toMatchObject({ type: "busy", owner: winner });
  });

  test("a sleeper that lost its lease wakes, is fenced, and what came after it stands", async () => {
    const { root, path } = await storeWith(1);
    const noProc = await tempFolder();
    const sleeper = other(root, "sleeper", "write", noProc);
    const lease = await sleeper.next();
    expect(lease).toMatchObject({ type: "leased", fence: 2 });
    sleeper.child.kill("SIGSTOP");
    const stores = openStore(root, { procRoot: noProc });
    expect(await stores.log.lease(main, "next")).toMatchObject({ type: "busy", owner: "sleeper" });
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(path.replace(".jsonl", ".lease.2"), longAgo, longAgo);
    const taken = await leased(stores.log.lease(main, "next"));
    await stores.log.append({ stream: main, expectedSeq: 1, fence: taken.fence, entries: [said("mine")] });
    sleeper.child.kill("SIGCONT");
    expect(await sleeper.ask("late")).toEqual({ type: "fenced", fence: taken.fence });
    const seen = await readAll(openStore(root));
    expect([seen.entries.length, seen.damage]).toEqual([2, []]);
  });

  test("writers killed at any moment, one after the other, leave every entry they were told of, in one sound chain", async () => {
    const { root } = await storeWith(1);
    let acknowledged = 1;
    for (let round = 0; round < 6; round += 1) {
      const writer = other(root, `writer ${round}`, "rush");
      const upTo = acknowledged + 2 + 2 * ((round * 7) % 5);
      while (acknowledged < upTo) acknowledged = Number(await writer.next());
      await kill(writer.child);
      const seen = await readAll(openStore(root));
      expect(seen.entries.length).toBeGreaterThanOrEqual(acknowledged);
      expect(seen.entries.map((entry) => entry.seq)).toEqual(seen.entries.map((_, index) => index + 1));
      expect(seen.damage.filter(({ type }) => type !== "torn-tail")).toEqual([]);
      acknowledged = seen.entries.length;
    }
  });

  test("two processes add to one project: every entry is there once", async () => {
    const root = await tempFolder();
    const adders = ["a", "b", "c"].map((owner) => other(root, owner, "addToProject"));
    expect(await Promise.all(adders.map((adder) => adder.next()))).toEqual(["done", "done", "done"]);
    const keys: string[] = [];
    const seqs: number[] = [];
    for await (const entry of openStore(root).log.read({ type: "project", project: brand("p1") }, null)) {
      keys.push(entry.type === "context-observed" ? entry.key : entry.type);
      seqs.push(entry.seq);
    }
    expect(new Set(keys).size).toBe(45);
    expect(seqs).toEqual(Array.from({ length: 45 }, (_, index) => index + 1));
  });
});

test("an append to a project waits for another's lock up to its bound, then says whose it is", async () => {
  const stores = openStore(await tempFolder());
  const project: StreamId = { type: "project", project: brand("p1") };
  const held = await leased(stores.log.lease(project, "a long append"));
  const call = { stream: project, expectedSeq: 0, fence: null, entries: [said("x")] };
  const why = `after ${bounds.lockMsMax} ms the project is still being written by a long append`;
  expect(await stores.log.append(call)).toMatchObject({ type: "refused", why });
  const waiting = stores.log.append(call);
  await held.release();
  expect(await waiting).toMatchObject({ type: "appended", head: { seq: 1 } });
});

describe("a lease left behind is taken over", () => {
  const mine = process.pid;
  const rows: readonly {
    readonly name: string;
    readonly claim: { readonly pid?: number; readonly start?: string | null; readonly place?: string } | string;
    readonly silentMs?: number;
    readonly want: "leased" | "busy";
  }[] = [
    { name: "when no process has its number", claim: { pid: 4_000_000 }, want: "leased" },
    { name: "C-087 · when its number belongs to a later process", claim: { pid: mine, start: "1" }, want: "leased" },
    { name: "not while its process lives, however long it is silent", claim: {}, silentMs: 9e9, want: "busy" },
    { name: "when its process has ended but was not waited for", claim: { pid: 77, start: "5000" }, want: "leased" },
    { name: "not while a process whose name looks like fields lives", claim: { pid: 78, start: "6000" }, want: "busy" },
    {
      name: "not from another machine while its heartbeat is fresh",
      claim: { place: "elsewhere" },
      silentMs: bounds.leaseSilentMsMax - 9_000,
      want: "busy",
    },
    {
      name: "from another machine or boot once it is silent",
      claim: { place: "x" },
      silentMs: bounds.leaseSilentMsMax + 5_000,
      want: "leased",
    },
    { name: "not while it is only being written", claim: "", want: "busy" },
    { name: "when it is empty since long ago", claim: "", silentMs: bounds.leaseSilentMsMax + 5_000, want: "leased" },
    {
      name: "when it is junk since long ago",
      claim: '{"pid":"x"}',
      silentMs: bounds.leaseSilentMsMax + 5_000,
      want: "leased",
    },
  ];
  for (const { name, claim, silentMs = 0, want } of rows) {
    test(name, async () => {
      const procRoot = await fakeProc();
      const prefix = join(await tempFolder(), "main.lease.");
      const place = { prefix, procRoot, now: tickingClock().now };
      const whole = { owner: "before", since: 1, pid: mine, start: "4000", place: "boot b pid:[1]" };
      const text = typeof claim === "string" ? claim : `${JSON.stringify({ ...whole, ...claim })}\n`;
      await writeFile(`${prefix}7`, text);
      const then = new Date(Date.now() - silentMs);
      await utimes(`${prefix}7`, then, then);
      const result = await takeLease(place, "after", async () => 0);
      expect(result.type).toBe(want);
      if (result.type !== "leased") return;
      expect(result.fence).toBe(8);
      expect(await readdir(join(prefix, ".."))).toEqual(["main.lease.8"]);
      await result.release();
      expect(await readFile(`${prefix}8`, "utf8")).toMatch(/\nreleased\n$/);
    });
  }

  test("and the fence still grows when the lease files are gone: the log's newest line says the last", async () => {
    const { root } = await storeWith(2);
    const stores = openStore(root);
    for (const seq of [2, 3, 4]) await appendOne(stores, seq);
    const folder = join(root, "sessions/s1");
    for (const name of await readdir(folder)) if (name.includes(".lease.")) await rm(join(folder, name));
    expect((await leased(openStore(root).log.lease(main, "x"))).fence).toBe(5);
  });

  for (const { floor, appears } of [
    { floor: 0, appears: 5 },
    { floor: 9, appears: 3 },
  ]) {
    test(`a taker of ${floor + 1} that meets a ${appears} it had not seen in the folder gives its number up`, async () => {
      const procRoot = await fakeProc();
      const prefix = join(await tempFolder(), "main.lease.");
      const claim = { owner: "first", since: 1, pid: process.pid, start: "4000", place: "boot b pid:[1]" };
      // The time is asked for between the look at the folder and the taking: there the other one comes first.
      const now = () => {
        writeFileSync(prefix + appears, `${JSON.stringify(claim)}\n`);
        return 1;
      };
      const late = await takeLease({ prefix, procRoot, now }, "late", async () => floor);
      expect(late).toEqual({ type: "busy", owner: "first", since: 1 });
      expect(await readdir(join(prefix, ".."))).toEqual([`main.lease.${appears}`]);
    });
  }
});

test("a taker that others are always a moment ahead of gives up after its bound of tries", async () => {
  const prefix = join(await tempFolder(), "main.lease.");
  let taken = 0;
  // Each time it looks away, the number it wants is taken and released again.
  const now = () => {
    taken += 1;
    writeFileSync(prefix + taken, "{}\nreleased\n");
    return taken;
  };
  const result = await takeLease({ prefix, procRoot: "/proc", now }, "slow", async () => 0);
  expect(result).toMatchObject({ type: "busy", owner: "several processes taking it at once" });
  expect(taken).toBe(bounds.leaseAttemptsMax + 1);
});

/** A process table of our own: this process, one that is a zombie, one with a strange name. */
async function fakeProc(): Promise<string> {
  const root = await tempFolder();
  const fields = (state: string, start: string) => `${state} ${"0 ".repeat(18)}${start} 0 0`;
  const files: Readonly<Record<string, string>> = {
    "sys/kernel/random/boot_id": "b\n",
    [`${process.pid}/stat`]: `${process.pid} (node) ${fields("R", "4000")}`,
    "77/stat": `77 (gone) ${fields("Z", "5000")}`,
    "78/stat": `78 (a) Z 1 (b) ${fields("S", "6000")}`,
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, path, ".."), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await mkdir(join(root, "self/ns"), { recursive: true });
  await symlink("pid:[1]", join(root, "self/ns/pid"));
  return root;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
