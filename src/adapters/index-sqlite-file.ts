import { open, rm, stat } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";
import { bounds } from "../kernel/bounds.ts";
import { tokensOf } from "../tools/recall-words.ts";

export type IndexFile = {
  readonly handles: () => ReadonlyMap<string, number>;
  /** All of them or none; false: another process is writing, and will likely add the same. */
  readonly add: (rows: readonly { readonly handle: string; readonly plain: string }[]) => boolean;
  /** Rows that hold every one of the terms of `words` (whole tokens) and of `parts` (three characters each). */
  readonly rows: (table: "words" | "parts", terms: readonly string[]) => readonly number[];
  readonly close: () => void;
};

/** A change of what the tables hold. */
const formatVersion = 1;

/** null: no file can be had there, or this SQLite has no full-text search. Throws what SQLite says of a damaged one. */
export async function openIndexFile(path: string): Promise<IndexFile | null> {
  const isNew = !(await prepared(path));
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path, { timeout: bounds.indexWaitMs });
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF");
    if (!isNew) check(database);
    if (!created(database)) {
      database.close();
      return null;
    }
    return fileOf(database);
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

function check(database: DatabaseSync): void {
  const whole = database.prepare("PRAGMA quick_check(1)").get();
  const version = database.prepare("PRAGMA user_version").get();
  if (whole?.quick_check !== "ok") throw new DamagedIndex(String(whole?.quick_check));
  if (version?.user_version === 0) return;
  if (version?.user_version !== formatVersion) throw new DamagedIndex("it was made by another version");
  for (const table of ["words", "parts"]) database.exec(`INSERT INTO ${table}(${table}) VALUES ('integrity-check')`);
}

/** False: this SQLite lacks what is needed. Another process may be making the same tables at this moment. */
function created(database: DatabaseSync): boolean {
  if (database.prepare("PRAGMA user_version").get()?.user_version === formatVersion) return true;
  const options = database.prepare("PRAGMA compile_options").all();
  if (!options.some(({ compile_options: name }) => name === "ENABLE_FTS5")) return false;
  database.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS originals (id INTEGER PRIMARY KEY, handle TEXT NOT NULL UNIQUE);
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content='', columnsize=0, detail=none, tokenize='ascii');
    CREATE VIRTUAL TABLE IF NOT EXISTS parts USING fts5(text, content='', columnsize=0, detail=none, tokenize='trigram');
    PRAGMA user_version = ${formatVersion};
    COMMIT`);
  return true;
}

function fileOf(database: DatabaseSync): IndexFile {
  const original = database.prepare("INSERT OR IGNORE INTO originals (handle) VALUES (?)");
  const words = database.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
  const parts = database.prepare("INSERT INTO parts (rowid, text) VALUES (?, ?)");
  const insert = ({ handle, plain }: { readonly handle: string; readonly plain: string }) => {
    const { changes, lastInsertRowid } = original.run(handle);
    if (changes === 0) return;
    // Which tokens there are is all that is kept: where they stand is looked up in the original.
    const tokens = [...new Set(tokensOf(plain))];
    // A longer token is asked for by parts of it only, since no query is as long.
    words.run(lastInsertRowid, tokens.filter((token) => token.length <= bounds.patternCharsMax).join(" "));
    parts.run(lastInsertRowid, tokens.filter((token) => token.length >= 3).join(" "));
  };
  return {
    handles: () =>
      new Map(
        database
          .prepare("SELECT id, handle FROM originals")
          .all()
          .map(({ id, handle }) => [String(handle), Number(id)]),
      ),
    add: (rows) => {
      if (rows.length === 0) return true;
      try {
        database.exec("BEGIN IMMEDIATE");
      } catch (error) {
        if (isDamage(error)) throw error;
        return false;
      }
      try {
        for (const row of rows) insert(row);
        database.exec("COMMIT");
        return true;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        if (isDamage(error)) throw error;
        return false;
      }
    },
    rows: (table, terms) =>
      database
        .prepare(`SELECT rowid FROM ${table} WHERE ${table} MATCH ?`)
        .all(terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(" AND "))
        .map(({ rowid }) => Number(rowid)),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}
