import type { DatabaseSync } from "node:sqlite";
import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import type { Piece } from "../memory/pieces.ts";
import type { Source } from "../memory/project-file.ts";
import { rememberedStems, termsOf } from "../memory/retrieval-terms.ts";
import { type IndexTables, inOneGo } from "./index-database.ts";
import { partText, type TermsAsked, termText } from "./project-terms.ts";

/** A document as the index knows it. `name`: the path of a file, the handle of an original. `root`: below which it was found. */
export type Stored = {
  readonly name: string;
  readonly kind: Source;
  readonly root: string;
  /** Size and times of a file: while they stay, so does its content. */
  readonly stamp: string;
  readonly hash: string;
  /** What of a file its words are compared with: its path below the root. */
  readonly title: string;
  /** Of an original: where it was archived, as JSON. */
  readonly detail: string;
};

export type Change =
  | { readonly type: "put"; readonly stored: Stored; readonly pieces: readonly Piece[] }
  | { readonly type: "stamped"; readonly name: string; readonly stamp: string }
  | { readonly type: "gone"; readonly name: string }
  /** A session was looked through. */
  | { readonly type: "looked"; readonly session: string; readonly stamp: string }
  /** All are to be looked through again. */
  | { readonly type: "unlooked" };

export type ProjectDatabase = {
  /** Stamps and hashes of what lies below a root, by name. */
  readonly stored: (root: string) => ReadonlyMap<string, { readonly stamp: string; readonly hash: string }>;
  readonly roots: () => readonly string[];
  readonly looked: () => ReadonlyMap<string, string>;
  /** All or none; false: another process is writing, or the file or the disk is full. */
  readonly write: (changes: readonly Change[]) => boolean;
  /** Documents of a kind below a root with pieces that hold any of the terms, the likeliest piece first. */
  readonly holding: (asked: Asked) => readonly Stored[];
  /** Where an original was archived, by its handle; null: it is not known. */
  readonly detail: (handle: string) => string | null;
  /** Sessions that originals are of, and what is known of one. */
  readonly sessions: () => readonly string[];
  readonly originalsOf: (session: string) => readonly string[];
  readonly pieces: () => number;
  readonly piecesWith: (term: string) => number;
};

export type Asked = TermsAsked & { readonly kind: Source; readonly root: string };

/** Terms and tables as this program makes them: another version's are made anew. */
function versionOf(): number {
  const probe = "getUserByEmail_v2 HTTPServer caching policies 登录失败 naïve re-use running Straße 🚀 a.b/c_d";
  return Number.parseInt(hashOf(`3 ${termsOf(probe).join(" ")}`).slice(0, 7), 16) + 1;
}

export function projectTables(): IndexTables {
  return {
    version: versionOf(),
    pagesMax: bounds.projectPagesMax,
    searched: ["words", "parts"],
    tables: `
      CREATE TABLE IF NOT EXISTS documents (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
        root TEXT NOT NULL, stamp TEXT NOT NULL, hash TEXT NOT NULL, title TEXT NOT NULL, detail TEXT NOT NULL);
      CREATE INDEX IF NOT EXISTS documents_by_root ON documents (root);
      CREATE TABLE IF NOT EXISTS pieces (id INTEGER PRIMARY KEY, document INTEGER NOT NULL);
      CREATE INDEX IF NOT EXISTS pieces_by_document ON pieces (document);
      CREATE TABLE IF NOT EXISTS looked (session TEXT PRIMARY KEY, stamp TEXT NOT NULL);
      CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(title, body, content='', contentless_delete=1, tokenize='ascii');
      CREATE VIRTUAL TABLE IF NOT EXISTS parts USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='trigram');
      CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5vocab(words, row);`,
  };
}

