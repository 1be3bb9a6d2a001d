import { constants } from "node:fs";
import { open, readFile, stat, unlink, utimes } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { LeaseResult } from "../ports/store.ts";
import { codeOf, faultText, nullIfAbsent } from "./store-fault.ts";
import { makeFolder, namesIn } from "./store-folder.ts";
import { lifeOf, markOf, type ProcessMark } from "./store-process.ts";

/**
 * A lease is a file named `<prefix><fence>`. Taking one creates the next number, which the file system lets only one
 * process do; a stale one is never moved or rewritten, so two takers cannot undo each other:
 *
 *     main.lease.7  holder dead     A: creates 8, sees only 7 beside it: leased, removes 7
 *                                   B: creates 8: exists, looks again: busy
 *                                   C (read the folder long ago): creates 8 after it was removed, sees 9: gives up 8
 *
 * The highest number stays when released (a line says so), which is how the fence only ever grows. A holder is alive
 * when its process is (number and start time); where that cannot be known, while its heartbeat is fresh.
 */
export type LeasePlace = { readonly prefix: string; readonly procRoot: string; readonly now: () => number };

const heartbeatMs = 5_000;

/** `floorOf`: the newest fence in the log, for when the lease files were lost. */
export async function takeLease(
  place: LeasePlace,
  owner: string,
  floorOf: () => Promise<number>,
): Promise<LeaseResult> {
  try {
    await makeFolder(dirname(place.prefix));
    const floor = await floorOf();
    const here = await markOf(process.pid, place.procRoot);
    for (let attempt = 0; attempt < bounds.leaseAttemptsMax; attempt += 1) {
      const before = await fencesIn(place.prefix);
      for (const fence of before) {
        const holder = await holderOf(place, fence, here);
        if (holder.type === "busy") return holder;
      }
      const fence = Math.max(floor, ...before) + 1;
      if (!(await create(place, fence, { owner, since: place.now(), ...here }))) continue;
      const beside = (await fencesIn(place.prefix)).filter((other) => other !== fence);
      if (beside.every((other) => before.includes(other))) {
        for (const other of beside) await remove(place.prefix + other);
        return { type: "leased", fence, release: keepAlive(place.prefix + fence) };
      }
      await remove(place.prefix + fence);
    }
    return { type: "busy", owner: "several processes taking it at once", since: place.now() };
  } catch (error) {
    return { type: "refused", why: faultText(error, dirname(place.prefix)) };
  }
}

/** null while the lease is held under this fence, else the newest fence there is. */
export async function newerFence(prefix: string, fence: number): Promise<number | null> {
  const text = await readFile(prefix + fence, "utf8").catch(nullIfAbsent);
  if (text !== null && !isReleased(text)) return null;
  return Math.max(0, ...(await fencesIn(prefix)));
}

async function fencesIn(prefix: string): Promise<readonly number[]> {
  const names = await namesIn(dirname(prefix));
  const begin = basename(prefix);
  const numbers = names.filter((name) => name.startsWith(begin)).map((name) => name.slice(begin.length));
  return numbers.filter((text) => /^[1-9]\d{0,14}$/.test(text)).map(Number);
}

type Holder = { readonly type: "free" } | Extract<LeaseResult, { readonly type: "busy" }>;

async function holderOf(place: LeasePlace, fence: number, here: ProcessMark): Promise<Holder> {
  const path = place.prefix + fence;
  const text = await readFile(path, "utf8").catch(nullIfAbsent);
  const info = await stat(path).catch(nullIfAbsent);
  if (text === null || info === null || isReleased(text)) return { type: "free" };
  const claim = claimOf(text);
  const life = claim === null ? "unknown" : await lifeOf(claim, here, place.procRoot);
  // A clock that was put back leaves heartbeats in a future that may never come.
  const silentMs = Math.abs(Date.now() - info.mtimeMs);
  if (life === "dead" || (life === "unknown" && silentMs > bounds.leaseSilentMsMax)) return { type: "free" };
  return { type: "busy", owner: claim?.owner ?? "a process that has just begun", since: claim?.since ?? info.mtimeMs };
}

type Claim = ProcessMark & { readonly owner: string; readonly since: number };

function claimOf(text: string): Claim | null {
  const parsed = parseJson(text);
  if (parsed.type === "bad" || !isRecord(parsed.value)) return null;
  const { owner, since, pid, start, place } = parsed.value;
  if (typeof owner !== "string" || typeof since !== "number" || typeof pid !== "number") return null;
  if (typeof place !== "string" || (start !== null && typeof start !== "string")) return null;
  return { owner, since, pid, start, place };
}

/** False when another process has created this number first. */
async function create(place: LeasePlace, fence: number, claim: Claim): Promise<boolean> {
  const file = await open(place.prefix + fence, "wx", 0o600).catch((error: unknown) => {
    if (codeOf(error) === "EEXIST") return null;
    throw error;
  });
  if (file === null) return false;
  try {
    await file.writeFile(`${JSON.stringify(claim)}\n`);
  } catch (error) {
    // A disk too full for a hundred bytes: the empty file would keep others waiting for no one.
    await remove(place.prefix + fence);
    throw error;
  } finally {
    await file.close();
  }
  return true;
}

function keepAlive(path: string): () => Promise<void> {
  const beat = setInterval(() => {
    const now = new Date();
    // A lease that was taken over has no file any more; the next append says so.
    utimes(path, now, now).catch(() => clearInterval(beat));
  }, heartbeatMs);
  beat.unref();
  let released: Promise<void> | null = null;
  return () => {
    clearInterval(beat);
    released ??= markReleased(path);
    return released;
  };
}

/**
 * Appends to the file, and never creates it: whoever took the lease over has removed it. Where it cannot be written
 * (the disk became read-only), the lease ends with this process.
 */
async function markReleased(path: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND).catch(() => null);
  if (file === null) return;
  try {
    await file.writeFile("released\n");
  } catch {
    // On a full disk not even this word may fit. Without the file nobody holds the lease either.
    await remove(path);
  } finally {
    await file.close();
  }
}

function isReleased(text: string): boolean {
  return text.endsWith("\nreleased\n");
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch(nullIfAbsent);
}
