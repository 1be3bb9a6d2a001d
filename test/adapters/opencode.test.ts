import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openOpencode } from "../../src/adapters/opencode.ts";
import { openReadOnly } from "../../src/adapters/sqlite-read.ts";
import type { Item } from "../../src/import/transcript.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { gathered, ofType } from "../import/items.ts";

let folder = "";
let path = "";
const open: DatabaseSync[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "varve-opencode-"));
  path = join(folder, "opencode.db");
});

afterEach(() => {
  for (const database of open.splice(0)) if (database.isOpen) database.close();
  rmSync(folder, { recursive: true, force: true });
});

const schema = `
  CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, version TEXT, time_created INTEGER);
  CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
  CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
`;

/** As opencode does it: with a write-ahead log. The connection stays open until the test ends or closes it. */
function written(mode = "wal"): DatabaseSync {
  const database = new DatabaseSync(path);
  open.push(database);
  database.exec(`PRAGMA journal_mode = ${mode}; ${schema}`);
  return database;
}

function addSession(database: DatabaseSync, id: string, parent: string | null, at: number): void {
  database.prepare("INSERT INTO session VALUES (?, 'p', ?, '/w', '1.3.0', ?)").run(id, parent, at);
}

function addMessage(
  database: DatabaseSync,
  session: string,
  id: string,
  data: unknown,
  parts: readonly unknown[],
): void {
  const insert = database.prepare("INSERT INTO message VALUES (?, ?, 1, 1, ?)");
  insert.run(id, session, typeof data === "string" ? data : JSON.stringify(data));
  for (const [index, part] of parts.entries())
    database
      .prepare("INSERT INTO part VALUES (?, ?, ?, 1, 1, ?)")
      .run(`${id}-${index}`, id, session, JSON.stringify(part));
}

const tokens = { input: 10, output: 5, reasoning: 0, cache: { read: 80, write: 3 } };
const asked = { role: "user", time: { created: 1 } };
const answered = { role: "assistant", modelID: "m-1", time: { created: 2 }, tokens };

function addUsual(database: DatabaseSync): void {
  addSession(database, "s1", null, 1);
  addMessage(database, "s1", "m1", asked, [{ type: "text", text: "one" }]);
  addMessage(database, "s1", "m2", answered, [{ type: "text", text: "first" }]);
}

async function read(): Promise<readonly { readonly session: string; readonly items: readonly Item[] }[]> {
  const file = await openOpencode(path);
  if (file.type === "refused") throw new Error(file.why);
  const sessions: { readonly session: string; readonly items: readonly Item[] }[] = [];
  for (const session of file.sessions) {
    const items = await gathered(session);
    sessions.push({ session: ofType(items, "session")[0]?.session ?? "", items });
  }
  await file.close();
  return sessions;
}

function typesOf(items: readonly Item[] | undefined): readonly string[] {
  return items?.map((item) => item.type) ?? [];
}

function inFolder(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString("latin1")]),
  );
}