export function projectDatabase(database: DatabaseSync): ProjectDatabase {
  const rows = (sql: string, ...values: readonly (string | number)[]) => database.prepare(sql).all(...values);
  const apply = changing(database);
  return {
    stored: (root) =>
      new Map(
        rows("SELECT name, stamp, hash FROM documents WHERE root = ?", root).map(({ name, stamp, hash }) => [
          String(name),
          { stamp: String(stamp), hash: String(hash) },
        ]),
      ),
    roots: () => rows("SELECT DISTINCT root FROM documents").map(({ root }) => String(root)),
    looked: () =>
      new Map(rows("SELECT session, stamp FROM looked").map((one) => [String(one.session), String(one.stamp)])),
    write: (changes) => changes.length === 0 || inOneGo(database, () => changes.forEach(apply)),
    holding: (asked) => holding(database, asked),
    detail: (handle) => {
      const [row] = rows("SELECT detail FROM documents WHERE name = ? AND kind = 'sessions'", handle);
      return row === undefined ? null : String(row.detail);
    },
    sessions: () => rows(`SELECT DISTINCT ${sessionOf} AS session FROM documents ${ofSessions}`).map(textAt("session")),
    originalsOf: (session) =>
      rows(`SELECT name FROM documents ${ofSessions} AND ${sessionOf} = ?`, session).map(textAt("name")),
    pieces: () => Number(rows("SELECT count(*) AS n FROM pieces")[0]?.n ?? 0),
    piecesWith: (term) => Number(rows("SELECT doc FROM terms WHERE term = ?", term)[0]?.doc ?? 0),
  };
}

const sessionOf = "json_extract(detail, '$.session')";
const ofSessions = "WHERE kind = 'sessions' AND json_valid(detail)";

function textAt(column: string): (row: Readonly<Record<string, unknown>>) => string {
  return (row) => String(row[column]);
}

function changing(database: DatabaseSync): (change: Change) => void {
  const run = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  const sql = (text: string, ...values: readonly (string | number)[]) => {
    const statement = run.get(text) ?? database.prepare(text);
    run.set(text, statement);
    return statement.run(...values);
  };
  const stem = rememberedStems();
  const remove = (name: string): void => {
    for (const table of ["words", "parts"])
      sql(
        `DELETE FROM ${table} WHERE rowid IN (SELECT pieces.id FROM pieces JOIN documents ON documents.id = document WHERE name = ?)`,
        name,
      );
    sql("DELETE FROM pieces WHERE document = (SELECT id FROM documents WHERE name = ?)", name);
    sql("DELETE FROM documents WHERE name = ?", name);
  };
  const put = ({ stored, pieces }: Extract<Change, { readonly type: "put" }>): void => {
    const { name, kind, root, stamp, hash, title, detail } = stored;
    remove(name);
    const values = [name, kind, root, stamp, hash, title, detail];
    const { lastInsertRowid: document } = sql(
      "INSERT INTO documents (name, kind, root, stamp, hash, title, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
      ...values,
    );
    for (const piece of pieces) {
      const { lastInsertRowid } = sql("INSERT INTO pieces (document) VALUES (?)", Number(document));
      const id = Number(lastInsertRowid);
      const heading = `${title}\n${piece.title}`;
      sql(
        "INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)",
        id,
        termText(heading, stem),
        termText(piece.text, stem),
      );
      sql("INSERT INTO parts (rowid, text) VALUES (?, ?)", id, partText(`${heading}\n${piece.text}`));
    }
  };
  return (change) => {
    if (change.type === "put") put(change);
    else if (change.type === "gone") remove(change.name);
    else if (change.type === "stamped") sql("UPDATE documents SET stamp = ? WHERE name = ?", change.stamp, change.name);
    else if (change.type === "unlooked") sql("DELETE FROM looked");
    else sql("INSERT OR REPLACE INTO looked (session, stamp) VALUES (?, ?)", change.session, change.stamp);
  };
}

/** By the weight of the words in the piece (BM25 over title and body), and behind those the ones that hold only parts of words. */
function holding(database: DatabaseSync, { kind, root, terms, parts }: Asked): readonly Stored[] {
  const chosen = (table: "words" | "parts", match: string, order: string) =>
    database
      .prepare(
        `SELECT documents.* FROM ${table}
         JOIN pieces ON pieces.id = ${table}.rowid JOIN documents ON documents.id = pieces.document
         WHERE ${table} MATCH ? AND kind = ? AND root = ? ORDER BY ${order} LIMIT ${bounds.projectCandidatesMax}`,
      )
      .all(match, kind, root);
  const found = [
    ...(terms.length === 0 ? [] : chosen("words", terms.map(quoted).join(" OR "), "bm25(words, 3.0, 1.0)")),
    ...parts.flatMap((letters) => chosen("parts", letters.map(quoted).join(" AND "), "documents.id DESC")),
  ];
  const documents = new Map<string, Stored>();
  for (const { name, stamp, hash, title, detail } of found) {
    const texts = { name: String(name), stamp: String(stamp), hash: String(hash) };
    if (!documents.has(texts.name))
      documents.set(texts.name, { ...texts, kind, root, title: String(title), detail: String(detail) });
  }
  return [...documents.values()];
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}
