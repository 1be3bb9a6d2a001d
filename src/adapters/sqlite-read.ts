import { copyFile, mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { bounds } from "../kernel/bounds.ts";
import { explain } from "./fs-error.ts";

export type OpenDatabase =
  | { readonly type: "open"; readonly database: DatabaseSync; readonly close: () => Promise<void> }
  | { readonly type: "refused"; readonly why: string };

/**
 * Opens somebody else's SQLite file for reading, also while its program writes to it. Nothing is written to it, and no file
 * is made beside it, which a plain read-only connection does to a database with a write-ahead log.
 */
export async function openReadOnly(path: string): Promise<OpenDatabase> {
  let cleanUp = async () => {};
  try {
    const header = await headerOf(path);
    if (header === null) return { type: "refused", why: "it is no SQLite database" };
    const way = await wayTo(path, header);
    if (way.type === "refused") return way;
    cleanUp = way.cleanUp;
    // Loaded only here: it is the one part of Node that warns on older versions.
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(way.url, { readOnly: true, timeout: bounds.databaseWaitMs });
    database.exec("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF");
    return { type: "open", database, close: () => closed(database, way.cleanUp) };
  } catch (error) {
    await cleanUp();
    return { type: "refused", why: explain(error) };
  }
}

/** Whether these are the first bytes of an SQLite file. */
function isSqlite(bytes: Uint8Array): boolean {
  return bytes.length >= magic.length && [...magic].every((char, at) => bytes[at] === char.charCodeAt(0));
}

const magic = "SQLite format 3\0";

/** The first 100 bytes; null where they are not those of a database. */
async function headerOf(path: string): Promise<Uint8Array | null> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(100), 0, 100, 0);
    return bytesRead === 100 && isSqlite(buffer) ? buffer : null;
  } finally {
    await file.close();
  }
}

type Way = { readonly type: "way"; readonly url: URL; readonly cleanUp: () => Promise<void> };

/**
 * ```
 * no write-ahead log in the format   as it is: SQLite's locks keep us apart from a writer
 * its log is absent or empty         immutable: nobody is writing, and no log is made
 * log and its index are there        as it is: their program has it open, both files are there already
 * log without index                  a copy of both: their program died, and reading it would make an index beside it
 * ```
 */
async function wayTo(
  path: string,
  header: Uint8Array,
): Promise<Way | Extract<OpenDatabase, { readonly type: "refused" }>> {
  const url = pathToFileURL(path);
  const [data, log, index] = await Promise.all([sizeOf(path), sizeOf(`${path}-wal`), sizeOf(`${path}-shm`)]);
  const nothing = async () => {};
  if (header[18] !== writeAhead) return { type: "way", url, cleanUp: nothing };
  if (log > 0 && index > 0) return { type: "way", url, cleanUp: nothing };
  if (log > 0 && data + log > bounds.databaseCopyBytesMax)
    return {
      type: "refused",
      why: `its program ended without closing it, and ${data + log} bytes are too many to copy`,
    };
  if (log > 0) return await copied(path);
  url.searchParams.set("immutable", "1");
  return { type: "way", url, cleanUp: nothing };
}

/** The format's version for writing, at byte 18. */
const writeAhead = 2;

async function copied(path: string): Promise<Way> {
  const folder = await mkdtemp(join(tmpdir(), "varve-read-"));
  const cleanUp = () => rm(folder, { recursive: true, force: true });
  const copy = join(folder, "copy.db");
  try {
    await copyFile(path, copy);
    await copyFile(`${path}-wal`, `${copy}-wal`);
    return { type: "way", url: pathToFileURL(copy), cleanUp };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(
    (info) => info.size,
    () => 0,
  );
}

async function closed(database: DatabaseSync, cleanUp: () => Promise<void>): Promise<void> {
  if (database.isOpen) database.close();
  await cleanUp();
}
