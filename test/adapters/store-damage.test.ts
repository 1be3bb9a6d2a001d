import { execFileSync } from "node:child_process";
import { appendFile, mkdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand, mainLane } from "../../src/kernel/ids.ts";
import type { Damage, StreamId } from "../../src/ports/store.ts";
import { appendOne, linesOf, openStore, putLines, readAll, type Seen, said, storeWith } from "./store-files.ts";

const seqs = (seen: Seen) => seen.entries.map((entry) => entry.seq);
const texts = (seen: Seen) => seen.entries.map((entry) => (entry.type === "message-added" ? entry.text : entry.type));
const types = (seen: Seen) => seen.damage.map((damage) => damage.type);

describe("damage inside a log is named once and walked over", () => {
  test("C-085 · 300 NUL bytes between 10 and 10 good lines: 20 entries, one warning, the list agrees on the newest", async () => {
    const { root, path } = await storeWith(20);
    const lines = await linesOf(path);
    await putLines(path, [...lines.slice(0, 10), Buffer.alloc(300), ...lines.slice(10)]);
    const stores = openStore(root);
    const seen = await readAll(stores);
    expect(seen.entries.filter((entry) => entry.type !== "line-unreadable").map((entry) => entry.seq)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    expect(seen.entries[10]).toMatchObject({ type: "line-unreadable", line: 11, bytes: 301, seq: 10.5 });
    expect(seen.damage).toEqual([{ line: 11, type: "unreadable", detail: expect.stringContaining("301 bytes") }]);
    const [listed] = await stores.log.list({ project: null, limit: 9 });
    expect(listed?.updatedAt).toBe(seen.entries.at(-1)?.at);
  });

  test("a bad line in the place of a good one hides that one only", async () => {
    const { root, path } = await storeWith(5);
    const lines = await linesOf(path);
    await putLines(path, [...lines.slice(0, 2), "{ junk", ...lines.slice(3)]);
    const seen = await readAll(openStore(root));
    expect(seqs(seen)).toEqual([1, 2, 2.5, 4, 5]);
    expect(types(seen)).toEqual(["unreadable"]);
  });

  const junk: readonly { readonly name: string; readonly line: Buffer }[] = [
    { name: "text", line: Buffer.from("Segmentation fault (core dumped)") },
    { name: "bytes that are not UTF-8", line: Buffer.from([0xff, 0xfe, 0x80, 0xc3]) },
    { name: "JSON of something else", line: Buffer.from('{"role":"user","content":"hi"}') },
    { name: "a JSON list", line: Buffer.from("[1,2,3]") },
    { name: "an entry of an unknown type", line: Buffer.from('{"seq":3,"fence":1,"prev":"","at":1,"type":"dreamt"}') },
    {
      name: "an entry that lacks a field",
      line: Buffer.from('{"seq":3,"fence":1,"prev":"","at":1,"type":"message-added"}'),
    },
    {
      name: "a binary file",
      line: Buffer.from(Array.from({ length: 2 * bounds.linePiecesMax + 2 }, (_, index) => (index % 2) * 7)),
    },
    { name: "deep nesting", line: Buffer.from("[".repeat(100_000)) },
    { name: "a line longer than a line may be", line: Buffer.alloc(bounds.lineBytesMax + 1, "x") },
  ];
  for (const { name, line } of junk) {
    test(`C-085 · ${name} before the first line and behind the last: all is read, the list knows the session`, async () => {
      const { root, path } = await storeWith(4);
      await putLines(path, [line, ...(await linesOf(path)), line]);
      const stores = openStore(root);
      const seen = await readAll(stores);
      expect(seqs(seen)).toEqual([0.5, 1, 2, 3, 4, 4.5]);
      expect(types(seen)).toEqual(["unreadable", "unreadable"]);
      expect(seqs(await readAll(stores, seen.positions[0]))).toEqual([1, 2, 3, 4, 4.5]);
      expect(await appendOne(stores, 4)).toMatchObject({ type: "appended", head: { seq: 5 } });
      const [listed] = await stores.log.list({ project: null, limit: 9 });
      if (line.length < 32 * 1024) expect(listed).toMatchObject({ session: "s1", cwd: "/work", title: "m2" });
    });

    test(`${name}: the lines before and after are read, the bytes stay, appending goes on`, async () => {
      const { root, path } = await storeWith(4);
      const lines = await linesOf(path);
      await putLines(path, [...lines.slice(0, 2), line, ...lines.slice(2)]);
      const before = await readFile(path);
      const stores = openStore(root);
      const seen = await readAll(stores);
      expect(seqs(seen)).toEqual([1, 2, 2.5, 3, 4]);
      expect(types(seen)).toEqual(["unreadable"]);
      expect(await appendOne(stores, 4)).toMatchObject({ type: "appended", head: { seq: 5 } });
      expect((await readFile(path)).subarray(0, before.length).equals(before)).toBe(true);
      expect(types(await readAll(openStore(root)))).toEqual(["unreadable"]);
    });
  }

  test("several bad lines in a row have rising numbers of their own, also when read from between them", async () => {
    const { root, path } = await storeWith(3);
    const lines = await linesOf(path);
    await putLines(path, [...lines.slice(0, 2), "a", "b", "c", ...lines.slice(2)]);
    const seen = await readAll(openStore(root));
    const numbers = seqs(seen);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(numbers.filter((seq) => seq > 2 && seq < 3).length).toBe(3);
    for (const [index, position] of seen.positions.entries()) {
      const { seq, hash } = position;
      expect((await readAll(openStore(root), position)).entries).toEqual(seen.entries.slice(index + 1));
      expect((await readAll(openStore(root), { seq, hash })).entries.map((entry) => entry.seq)).toEqual(
        numbers.slice(index + 1),
      );
    }
  });

  test("a bad last line is no obstacle: the append after it links to it and counts on", async () => {
    const { root, path } = await storeWith(3);
    await appendFile(path, "junk\n");
    const stores = openStore(root);
    const seen = await readAll(stores);
    expect(await appendOne(stores, seen.positions.at(-1)?.seq ?? 0)).toMatchObject({
      type: "appended",
      head: { seq: 4 },
    });
    const again = await readAll(openStore(root));
    expect(seqs(again)).toEqual([1, 2, 3, 3.5, 4]);
    expect(types(again)).toEqual(["unreadable"]);
  });

  test("entries that lost their line ends or have NUL bytes around them are still there", async () => {
    const { root, path } = await storeWith(6);
    const [a, b, c, d, e, f] = await linesOf(path);
    await writeFile(path, `${a}\n${b}${c}\n\0\0\0${d}\n${e}\0\0\n\0${f}\n`);
    const seen = await readAll(openStore(root));
    expect(texts(seen).filter((text) => text !== "line-unreadable")).toEqual([
      "session-started",
      "m2",
      "m3",
      "m4",
      "m5",
      "m6",
    ]);
    expect(types(seen)).toEqual(["unreadable", "unreadable", "unreadable"]);
    for (const position of seen.positions) {
      const rest = (await readAll(openStore(root), position)).entries;
      expect(rest.at(-1)?.seq ?? 6).toBe(6);
      expect(rest.length).toBe(seen.entries.length - 1 - seen.positions.indexOf(position));
    }
  });

  test("CRLF, a byte-order mark and blank lines are taken as they are", async () => {
    const { root, path } = await storeWith(4);
    const lines = await linesOf(path);
    await writeFile(path, `\uFEFF${lines.join("\r\n")}\r\n\r\n\n`);
    const stores = openStore(root);
    const seen = await readAll(stores);
    expect([seqs(seen), types(seen)]).toEqual([[1, 2, 3, 4], []]);
    for (const [index, position] of seen.positions.entries()) {
      expect(seqs(await readAll(openStore(root), position))).toEqual(seqs(seen).slice(index + 1));
    }
    expect(await appendOne(stores, 4)).toMatchObject({ type: "appended" });
    expect(types(await readAll(openStore(root)))).toEqual([]);
  });

  test("missing lines are a gap, a changed line breaks the chain behind it", async () => {
    const { root, path } = await storeWith(6);
    const lines = await linesOf(path);
    await putLines(path, [...lines.slice(0, 2), ...lines.slice(4)]);
    const gap = await readAll(openStore(root));
    expect([seqs(gap), gap.damage]).toEqual([
      [1, 2, 5, 6],
      [{ line: 3, type: "gap", detail: "2 entries are missing before 5" }],
    ]);
    await putLines(
      path,
      lines.map((line) => line.replace("m3", "m3, edited")),
    );
    const broken = await readAll(openStore(root));
    expect([seqs(broken), types(broken), broken.damage[0]?.line]).toEqual([[1, 2, 3, 4, 5, 6], ["broken-chain"], 4]);
  });

  test("NUL bytes around the first line do no harm", async () => {
    const { root, path } = await storeWith(3);
    const [first, ...rest] = await linesOf(path);
    for (const line of [`\0\0${first}`, `${first}\0\0`]) {
      await putLines(path, [line, ...rest]);
      const seen = await readAll(openStore(root));
      expect([texts(seen).filter((text) => text !== "line-unreadable").length, types(seen)]).toEqual([
        3,
        ["unreadable"],
      ]);
      expect((await openStore(root).log.list({ project: null, limit: 9 })).length).toBe(1);
    }
  });

  test("a log that lost its first lines is read on from what is left", async () => {
    const { root, path } = await storeWith(4);
    await putLines(path, (await linesOf(path)).slice(2));
    const seen = await readAll(openStore(root));
    expect([seqs(seen), types(seen)]).toEqual([[3, 4], ["gap"]]);
  });
});

describe("numbers that stand twice", () => {
  test("C-093 · 1, 2, 3, another 3, 4 and an exact duplicate: both 3 kept in order, the copy left out, the next is 5", async () => {
    const { root, path } = await storeWith(4);
    const [a, b, c, d] = await linesOf(path);
    const other = c?.replace("m3", "late write") ?? "";
    await putLines(path, [a, b, c, other, d, c].map(String));
    const stores = openStore(root);
    const seen = await readAll(stores);
    expect(texts(seen)).toEqual(["session-started", "m2", "m3", "late write", "m4"]);
    expect(seqs(seen)).toEqual([1, 2, 3, 3, 4]);
    expect(seen.damage.map(({ line, type }) => [line, type])).toEqual([
      [4, "same-seq"],
      [6, "duplicate"],
    ]);
    expect(await appendOne(stores, 4)).toMatchObject({ type: "appended", head: { seq: 5 } });
    const again = await readAll(openStore(root));
    expect([seqs(again), again.damage.length]).toEqual([[1, 2, 3, 3, 4, 5], 2]);
  });

  test("a stretch of lines that was written twice is read once", async () => {
    const { root, path } = await storeWith(8);
    const lines = await linesOf(path);
    await putLines(path, [...lines.slice(0, 6), ...lines.slice(2, 6), ...lines.slice(6)]);
    const stores = openStore(root);
    const seen = await readAll(stores);
    expect(seqs(seen)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(types(seen)).toEqual(["duplicate", "duplicate", "duplicate", "duplicate"]);
    const middle = seen.positions[5];
    expect(seqs(await readAll(openStore(root), middle))).toEqual([7, 8]);
  });

  test("reading on between two entries of one number meets the second", async () => {
    const { root, path } = await storeWith(3);
    const [a, b, c] = await linesOf(path);
    await putLines(path, [a, b, b?.replace("m2", "other"), c].map(String));
    const seen = await readAll(openStore(root));
    for (const [index, { seq, hash }] of seen.positions.entries()) {
      expect(texts(await readAll(openStore(root), { seq, hash }))).toEqual(texts(seen).slice(index + 1));
    }
  });
});

describe("a torn last line", () => {
  test("cut at any byte, every whole line is read, and the next append cuts the rest off and says so", async () => {
    const { root, path } = await storeWith(3);
    const whole = await readFile(path);
    const second = whole.indexOf("\n", whole.indexOf("\n") + 1) + 1;
    for (let length = second; length < whole.length; length += 7) {
      await writeFile(path, whole.subarray(0, length));
      const told: [StreamId, Damage][] = [];
      const stores = openStore(root, { onDamage: (stream, damage) => told.push([stream, damage]) });
      const seen = await readAll(stores);
      const torn = length > second && length < whole.length - 1;
      expect([seqs(seen).length, types(seen)]).toEqual([
        length === whole.length - 1 ? 3 : 2,
        torn ? ["torn-tail"] : [],
      ]);
      expect((await stat(path)).size).toBe(length);
      const next = seqs(seen).length;
      expect(await appendOne(stores, next)).toMatchObject({ type: "appended", head: { seq: next + 1 } });
      expect(told.map(([, damage]) => damage.type)).toEqual(torn ? ["torn-tail"] : []);
      const again = await readAll(openStore(root));
      expect([seqs(again).length, types(again)]).toEqual([next + 1, []]);
    }
  });

  test("a whole entry that lacks only its line end is an entry", async () => {
    const { root, path } = await storeWith(3);
    await truncate(path, (await stat(path)).size - 1);
    const stores = openStore(root);
    expect([seqs(await readAll(stores)), types(await readAll(stores))]).toEqual([[1, 2, 3], []]);
    await appendOne(stores, 3);
    expect((await linesOf(path)).length).toBe(4);
    expect(types(await readAll(openStore(root)))).toEqual([]);
  });

  test("NUL bytes at the end, as a power cut leaves them, are a torn tail", async () => {
    const { root, path } = await storeWith(3);
    await appendFile(path, Buffer.alloc(4_096));
    const stores = openStore(root);
    expect(types(await readAll(stores))).toEqual(["torn-tail"]);
    expect(await appendOne(stores, 3)).toMatchObject({ type: "appended" });
    expect(types(await readAll(openStore(root)))).toEqual([]);
  });

  test("NUL bytes in the place of the last line end cost no entry", async () => {
    const { root, path } = await storeWith(3);
    await truncate(path, (await stat(path)).size - 1);
    await appendFile(path, Buffer.alloc(64));
    const stores = openStore(root);
    expect([seqs(await readAll(stores)), types(await readAll(stores))]).toEqual([[1, 2, 3], ["torn-tail"]]);
    await appendOne(stores, 3);
    expect([seqs(await readAll(openStore(root))), types(await readAll(openStore(root)))]).toEqual([[1, 2, 3, 4], []]);
  });

  test("a first line that was never finished is an empty log", async () => {
    const { root, path } = await storeWith(1);
    await truncate(path, 40);
    const stores = openStore(root);
    expect([seqs(await readAll(stores)), types(await readAll(stores))]).toEqual([[], ["torn-tail"]]);
    expect(await stores.log.list({ project: null, limit: 9 })).toEqual([]);
    expect(await appendOne(stores, 0)).toMatchObject({ type: "appended", head: { seq: 1 } });
  });

  test("an empty file and a folder without a log are empty logs, and in no list", async () => {
    const { root, path } = await storeWith(1);
    await truncate(path, 0);
    const stores = openStore(root);
    expect((await readAll(stores)).entries).toEqual([]);
    expect(await stores.log.list({ project: null, limit: 9 })).toEqual([]);
    expect(await appendOne(stores, 0)).toMatchObject({ type: "appended", head: { seq: 1 } });
  });
});

test("C-091 · a pipe or a folder in the place of a log does not hold the list up", async () => {
  const { root } = await storeWith(2);
  for (const name of ["pipe", "folder"]) await mkdir(join(root, "sessions", name));
  execFileSync("mkfifo", [join(root, "sessions/pipe/main.jsonl")]);
  await mkdir(join(root, "sessions/folder/main.jsonl"));
  expect(await openStore(root).log.list({ project: null, limit: 9 })).toMatchObject([{ session: "s1" }]);
});

describe("a log is refused", () => {
  const refused: readonly { readonly name: string; readonly first: (line: string) => string; readonly says: RegExp }[] =
    [
      { name: "when its first line is junk", first: () => "not a log", says: /line 1.*not JSON.*format 1/s },
      { name: "when its first line is NUL bytes", first: () => "\0".repeat(50), says: /line 1/ },
      {
        name: "when it says a newer format",
        first: (line) => line.replace('"format":1', '"format":2'),
        says: /format 2.*up to 1.*Use the version/s,
      },
      {
        name: "when it says no known format",
        first: (line) => line.replace('"format":1', '"format":"x"'),
        says: /no known format/,
      },
      {
        name: "when its first line lacks a field",
        first: (line) => line.replace('"cwd"', '"dwc"'),
        says: /`cwd` is missing/,
      },
    ];
  for (const { name, first, says } of refused) {
    test(`${name}: reading says file, line and what to do; nothing is written`, async () => {
      const { root, path } = await storeWith(3);
      const seen = await readAll(openStore(root));
      const lines = await linesOf(path);
      await putLines(path, [first(lines[0] ?? ""), ...lines.slice(1)]);
      const before = await readFile(path);
      const stores = openStore(root);
      await expect(readAll(stores)).rejects.toThrow(says);
      await expect(readAll(stores)).rejects.toThrow(path);
      await expect(readAll(stores, seen.positions[1])).rejects.toThrow(says);
      expect(await appendOne(stores, 3)).toMatchObject({ type: "refused", why: expect.stringMatching(says) });
      expect((await readFile(path)).equals(before)).toBe(true);
      // Listed all the same: else "continue the newest" would silently take up an older one.
      const [listed] = await stores.log.list({ project: null, limit: 9 });
      expect(listed).toMatchObject({ session: "s1", title: "m2" });
    });
  }

  test("when it says a newer format and has not even a line end", async () => {
    const { root, path } = await storeWith(1);
    const text = (await readFile(path, "utf8")).trim().replace('"format":1', '"format":2');
    await writeFile(path, text);
    await expect(readAll(openStore(root))).rejects.toThrow("format 2");
    expect((await appendOne(openStore(root), 0)).type).toBe("refused");
    expect(await readFile(path, "utf8")).toBe(text);
  });

  test("when an id would lead out of its folder", async () => {
    const { root } = await storeWith(1);
    const stores = openStore(root);
    for (const session of ["..", "../s1", "a/b", "", ".hidden", "x".repeat(200), "s1\0"]) {
      const stream: StreamId = { type: "lane", session: brand(session), lane: mainLane };
      expect(() => stores.log.read(stream, null)).toThrow("session id");
      await expect(stores.log.lease(stream, "x")).rejects.toThrow("session id");
    }
  });
});

test("an entry longer than a line may be is refused with its size, and nothing of its append is written", async () => {
  const { root, path } = await storeWith(2);
  const result = await appendOne(openStore(root), 2, said("x".repeat(bounds.lineBytesMax)));
  expect(result).toMatchObject({ type: "refused", why: expect.stringContaining(String(bounds.lineBytesMax)) });
  expect((await linesOf(path)).length).toBe(2);
});

test("what another process appended is met by the next append as a conflict, without reading the log anew", async () => {
  const { root, path } = await storeWith(3);
  const [a, b] = [openStore(root), openStore(root)];
  await readAll(a);
  expect(await appendOne(b, 3)).toMatchObject({ type: "appended" });
  expect(await appendOne(a, 3)).toMatchObject({ type: "conflict", head: { seq: 4 } });
  expect(await appendOne(a, 4, said("after"))).toMatchObject({ type: "appended", head: { seq: 5 } });
  expect((await linesOf(path)).length).toBe(5);
});

test("a log put back from a copy while it is open is read anew", async () => {
  const { root, path } = await storeWith(5);
  const copy = await readFile(path);
  const stores = openStore(root);
  await readAll(stores);
  await appendOne(stores, 5);
  await writeFile(path, Buffer.concat([copy.subarray(0, -1), Buffer.from(" \n".repeat(400))]));
  expect(await appendOne(stores, 6)).toMatchObject({ type: "conflict", head: { seq: 5 } });
  expect((await stat(join(root, "sessions/s1"))).mode & 0o777).toBe(0o700);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});