describe("opencode's database", () => {
  test("is read while its program has it open, with what only the write-ahead log holds", async () => {
    addUsual(written());
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    const before = inFolder();
    const [session] = await read();
    expect(session?.session).toBe("s1");
    expect(typesOf(session?.items)).toEqual(["session", "message", "request", "text", "usage"]);
    const after = inFolder();
    // The index in shared memory holds the marks of readers; the data are as they were.
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect([after["opencode.db"], after["opencode.db-wal"]]).toEqual([
      before["opencode.db"],
      before["opencode.db-wal"],
    ]);
  });

  test("leaves nothing behind beside a file that nobody has open", async () => {
    const database = written();
    addUsual(database);
    database.close();
    const before = inFolder();
    expect(Object.keys(before)).toEqual(["opencode.db"]);
    expect(typesOf((await read())[0]?.items)).toContain("usage");
    expect(inFolder()).toEqual(before);
  });

  test("of a program that died is read whole, and stays as it was left", async () => {
    const database = written();
    addUsual(database);
    // What a crash leaves: the file and its log, without the index.
    const dead = mkdtempSync(join(tmpdir(), "varve-opencode-"));
    for (const end of ["", "-wal"]) copyFileSync(`${path}${end}`, join(dead, `opencode.db${end}`));
    database.close();
    rmSync(folder, { recursive: true });
    folder = dead;
    path = join(dead, "opencode.db");
    const before = inFolder();
    expect(typesOf((await read())[0]?.items)).toContain("usage");
    expect(inFolder()).toEqual(before);
    // A file of that length and no blocks.
    truncateSync(`${path}-wal`, bounds.databaseCopyBytesMax);
    expect(await openReadOnly(path)).toMatchObject({
      type: "refused",
      why: expect.stringContaining("too many to copy"),
    });
  });

  test("gives sub-agents as lanes of the session that started them, however deep, and loses no orphan", async () => {
    const database = written();
    addUsual(database);
    addSession(database, "child", "s1", 2);
    addMessage(database, "child", "c1", answered, [{ type: "text", text: "found" }]);
    addSession(database, "grandchild", "child", 3);
    addSession(database, "orphan", "gone", 4);
    addSession(database, "ring-a", "ring-b", 5);
    addSession(database, "ring-b", "ring-a", 6);
    const sessions = await read();
    expect(sessions.map((one) => [one.session, [...new Set(one.items.map((item) => item.lane))]])).toEqual([
      ["s1", ["main", "child", "grandchild"]],
      ["orphan", ["main"]],
      ["ring-a", ["main", "ring-b"]],
    ]);
  });

  test("names a row that cannot be read, and reads the others", async () => {
    const database = written();
    addUsual(database);
    addMessage(database, "s1", "m3", "{not JSON", []);
    addMessage(database, "s1", "m4", answered, ["no record"]);
    const [session] = await read();
    expect(typesOf(session?.items)).toEqual([
      "session",
      "message",
      "request",
      "text",
      "usage",
      "unreadable",
      "unreadable",
      "request",
      "usage",
    ]);
  });

  test("of a version with fewer columns is read without them", async () => {
    const database = new DatabaseSync(path);
    open.push(database);
    database.exec("CREATE TABLE session (id TEXT); CREATE TABLE message (id TEXT, session_id TEXT, data TEXT)");
    database.exec("CREATE TABLE part (id TEXT, message_id TEXT, data TEXT); INSERT INTO session VALUES ('s1')");
    database.prepare("INSERT INTO message VALUES ('m1', 's1', ?)").run(JSON.stringify(answered));
    expect(typesOf((await read())[0]?.items)).toEqual(["session", "request", "usage"]);
  });
});

describe("what is no such database is refused with a reason", () => {
  const why = async () => await openOpencode(path).then((file) => (file.type === "refused" ? file.why : "opened"));

  const damageNamed = async (): Promise<readonly string[]> => {
    const file = await openOpencode(path);
    if (file.type === "refused") return [file.why];
    const items = await Promise.all(file.sessions.map(gathered));
    await file.close();
    return items.flat().flatMap((item) => (item.type === "unreadable" ? [item.why] : []));
  };

  test("another program's", async () => {
    const database = new DatabaseSync(path);
    open.push(database);
    database.exec("CREATE TABLE notes (id TEXT)");
    expect(await why()).toContain("its tables are notes");
  });

  test("one that stays locked longer than is waited for it", async () => {
    const database = written("delete");
    addUsual(database);
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    expect(bounds.databaseWaitMs).toBeLessThan(60_000);
    expect(await why()).toContain("locked");
  });

  test("text, an empty file, a short one, a folder, and none at all", async () => {
    writeFileSync(path, "hello ".repeat(50));
    expect(await why()).toBe("it is no SQLite database");
    writeFileSync(path, "");
    expect(await why()).toBe("it is no SQLite database");
    writeFileSync(path, "SQLite format 3\0");
    expect(await why()).toBe("it is no SQLite database");
    path = folder;
    expect(await why()).toBe("it is a folder");
    path = join(folder, "absent.db");
    expect(await why()).toBe("no such file or folder");
  });

  test("one that is damaged: what can be read is read, and the damage is named", async () => {
    const database = written("delete");
    addUsual(database);
    database.exec("BEGIN");
    for (let n = 0; n < 200; n += 1)
      addMessage(database, "s1", `x${n}`, answered, [{ type: "text", text: "y".repeat(500) }]);
    database.exec("COMMIT");
    database.close();
    const whole = readFileSync(path);
    for (let cut = 4096; cut < whole.length; cut += 8 * 4096) {
      writeFileSync(path, Buffer.concat([whole.subarray(0, cut), Buffer.alloc(whole.length - cut, 0xab)]));
      expect(await damageNamed()).not.toEqual([]);
    }
    writeFileSync(path, whole.subarray(0, 4096 * 5));
    expect(await why()).not.toBe("");
  });
});
