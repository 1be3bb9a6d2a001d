import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { opencodeReader, type StoredSession } from "../import/opencode-reader.ts";
import type { Raw } from "../import/record.ts";
import type { Item } from "../import/transcript.ts";
import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import { explain } from "./fs-error.ts";
import { openReadOnly } from "./sqlite-read.ts";

export type OpencodeFile =
  /** Each a session of a person, with those of its sub-agents as lanes. Rows are read when their items are asked for. */
  | { readonly type: "open"; readonly sessions: readonly AsyncIterable<Item>[]; readonly close: () => Promise<void> }
  /** Locked, damaged, or of another program. */
  | { readonly type: "refused"; readonly why: string };

/** opencode's database, since its version 1.2. Other programs may have it open. Never throws for what is in the file. */
export async function openOpencode(path: string): Promise<OpencodeFile> {
  const opened = await openReadOnly(path);
  if (opened.type === "refused") return opened;
  const { database, close } = opened;
  try {
    const fault = tablesFault(database);
    if (fault === null) {
      const sessions = familiesOf(sessionRows(database)).map((family) => itemsOf(database, family));
      return { type: "open", sessions, close };
    }
    await close();
    return { type: "refused", why: fault };
  } catch (error) {
    await close();
    return { type: "refused", why: explain(error) };
  }
}

type Row = Record<string, SQLOutputValue>;
type SessionRow = StoredSession & { readonly parent: string | null };
type Family = readonly { readonly row: SessionRow; readonly lane: string }[];

const columns = { session: ["id"], message: ["id", "session_id", "data"], part: ["id", "message_id", "data"] } as const;

function tablesFault(database: DatabaseSync): string | null {
  const lacks = Object.entries(columns).flatMap(([table, names]) => {
    const found = columnsOf(database, table);
    return names.filter((name) => !found.has(name)).map((name) => `${table}.${name}`);
  });
  if (lacks.length === 0) return null;
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' LIMIT 20").all().map(nameOf);
  return `no database of opencode: it lacks ${lacks.join(", ")}; its tables are ${tables.join(", ") || "none"}`;
}

function columnsOf(database: DatabaseSync, table: string): ReadonlySet<string> {
  return new Set(database.prepare("SELECT name FROM pragma_table_info(?)").all(table).map(nameOf));
}

function nameOf(row: Row): string {
  return String(row.name);
}

/** Oldest first. Columns that not every version has are read where they are. */
function sessionRows(database: DatabaseSync): readonly SessionRow[] {
  const found = columnsOf(database, "session");
  const column = (name: string) => (found.has(name) ? name : `NULL AS ${name}`);
  const names = ["parent_id", "directory", "version", "time_created"].map(column).join(", ");
  return database
    .prepare(`SELECT id, ${names} FROM session ORDER BY time_created, id`)
    .all()
    .map((row) => ({
      id: String(row.id),
      parent: textOf(row.parent_id),
      directory: textOf(row.directory),
      version: textOf(row.version),
      at: row.time_created,
    }));
}

function textOf(value: SQLOutputValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** Each session is in one family: an orphan begins its own, and so does one of those that name each other as parents. */
function familiesOf(rows: readonly SessionRow[]): readonly Family[] {
  const ids = new Set(rows.map((row) => row.id));
  const children = Map.groupBy(rows, (row) => row.parent ?? "");
  const seen = new Set<string>();
  const below = (row: SessionRow): readonly SessionRow[] => {
    const family: SessionRow[] = [];
    const open = [row];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next.id)) continue;
      seen.add(next.id);
      family.push(next);
      open.push(...(children.get(next.id) ?? []).toReversed());
    }
    return family;
  };
  const isRoot = (row: SessionRow) => row.parent === null || !ids.has(row.parent);
  const roots = [...rows.filter(isRoot), ...rows.filter((row) => !isRoot(row))];
  return roots
    .map(below)
    .filter((family) => family.length > 0)
    .map((family) => family.map((row, index) => ({ row, lane: index === 0 ? "main" : row.id })));
}

/** Of a page that is damaged, or a database that is gone, the items end; the last one says so. */
async function* itemsOf(database: DatabaseSync, family: Family): AsyncGenerator<Item> {
  const reader = opencodeReader();
  try {
    const created = columnsOf(database, "message").has("time_created") ? "time_created" : "NULL";
    const wanted = `id, ${created} AS at, ${dataColumns}`;
    const messages = database.prepare(`SELECT ${wanted} FROM message WHERE session_id = ? ORDER BY at, id`);
    const parts = database.prepare(`SELECT id, ${dataColumns} FROM part WHERE message_id = ? ORDER BY id`);
    for (const { row, lane } of family) {
      yield* reader.session(row, lane);
      for (const message of messages.iterate(row.id)) {
        const info = dataOf(message);
        const held = parts.all(message.id ?? null).map(dataOf);
        for (const bad of [info, ...held]) if (typeof bad === "string") yield* reader.unreadable(bad);
        if (typeof info !== "string")
          yield* reader.message({
            id: String(message.id),
            at: message.at,
            info,
            parts: held.filter((part) => isRecord(part)),
          });
      }
    }
  } catch (error) {
    yield* reader.unreadable(explain(error));
  }
}

/** Data of a size that no message has stays where it is. */
const dataColumns = `length(data) AS size, CASE WHEN length(data) <= ${bounds.transcriptLineBytesMax} THEN data END AS data`;

/** A text says why there is none. */
function dataOf(row: Row): Raw | string {
  const name = `row ${String(row.id)}`;
  if (typeof row.data !== "string")
    return `${name}: ${Number(row.size) > bounds.transcriptLineBytesMax ? `${Number(row.size)} characters are too many` : "its data are no text"}`;
  const parsed = parseJson(row.data);
  if (parsed.type === "bad") return `${name}: ${parsed.why}`;
  return isRecord(parsed.value) ? { id: row.id, ...parsed.value } : `${name}: its data are no record`;
}
