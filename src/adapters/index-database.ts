import { open, rm, stat } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";
import { bounds } from "../kernel/bounds.ts";

/** What an index keeps. `version` changes with what its tables hold; `searched`: its full-text tables. */
export type IndexTables = {
  readonly version: number;
  readonly tables: string;
  readonly searched: readonly string[];
  /** Pages that the file may have; left out: as many as the disk has. */
  readonly pagesMax?: number;
};

/**
 * Works with the database of an index: a file that may be deleted, damaged or locked at any time, and then costs a slower
 * search and nothing else. A damaged one is replaced, once. null: there is none to be had.
 */
export async function withIndex<T>(
  path: string,
  given: IndexTables & { readonly check: "whole" | "version" },
  work: (database: DatabaseSync) => Promise<T>,
  isRetry = false,
): Promise<T | null> {
  let database: DatabaseSync | null = null;
  try {
    database = await openIndex(path, given);
    return database === null ? null : await work(database);
  } catch (error) {
    if (database?.isOpen === true) database.close();
    if (!isOfFile(error)) throw error;
    if (!isDamage(error) || isRetry) return null;
    await removeIndexFile(path);
    return await withIndex(path, { ...given, check: "whole" }, work, true);
  } finally {
    if (database?.isOpen === true) database.close();
  }
}

/** null: no file can be had there, or this SQLite has no full-text search. Throws what SQLite says of a damaged one. */
export async function openIndex(
  path: string,
  given: IndexTables & { readonly check: "whole" | "version" },
): Promise<DatabaseSync | null> {
  const isNew = !(await prepared(path));
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path, { timeout: bounds.indexWaitMs });
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF");
    if (given.pagesMax !== undefined) database.exec(`PRAGMA max_page_count = ${given.pagesMax}`);
    if (!isNew) check(database, given);
    if (created(database, given)) return database;
    database.close();
    return null;
  } catch (error) {
    if (database.isOpen) database.close();
    throw error;
  }
}

export async function removeIndexFile(path: string): Promise<void> {
  for (const part of [path, `${path}-wal`, `${path}-shm`]) await rm(part, { recursive: true, force: true });
}

/** Whether this is what SQLite says of a file that is none of ours or no longer whole; not of one that is locked, or a full disk. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedIndex) return true;
  const code = error instanceof Error && "errcode" in error ? error.errcode : null;
  return typeof code === "number" && damageCodes.has(code & 0xff);
}

/** What SQLite or the disk says; anything else is a fault of ours, and is not to look like an index that is not there. */
function isOfFile(error: unknown): boolean {
  if (isDamage(error)) return true;
  return error instanceof Error && ("errcode" in error || "errno" in error || isWithoutSqlite(error));
}

/** This Node was built without it. */
function isWithoutSqlite(error: Error): boolean {
  return "code" in error && error.code === "ERR_UNKNOWN_BUILTIN_MODULE";
}

/** All of the changes or none; false: another process is writing, or the disk or the file is full. */
export function inOneGo(database: DatabaseSync, change: () => void): boolean {
  try {
    database.exec("BEGIN IMMEDIATE");
  } catch (error) {
    if (isDamage(error) || !isOfFile(error)) throw error;
    return false;
  }
  try {
    change();
    database.exec("COMMIT");
    return true;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    if (isDamage(error) || !isOfFile(error)) throw error;
    return false;
  }
}

class DamagedIndex extends Error {}

/** SQLITE_ERROR (a table is missing or another), SQLITE_CORRUPT, SQLITE_NOTADB. */
const damageCodes: ReadonlySet<number> = new Set([1, 11, 26]);

/** Whether a file is there. A new one is ours alone to read; a log left over from one that was deleted is not taken for its own. */
async function prepared(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found !== null && !found.isFile()) throw new DamagedIndex("a folder stands in its place");
  if (found !== null && found.size > 0) return true;
  if (found === null) await removeIndexFile(path);
  await (await open(path, "a", 0o600)).close();
  return false;
}

function check(database: DatabaseSync, { version, searched, check: how }: Parameters<typeof openIndex>[1]): void {
  const found = database.prepare("PRAGMA user_version").get()?.user_version;
  if (found !== 0 && found !== version) throw new DamagedIndex("it was made by another version");
  if (how === "version") return;
  const whole = database.prepare("PRAGMA quick_check(1)").get();
  if (whole?.quick_check !== "ok") throw new DamagedIndex(String(whole?.quick_check));
  if (found === 0) return;
  for (const table of searched) database.exec(`INSERT INTO ${table}(${table}) VALUES ('integrity-check')`);
}

/** False: this SQLite lacks what is needed. Another process may be making the same tables at this moment. */
function created(database: DatabaseSync, { version, tables }: IndexTables): boolean {
  if (database.prepare("PRAGMA user_version").get()?.user_version === version) return true;
  const options = database.prepare("PRAGMA compile_options").all();
  if (!options.some(({ compile_options: name }) => name === "ENABLE_FTS5")) return false;
  database.exec(`BEGIN IMMEDIATE; ${tables} PRAGMA user_version = ${version}; COMMIT`);
  return true;
}
