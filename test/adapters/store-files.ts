import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type FileStoreOptions, fileStore } from "../../src/adapters/store-file.ts";
import { brand, mainLane } from "../../src/kernel/ids.ts";
import type { Entry, EntryBody } from "../../src/log/entry.ts";
import type { Damage, Position, Stores, StreamId } from "../../src/ports/store.ts";

export const main: StreamId = { type: "lane", session: brand("s1"), lane: mainLane };
export const started: EntryBody = {
  type: "session-started",
  format: 1,
  session: brand("s1"),
  lane: mainLane,
  project: null,
  cwd: "/work",
  version: "0",
};

export function said(text: string): EntryBody {
  return { type: "message-added", text };
}

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "varve-store-"));
  folders.push(folder);
  return folder;
}

/** A clock that tells another time at each look. */
export function tickingClock() {
  let time = 1_000;
  const now = () => {
    time += 1;
    return time;
  };
  return { now, sleep: async () => undefined };
}

export function openStore(root: string, more: Partial<FileStoreOptions> = {}): Stores {
  return fileStore({ root, clock: tickingClock(), sync: false, ...more });
}

/** A store whose main lane has the first line and `said` entries up to `count`, written by an owner that then let go. */
export async function storeWith(count: number): Promise<{ readonly root: string; readonly path: string }> {
  const root = await tempFolder();
  const { log } = openStore(root);
  const lease = await leased(log.lease(main, "maker"));
  const entries = [started, ...Array.from({ length: count - 1 }, (_, index) => said(`m${index + 2}`))];
  const result = await log.append({ stream: main, expectedSeq: 0, fence: lease.fence, entries });
  if (result.type !== "appended") throw new Error(JSON.stringify(result));
  await lease.release();
  return { root, path: join(root, "sessions/s1/main.jsonl") };
}

export async function leased<T extends { readonly type: string }>(
  lease: Promise<T>,
): Promise<Extract<T, { readonly type: "leased" }>> {
  const result = await lease;
  if (!isLeased(result)) throw new Error(`no lease: ${JSON.stringify(result)}`);
  return result;
}

function isLeased<T extends { readonly type: string }>(result: T): result is Extract<T, { readonly type: "leased" }> {
  return result.type === "leased";
}

export type Seen = {
  readonly entries: readonly Entry[];
  readonly damage: readonly Damage[];
  readonly positions: readonly Position[];
};

export async function readAll(stores: Stores, from: Position | null = null): Promise<Seen> {
  const entries: Entry[] = [];
  const damage: Damage[] = [];
  const positions: Position[] = [];
  const options = { onDamage: (one: Damage) => damage.push(one), onPosition: (one: Position) => positions.push(one) };
  for await (const entry of stores.log.read(main, from, options)) entries.push(entry);
  return { entries, damage, positions };
}

export async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, "utf8")).split("\n").slice(0, -1);
}

/** Writes the lines back, each with its end. */
export async function putLines(path: string, lines: readonly (string | Buffer)[]): Promise<void> {
  await writeFile(path, Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from("\n")])));
}

/** One more entry under a lease of its own. */
export async function appendOne(stores: Stores, expectedSeq: number, body: EntryBody = said("more")) {
  const lease = await leased(stores.log.lease(main, "appender"));
  const result = await stores.log.append({ stream: main, expectedSeq, fence: lease.fence, entries: [body] });
  await lease.release();
  return result;
}
