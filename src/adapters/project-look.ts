import { setImmediate } from "node:timers/promises";
import { bounds } from "../kernel/bounds.ts";
import { brand } from "../kernel/ids.ts";
import { type Piece, piecesOf } from "../memory/pieces.ts";
import type { Clock } from "../ports/world.ts";
import type { Mask } from "../secrets/mask.ts";
import type { Change, ProjectDatabase } from "./project-database.ts";
import { originalPieces } from "./project-documents.ts";
import type { Listed, ListedFile, ProjectFiles } from "./project-files.ts";
import { detailOf, type ProjectSessions, sessionsRoot } from "./project-sessions.ts";

export type Looking = {
  readonly database: ProjectDatabase;
  readonly files: ProjectFiles;
  readonly sessions: ProjectSessions;
  readonly mask: Mask;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** What of the project the index does not have yet. */
export type Behind = { readonly files: number; readonly sessions: number; readonly why: "time" | "busy" };

/** Brings the index up to date: files by root, then sessions; in short transactions, each whole, until the time is over. */
export async function lookAt(
  looking: Looking,
  listed: ReadonlyMap<string, Listed>,
  withSessions: boolean,
): Promise<Behind> {
  const until = looking.clock.now() + bounds.projectLookMsMax;
  const writer = batches(looking, until);
  let files = 0;
  for (const [root, listing] of listed) files += await lookAtFiles(looking, root, listing, writer);
  await removeLostRoots(looking, writer);
  const sessions = withSessions ? await lookAtSessions(looking, writer) : 0;
  await writer.end();
  const left = { files: files + writer.lost("file"), sessions: sessions + writer.lost("session") };
  return { ...left, why: writer.isBusy() ? "busy" : "time" };
}

type Writer = {
  /** False: the time is over, or another process is writing. */
  readonly add: (change: Change, chars: number) => Promise<boolean>;
  readonly end: () => Promise<void>;
  readonly isBusy: () => boolean;
  /** Documents that were to be put in and could not. */
  readonly lost: (kind: "file" | "session") => number;
};

const batchChars = 256 * 1024;

function batches({ database, clock, signal }: Looking, until: number): Writer {
  let [batch, chars, busy]: [Change[], number, boolean] = [[], 0, false];
  const lost = { file: 0, session: 0 };
  const flush = async (): Promise<void> => {
    for (let tries = 0; !busy && !database.write(batch); tries++) {
      // Another process that indexes is done with a batch in a moment.
      busy = tries >= writesMax || signal.aborted || clock.now() >= until;
      if (!busy) await clock.sleep(writeDelayMs);
    }
    if (busy) for (const { type } of batch) lost[type === "looked" ? "session" : "file"] += 1;
    [batch, chars] = [[], 0];
    await setImmediate();
  };
  return {
    isBusy: () => busy,
    lost: (kind) => lost[kind],
    end: flush,
    add: async (change, size) => {
      batch.push(change);
      chars += size;
      if (chars >= batchChars) await flush();
      return !busy && !signal.aborted && clock.now() < until;
    },
  };
}

const writesMax = 5;
const writeDelayMs = 50;

/** How many files the index does not have yet. */
async function lookAtFiles(looking: Looking, root: string, listed: Listed, writer: Writer): Promise<number> {
  const { database, files } = looking;
  const known = database.stored(root);
  const names = new Set(listed.files.map(({ path }) => path));
  for (const name of known.keys()) {
    const isGone = !names.has(name) && (listed.partial === null || !files.isThere(name));
    if (isGone && !(await writer.add({ type: "gone", name }, removedChars))) return listed.files.length;
  }
  const changed = listed.files.filter(({ path, stamp }) => known.get(path)?.stamp !== stamp);
  for (let at = 0; at < changed.length; at += readsAtOnce) {
    const some = changed.slice(at, at + readsAtOnce);
    const changes = await Promise.all(some.map((file) => changeOf(files, file, root, known.get(file.path)?.hash)));
    let isTime = true;
    for (const [change, chars] of changes) isTime = await writer.add(change, chars);
    if (!isTime) return changed.length - Math.min(changed.length, at + readsAtOnce);
  }
  return 0;
}

/** What taking a document out costs, beside what putting one in does. */
const removedChars = 2_000;
const readsAtOnce = 16;

async function changeOf(
  files: ProjectFiles,
  { path, below, kind, stamp }: ListedFile,
  root: string,
  hash: string | undefined,
): Promise<readonly [Change, number]> {
  const read = await files.read(path);
  const stored = { name: path, kind, root, stamp, title: below, detail: "" };
  // No text: known as such, so that it is not read again.
  if (read === null) return [{ type: "put", stored: { ...stored, hash: "" }, pieces: [] }, removedChars];
  if (read.hash === hash) return [{ type: "stamped", name: path, stamp }, 100];
  const pieces = piecesOf(kind, read.text);
  return [{ type: "put", stored: { ...stored, hash: read.hash }, pieces }, read.text.length];
}

/** A worktree or folder that is no longer there leaves with all its files. */
async function removeLostRoots({ database, files }: Looking, writer: Writer): Promise<void> {
  for (const root of database.roots()) {
    if (root === sessionsRoot || files.roots.includes(root) || (await files.isFolder(root))) continue;
    for (const name of database.stored(root).keys())
      if (!(await writer.add({ type: "gone", name }, removedChars))) return;
  }
}

/** How many sessions the index does not have all of yet. */
async function lookAtSessions(looking: Looking, writer: Writer): Promise<number> {
  const { database, sessions, mask } = looking;
  const all = await sessions.list();
  const isLost = await removeLostSessions(looking, new Set(all.map(({ session }) => session)), writer);
  const looked = isLost ? new Map<string, string>() : database.looked();
  // The own session has grown, if only by the call at hand.
  const changed = all.filter(({ session, stamp }) => session === sessions.own || looked.get(session) !== stamp);
  if (changed.length === 0) return 0;
  const known = new Set(database.stored(sessionsRoot).keys());
  for (const [at, { session, stamp }] of changed.entries()) {
    for (const stored of await sessions.originals(session)) {
      if (known.has(stored.name)) continue;
      known.add(stored.name);
      const detail = detailOf(stored.detail);
      const pieces = detail === null ? [] : await originalPieces(sessions, mask, detail);
      const isTime = await writer.add({ type: "put", stored, pieces }, charsOf(pieces) + 100);
      if (!isTime) return changed.length - at;
    }
    await writer.add({ type: "looked", session, stamp }, 0);
  }
  return 0;
}

/** One that was deleted leaves with all it said; what others said too was known as its own, so they are looked through again. */
async function removeLostSessions(
  { database, sessions }: Looking,
  listed: ReadonlySet<string>,
  writer: Writer,
): Promise<boolean> {
  let isLost = false;
  for (const session of database.sessions()) {
    if (listed.has(session) || (await sessions.isThere(brand(session)))) continue;
    isLost = true;
    for (const name of database.originalsOf(session))
      if (!(await writer.add({ type: "gone", name }, removedChars))) return isLost;
  }
  if (isLost) await writer.add({ type: "unlooked" }, 0);
  if (isLost) await writer.end();
  return isLost;
}

function charsOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + text.length, 0);
}
