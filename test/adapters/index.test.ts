import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { archiveOf } from "../../src/adapters/index-archive.ts";
import { inOneGo } from "../../src/adapters/index-database.ts";
import { scanIndex } from "../../src/adapters/index-scan.ts";
import { indexPath, sessionIndex } from "../../src/adapters/index-session.ts";
import { sqliteIndex } from "../../src/adapters/index-sqlite.ts";
import { openIndexFile, withIndexFile } from "../../src/adapters/index-sqlite-file.ts";
import { fileStore } from "../../src/adapters/store-file.ts";
import { memoryStore } from "../../src/adapters/store-memory.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { brand, mainLane } from "../../src/kernel/ids.ts";
import { manualClock } from "../../src/testing/index.ts";
import { indexConformance } from "../../src/testing/index-conformance.ts";
import { wordsOf } from "../../src/tools/recall-words.ts";
import { archiveOfTexts } from "../support/index-of-texts.ts";

const session = brand<"SessionId">("s1");
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "varve-index-"));
  folders.push(folder);
  return folder;
}

indexConformance({
  name: "scan",
  test,
  expect,
  make: async () => {
    const stores = memoryStore(manualClock());
    return { stores, index: scanIndex(archiveOf({ stores, session })) };
  },
});
indexConformance({
  name: "sqlite",
  test,
  expect,
  make: async () => {
    const root = newFolder();
    const stores = fileStore({ root, clock: manualClock(), sync: false });
    return { stores, index: sessionIndex({ stores, session, root }) };
  },
});

const signal = new AbortController().signal;

/** Texts under handles of their content, indexed in a file of their own. */
function indexed(list: readonly string[]) {
  const path = join(newFolder(), "index.sqlite");
  const texts = new Map(list.map((text) => [String(handleOf(hashOf(text))), text]));
  const index = sqliteIndex(archiveOfTexts(texts), path);
  const search = async (words: string, limit = 10) => await index.search(wordsOf(words), { from: 0, limit }, signal);
  const first = async (words: string) => texts.get((await search(words)).hits[0]?.handle ?? "");
  return { path, texts, index, search, first };
}

const list = Array.from(
  { length: 200 },
  (_, n) => `text ${n} holds token${n}x and 词${String.fromCodePoint(0x4e00 + n)}`,
);

