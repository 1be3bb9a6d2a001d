import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileStore } from "../../src/adapters/store-file.ts";
import { brand, mainLane } from "../../src/kernel/ids.ts";
import { blobsNamedBy } from "../../src/log/blobs.ts";
import { decodeLine } from "../../src/log/codec.ts";
import type { Entry } from "../../src/log/entry.ts";
import type { Damage, StreamId } from "../../src/ports/store.ts";
import { fileDamages, linesIn, logDamages, type Target } from "../support/damage.ts";
import { diceOf } from "../support/dice.ts";
import { type RealSession, realSession, wallClock } from "../support/real-session.ts";

/** Seeds of each kind of damage; 20 were run by hand. */
const seeds = 3;

let real: RealSession;
let other: Buffer;
let stream: StreamId;
beforeAll(async () => {
  real = await realSession();
  const second = await realSession(1);
  other = await readFile(join(second.root, "sessions", second.id, "main.jsonl"));
  await second.remove();
  stream = { type: "lane", session: brand(real.id), lane: mainLane };
});
afterAll(() => real.remove());

async function target(): Promise<{ readonly root: string } & Target> {
  const root = await real.copy();
  const folder = join(root, "sessions", real.id);
  return { root, folder, log: join(folder, "main.jsonl"), otherLog: "" };
}

type Seen = { readonly entries: readonly Entry[]; readonly damage: readonly Damage[]; readonly lostBlobs: number };

async function seen(root: string): Promise<Seen> {
  const { log, blobs } = fileStore({ root, clock: wallClock, sync: false });
  const entries: Entry[] = [];
  const damage: Damage[] = [];
  for await (const entry of log.read(stream, null, { onDamage: (one) => damage.push(one) })) entries.push(entry);
  let lostBlobs = 0;
  for (const hash of new Set(entries.flatMap(blobsNamedBy)))
    if ((await blobs.get(stream, hash).catch(() => null)) === null) lostBlobs += 1;
  return { entries, damage, lostBlobs };
}

const mainOf = (entries: readonly Entry[]) => entries.filter(({ type }) => type !== "line-unreadable");

/** Whatever was done to it: it opens, says what is wrong, goes on with a request that is well-formed, and appends behind all. */
async function goesOn(root: string, before: Seen): Promise<void> {
  const session = await real.open(root);
  const said = [...session.damage];
  const turn = await session.prompt("still there?");
  expect(turn, turn.detail).toMatchObject({ reason: "done", text: "heard: still there?" });
  const request = real.simulation.requests().at(-1);
  expect(request?.violation).toBeNull();
  await session.close();
  const after = await seen(root);
  const kept = after.entries.slice(0, before.entries.length);
  expect(kept).toEqual(before.entries);
  const added = after.entries.slice(before.entries.length);
  const top = Math.max(0, ...before.entries.map(({ seq }) => Math.floor(seq)));
  expect(added.map(({ seq }) => seq)).toEqual(added.map((_, at) => top + 1 + at));
  const lasting = before.damage.filter(({ type }) => type !== "torn-tail");
  expect(after.damage).toEqual(lasting);
  const again = await real.open(root);
  expect(again.damage.map(({ detail }) => detail)).toEqual(
    said.filter(({ type }) => type !== "torn-tail").map(({ detail }) => detail),
  );
  await again.close();
  isDeclared(before, added);
}

/** A break says that something was lost; without one, the next request begins as the one before did. */
function isDeclared(before: Seen, added: readonly Entry[]): void {
  const opened = added.flatMap((entry) => (entry.type === "epoch-opened" ? [entry] : []));
  const isDamaged = before.damage.some(({ type }) => type !== "torn-tail" && type !== "duplicate");
  if (opened.length > 0 && (isDamaged || before.lostBlobs > 0))
    expect(opened[0]?.reason, opened[0]?.detail).toBe("history-damaged");
  if (before.damage.some(({ type }) => type === "unreadable"))
    expect(before.entries.some(({ type }) => type === "line-unreadable")).toBe(true);
}

function isRefusable(bytes: Buffer): boolean {
  const first =
    bytes
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .split(/\r?\n/)
      .find((line) => line.trim() !== "") ?? "";
  return decodeLine(first).type === "bad";
}

describe.each(Object.entries(logDamages))("law 1, 4 · %s", (_name, damage) => {
  test("the session says so once, loses nothing that is intact, and goes on", async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { root, log } = await target();
      const whole = await readFile(log);
      const bytes = damage(whole, diceOf(seed), other);
      await writeFile(log, bytes);
      const before = await seen(root).catch((error: unknown) => error);
      if (before instanceof Error) {
        expect(before.message, `seed ${seed}`).toMatch(/line 1 cannot be read: .*Expected an entry/s);
        expect(isRefusable(bytes), `seed ${seed}`).toBe(true);
        await expect(real.open(root)).rejects.toThrow("line 1 cannot be read");
        continue;
      }
      try {
        isNothingLost(bytes, whole, before as Seen);
        await goesOn(root, before as Seen);
      } catch (error) {
        throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
      }
    }
  });
});

function isNothingLost(bytes: Buffer, whole: Buffer, { entries, damage }: Seen): void {
  const intact = new Set(linesIn(whole));
  const standing = linesIn(bytes)
    .map((line) => line.replace(/\r$/, "").replace(/^\uFEFF/, ""))
    .filter((line) => intact.has(line));
  const wanted = new Set(standing.map((line) => JSON.stringify(entryOf(line))));
  const found = new Set(mainOf(entries).map((entry) => JSON.stringify(entry)));
  const others = new Set(linesIn(other).map((line) => JSON.stringify(entryOf(line))));
  expect(mainOf(entries).filter((entry) => others.has(JSON.stringify(entry)))).toEqual([]);
  expect([...wanted].filter((one) => !found.has(one))).toEqual([]);
  expect(new Set(damage.map((one) => JSON.stringify(one))).size).toBe(damage.length);
  const changed = !bytes.equals(whole) && !bytes.equals(whole.subarray(0, bytes.length)) && bytes[0] !== 0xef;
  const isJoined = bytes.length === whole.length - 1;
  if (changed && !isJoined && linesIn(bytes).join() !== linesIn(whole).join()) expect(damage).not.toEqual([]);
}

function entryOf(line: string): unknown {
  const decoded = decodeLine(line);
  return decoded.type === "ok" ? decoded.entry : null;
}

describe.each(Object.entries(fileDamages))("law 3, 4 · %s", (name, damage) => {
  test("the session says so, and goes on", async () => {
    for (let seed = 1; seed <= Math.ceil(seeds / 2); seed += 1) {
      const at = await target();
      await damage(at, diceOf(seed));
      const before = await seen(at.root);
      if (name === "the folder of blobs is a file") {
        await expect(real.open(at.root).then((session) => session.prompt("x"))).rejects.toThrow(
          "a file stands where a folder is needed",
        );
        continue;
      }
      try {
        await goesOn(at.root, before);
      } catch (error) {
        throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
      }
    }
  });
});
