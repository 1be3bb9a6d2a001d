import type { DatabaseSync } from "node:sqlite";
import { bounds } from "../kernel/bounds.ts";
import { tokensOf } from "../tools/recall-words.ts";
import { type IndexTables, inOneGo, openIndex, withIndex } from "./index-database.ts";

export type IndexFile = {
  readonly handles: () => ReadonlyMap<string, number>;
  /** All of them or none; false: another process is writing, and will likely add the same. */
  readonly add: (rows: readonly { readonly handle: string; readonly plain: string }[]) => boolean;
  /** Rows that hold every one of the terms of `words` (whole tokens) and of `parts` (three characters each). */
  readonly rows: (table: "words" | "parts", terms: readonly string[]) => readonly number[];
  readonly close: () => void;
};

/** null: no file can be had there, or this SQLite has no full-text search. Throws what SQLite says of a damaged one. */
export async function openIndexFile(path: string): Promise<IndexFile | null> {
  const database = await openIndex(path, { ...sessionTables, check: "whole" });
  return database === null ? null : fileOf(database);
}

/** null: there is no index to be had. A damaged one is replaced, once. */
export async function withIndexFile<T>(path: string, work: (file: IndexFile) => Promise<T>): Promise<T | null> {
  return await withIndex(path, { ...sessionTables, check: "whole" }, (database) => work(fileOf(database)));
}

const sessionTables: IndexTables = {
  version: 1,
  searched: ["words", "parts"],
  tables: `
    CREATE TABLE IF NOT EXISTS originals (id INTEGER PRIMARY KEY, handle TEXT NOT NULL UNIQUE);
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content='', columnsize=0, detail=none, tokenize='ascii');
    CREATE VIRTUAL TABLE IF NOT EXISTS parts USING fts5(text, content='', columnsize=0, detail=none, tokenize='trigram');`,
};

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
    add: (rows) =>
      rows.length === 0 ||
      inOneGo(database, () => {
        for (const row of rows) insert(row);
      }),
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