describe("the file is a shortcut and never the truth", () => {
  test("it is made at the first search and used by the next ones", async () => {
    const { path, first } = indexed(list);
    expect(await first("token7x")).toBe(list[7]);
    const file = await openIndexFile(path);
    expect(file?.handles().size).toBe(200);
    expect(file?.rows("words", ["token7x"])).toHaveLength(1);
    file?.close();
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  test("deleted, with or without what stands beside it, it is made anew", async () => {
    const { path, first } = indexed(list);
    await first("token7x");
    const held = new DatabaseSync(path);
    held.exec("PRAGMA journal_mode = WAL; BEGIN; SELECT count(*) FROM originals");
    rmSync(path);
    expect(await first("token8x")).toBe(list[8]);
    held.close();
    expect(await first("token9x")).toBe(list[9]);
    expect(statSync(path).size).toBeGreaterThan(0);
  });

  test.each([
    ["no database at all", (path: string) => writeFileSync(path, "x".repeat(9_000))],
    ["cut in half", (path: string) => writeFileSync(path, readFileSync(path).subarray(0, statSync(path).size / 2))],
    [
      "overwritten in the middle",
      (path: string) => {
        const bytes = readFileSync(path);
        writeFileSync(path, bytes.fill(0x5a, Math.floor(bytes.length / 3), Math.floor((bytes.length * 2) / 3)));
      },
    ],
    [
      "another program's database",
      (path: string) => {
        rmSync(path);
        const other = new DatabaseSync(path);
        other.exec("CREATE TABLE words (a); CREATE TABLE parts (a); CREATE TABLE originals (b)");
        other.close();
      },
    ],
    [
      "a folder",
      (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])("damaged (%s), it is replaced", async (_, damage) => {
    const { path, first, search } = indexed(list);
    await first("token7x");
    damage(path);
    for (const n of [3, 77, 150]) expect(await first(`token${n}x`)).toBe(list[n]);
    expect((await search("holds", 300)).found).toBe(200);
    const file = await openIndexFile(path);
    expect(file?.handles().size).toBe(200);
    file?.close();
  });

  test("locked by another process for longer than bounds.indexWaitMs, everything is read instead, and the file is left alone", async () => {
    const { path, first, search } = indexed(list);
    await first("token7x");
    const other = new DatabaseSync(path);
    other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    expect(await first("token9x")).toBe(list[9]);
    expect((await search("holds", 300)).found).toBe(200);
    other.exec("COMMIT");
    other.close();
    expect(await first("词一")).toBe(list[0]);
  });

  test("where no file can be, everything is read", async () => {
    const { texts } = indexed(list);
    const index = sqliteIndex(archiveOfTexts(texts), "/proc/none/index.sqlite");
    expect((await index.search(["token5x"], { from: 0, limit: 1 }, signal)).found).toBe(1);
  });

  test("a fault of ours is none of the file: it is thrown, not taken for an index that is not there", async () => {
    const { path, first } = indexed(list);
    await first("token7x");
    const fault = new TypeError("x is undefined");
    const thrown = () => {
      throw fault;
    };
    await expect(withIndexFile(path, async () => thrown())).rejects.toBe(fault);
    const database = new DatabaseSync(path);
    expect(() => inOneGo(database, thrown)).toThrow(fault);
    expect(database.isTransaction).toBe(false);
    database.close();
    expect(await first("token9x")).toBe(list[9]);
  });

  test("two processes that index at once agree", async () => {
    const root = newFolder();
    const stores = fileStore({ root, clock: manualClock(), sync: false });
    const main = { type: "lane", session, lane: mainLane } as const;
    const lease = await stores.log.lease(main, "test");
    const entries = list.map((text) => ({ type: "message-added", text }) as const);
    const fence = lease.type === "leased" ? lease.fence : 0;
    await stores.log.append({ stream: main, expectedSeq: 0, fence, entries });
    const script = `
      import { sessionIndex } from ${JSON.stringify(join(import.meta.dirname, "../../src/adapters/index-session.ts"))};
      import { fileStore } from ${JSON.stringify(join(import.meta.dirname, "../../src/adapters/store-file.ts"))};
      const root = ${JSON.stringify(root)};
      const stores = fileStore({ root, clock: { now: () => 0, sleep: async () => {} } });
      const index = sessionIndex({ stores, session: "s1", root });
      const found = await index.search(["holds"], { from: 0, limit: 1 }, new AbortController().signal);
      console.log(found.found);`;
    const run = () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    const results = await Promise.all([run(), run(), run()]);
    expect(results.map(({ stdout }) => stdout.trim())).toEqual(["200", "200", "200"]);
    const file = await openIndexFile(indexPath(root, session));
    expect(file?.handles().size).toBe(200);
    file?.close();
  });
});

test("an answer that recall gave back whole is still found: its copy has the same handle", async () => {
  const stores = memoryStore(manualClock());
  const stream = { type: "lane", session, lane: mainLane } as const;
  const lease = await stores.log.lease(stream, "test");
  const text = "the cause is a quorum of two";
  const answer = {
    type: "response-received",
    request: brand<"RequestId">("r1"),
    wire: "anthropic",
    model: "m",
    messageId: "m1",
  } as const;
  const rest = { stop: "end-turn", usage: null, firstTokenMs: null, report: null } as const;
  const recalled = {
    type: "tool-returned",
    callId: brand<"CallId">("c1"),
    tool: "recall",
    ending: "done",
    output: text,
  } as const;
  const handle = handleOf(hashOf(text));
  await stores.log.append({
    stream,
    expectedSeq: 0,
    fence: lease.type === "leased" ? lease.fence : 0,
    entries: [
      { ...answer, blocks: [{ type: "text", text }], ...rest },
      { ...recalled, handle, exitCode: null, files: [], images: [] },
    ],
  });
  const index = scanIndex(archiveOf({ stores, session }));
  const found = await index.search(["quorum"], { from: 0, limit: 10 }, signal);
  expect(found.hits).toEqual([{ handle, tool: "assistant", title: "answer" }]);
});

test("law 3 · what a lane said in several pieces is found whole, by the handle that its end shows", async () => {
  const stores = memoryStore(manualClock());
  const output = "three faults\nand a wish";
  const handle = handleOf(hashOf(output));
  const stream = { type: "lane", session, lane: mainLane } as const;
  const end = { ending: "done", detail: "", text: "shown", output, handle } as const;
  const entries = [{ type: "lane-finished", lane: brand<"LaneId">("lane-1"), ...end }] as const;
  const lease = await stores.log.lease(stream, "test");
  await stores.log.append({ stream, expectedSeq: 0, fence: lease.type === "leased" ? lease.fence : 0, entries });
  const index = scanIndex(archiveOf({ stores, session }));
  expect(await index.find(handle)).toMatchObject({ type: "found", tool: "lane-1", text: output });
});

test("law 10 · originals beyond bounds.indexCharsMax, and what is beyond bounds.indexSearchCharsMax, are read instead of indexed", async () => {
  const long = `${"x ".repeat(bounds.indexCharsMax / 2)} lastword`;
  const large = Array.from({ length: 40 }, (_, n) => `word${n}y ${"pad ".repeat(bounds.indexCharsMax / 4 - 10)}`);
  const { path, first } = indexed([long, ...large]);
  expect(await first("lastword")).toBe(long);
  expect(await first("word0y")).toBe(large[0]);
  const added = async () => {
    const file = await openIndexFile(path);
    const { size } = file?.handles() ?? new Map();
    file?.close();
    return size;
  };
  const chars = large[0]?.length ?? 1;
  expect(await added()).toBe(Math.min(large.length, 2 * (Math.ceil(bounds.indexSearchCharsMax / chars) + 1)));
}, 60_000);

test("law 10 · beyond bounds.indexScanCharsMax the oldest originals are not read, and that is said", async () => {
  const texts = new Map(["old quorum", "new quorum", "now quorum"].map((text, at) => [`h${at}`, text]));
  const small = archiveOfTexts(texts);
  const all = (await small.all()).map((one) => {
    const blob = hashOf(String(one.text));
    return { ...one, text: { blob, chars: bounds.indexScanCharsMax / 2 } };
  });
  const read = async ({ handle }: { readonly handle: string }) => texts.get(handle) ?? null;
  const found = await scanIndex({ all: async () => all, read }).search(["quorum"], { from: 0, limit: 10 }, signal);
  expect(found.hits.map(({ handle }) => handle)).toEqual(["h2", "h1"]);
  expect([found.searched, found.partial]).toEqual([2, expect.stringMatching(/^the 1 oldest originals were not read/)]);
});

test("property: the index finds what reading everything finds, in the same order, for words and parts of words", async () => {
  const word = fc.string({ unit: fc.constantFrom(..."abcdefg_-./:漢字かな한글é😀 \n12"), minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.array(word, { maxLength: 12 }).map((parts) => parts.join(" ")),
        { minLength: 1, maxLength: 12 },
      ),
      word,
      word,
      async (texts, one, two) => {
        const { texts: map, search } = indexed(texts);
        const query = `${one} ${two}`;
        const plain = await scanIndex(archiveOfTexts(map)).search(wordsOf(query), { from: 0, limit: 50 }, signal);
        const found = await search(query, 50);
        expect({ query, found: found.found, handles: found.hits.map(({ handle }) => handle).sort() }).toEqual({
          query,
          found: plain.found,
          handles: plain.hits.map(({ handle }) => handle).sort(),
        });
      },
    ),
    { numRuns: 60 },
  );
});

test("property: everything archived is found by a word of its own, in a session of 10,000 outputs", async () => {
  const many = Array.from(
    { length: 10_000 },
    (_, n) => `common words of an output\nid${n}z here\n${"more text ".repeat(n % 30)}`,
  );
  const { first, search } = indexed(many);
  for (const n of [0, 1, 17, 4_999, 9_998, 9_999]) expect(await first(`id${n}z`)).toBe(many[n]);
  const all = await search("common", 5);
  // The likeliest of a bounded number are compared, and that is said.
  expect(all.found).toBe(bounds.indexCandidatesMax);
  expect(all.partial).toMatch(/^9700 more may hold some of the words/);
  expect(all.searched).toBe(10_000);
}, 120_000);
