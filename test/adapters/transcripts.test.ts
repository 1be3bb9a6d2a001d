import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pictureFault, writePicture } from "../../src/adapters/picture-file.ts";
import { openTranscript } from "../../src/adapters/transcript-bytes.ts";
import { findTranscripts, type TranscriptRoot } from "../../src/adapters/transcript-files.ts";
import { type FoundSession, sessionsIn } from "../../src/adapters/transcripts.ts";
import type { Item } from "../../src/import/transcript.ts";
import { bounds } from "../../src/kernel/bounds.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "varve-transcripts-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const never = new AbortController().signal;

function put(path: string, text = "{}\n"): string {
  const whole = join(folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

const named = (path = folder): TranscriptRoot => ({ type: "named", path });

describe("finding transcripts", () => {
  const find = async (...roots: readonly TranscriptRoot[]) => {
    const { files, skipped, others } = await findTranscripts(roots, never);
    return { names: files.map(({ path }) => basename(path)).sort(), skipped, others };
  };

  test("in a folder the ending of a name makes a candidate, and the others are counted", async () => {
    for (const name of ["a.jsonl", "b/c.json", "b/d.traj", "e.db", "f.ndjson", "G.JSONL"]) put(name);
    for (const name of ["notes.txt", "b/log", "x.jsonl.bak", "opencode.db-wal"]) put(name);
    expect(await find(named())).toEqual({
      names: ["G.JSONL", "a.jsonl", "c.json", "d.traj", "e.db", "f.ndjson"],
      skipped: [],
      others: 4,
    });
  });

  test("a file that is named is a candidate whatever it is called", async () => {
    expect((await find(named(put("notes.txt")))).names).toEqual(["notes.txt"]);
  });

  test("links are followed, loops end, and no file is found twice", async () => {
    const file = put("deep/a.jsonl");
    symlinkSync(folder, join(folder, "deep/loop"));
    symlinkSync("deep", join(folder, "again"));
    symlinkSync(file, join(folder, "other.jsonl"));
    linkSync(file, join(folder, "hard.jsonl"));
    symlinkSync("nowhere", join(folder, "broken.jsonl"));
    symlinkSync("self.jsonl", join(folder, "self.jsonl"));
    const found = await find(named(), named(file), named(folder));
    expect(found.names).toEqual(["a.jsonl"]);
    expect(found.skipped.map(({ path }) => basename(path))).toEqual(["broken.jsonl", "self.jsonl"]);
  });

  test("pipes, sockets, devices, packed and missing files are named and never opened", async () => {
    execFileSync("mkfifo", [join(folder, "pipe.jsonl")]);
    const server = createServer().listen(join(folder, "socket.json"));
    await new Promise((resolve) => server.once("listening", resolve));
    symlinkSync("/dev/zero", join(folder, "zero.jsonl"));
    for (const name of ["old.jsonl.gz", "rollout.jsonl.zst"]) put(name);
    const { names, skipped } = await find(named(), named(join(folder, "missing")));
    server.close();
    expect(names).toEqual([]);
    expect(skipped.map(({ path, why }) => `${basename(path)}: ${why}`)).toEqual([
      "old.jsonl.gz: it is compressed (.gz): unpack it first",
      "pipe.jsonl: it is a pipe, not a file",
      "rollout.jsonl.zst: it is compressed (.zst): unpack it first",
      "socket.json: it is a socket, not a file",
      "zero.jsonl: it is a device, not a file",
      "missing: no such file or folder",
    ]);
  });

  test("a usual place that is not there is nothing, and one that is has its own names", async () => {
    put("sessions/a.jsonl");
    put("sessions/b.json");
    const accepts = (path: string) => path === "a.jsonl";
    const usual = (path: string): TranscriptRoot => ({ type: "usual", path: join(folder, path), accepts });
    expect(await find(usual("sessions"), usual("gone"), usual("sessions/a.jsonl/x"))).toEqual({
      names: ["a.jsonl"],
      skipped: [],
      others: 1,
    });
  });

  test("modules and repositories are passed over", async () => {
    put("node_modules/x/package.json");
    put(".git/x.json");
    put("a.jsonl");
    expect(await find(named())).toEqual({ names: ["a.jsonl"], skipped: [], others: 0 });
  });

  test("transcriptFilesMax, transcriptEntriesMax, transcriptDepthMax: a search has limits and says which it reached", async () => {
    for (const name of ["1/a.jsonl", "1/b.jsonl", "1/2/3/c.jsonl", "d.jsonl"]) put(name);
    const max = {
      files: bounds.transcriptFilesMax,
      entries: bounds.transcriptEntriesMax,
      depth: bounds.transcriptDepthMax,
    };
    for (const [limits, files, says] of [
      [{ ...max, files: 2 }, 2, /2 files; what is left/],
      [{ ...max, entries: 3 }, 0, /3 names or/],
      [{ ...max, depth: 1 }, 3, /deeper than 1 levels/],
      [max, 4, null],
    ] as const) {
      const found = await findTranscripts([named()], never, limits);
      expect(found.files).toHaveLength(files);
      expect(found.skipped).toHaveLength(says === null ? 0 : 1);
      if (says !== null) expect(found.skipped[0]?.why).toMatch(says);
    }
  });

  test("the signal ends a search", async () => {
    put("a.jsonl");
    expect((await findTranscripts([named()], AbortSignal.abort())).files).toEqual([]);
  });
});

const typed = (text: string) =>
  `${JSON.stringify({ type: "user", uuid: text, parentUuid: null, sessionId: "s", timestamp: "2026-01-02T03:04:05.000Z", message: { role: "user", content: text } })}\n`;

async function readAll(path: string, signal = never, meanwhile = () => {}) {
  const [file] = (await findTranscripts([named(path)], never)).files;
  if (file === undefined) throw new Error(`${path} was not found`);
  const found: FoundSession[] = [];
  const items: Item[] = [];
  let bytes = 0;
  const onRead = (more: number) => {
    bytes += more;
    meanwhile();
  };
  for await (const one of sessionsIn(file, { signal, onRead })) {
    found.push(one);
    if (one.type === "session") for await (const item of one.items) items.push(item);
  }
  const texts = items.flatMap((item) => (item.type === "message" ? [item.text] : []));
  const notes = found.flatMap((one) => (one.type === "session" ? [] : [`${one.type}: ${one.why}`]));
  return { texts, notes, bytes, items };
}

describe("reading transcripts", () => {
  test("characters that a chunk cuts in two are whole, and every byte is told", async () => {
    const texts = Array.from({ length: 4 }, (_, n) => `${"x".repeat(n)}${"漢😀".repeat(40_000)}`);
    const path = put("a.jsonl", texts.map(typed).join("").replaceAll("\n", "\r\n"));
    const read = await readAll(path);
    expect(read.texts).toEqual(texts);
    expect(read).toMatchObject({ notes: [], bytes: readFileSync(path).length });
  });

  test("a foreign file is skipped with the reason", async () => {
    expect((await readAll(put("notes.txt", "hello\n"))).notes).toEqual([expect.stringMatching(/^skipped: .*hello/)]);
    expect((await readAll(put("empty.jsonl", ""))).notes).toEqual([expect.stringMatching(/^skipped: .*empty/)]);
  });

  test("what becomes longer, shorter or other while it is read is said, and what was read counts", async () => {
    for (const [change, says] of [
      [(path: string) => appendFileSync(path, typed("late")), "noted: it grew while it was read"],
      [(path: string) => truncateSync(path, 10), "noted: it became shorter while it was read"],
      [(path: string) => writeFileSync(path, readFileSync(path)), "noted: it was changed while it was read"],
    ] as const) {
      const path = put("a.jsonl", typed("one"));
      let isFirst = true;
      const { texts, notes } = await readAll(path, never, () => {
        if (isFirst) change(path);
        isFirst = false;
      });
      expect([texts, notes]).toEqual([["one"], [expect.stringContaining(says)]]);
    }
  });

  test("what vanishes or becomes a pipe before it is opened is refused", async () => {
    const reading = { signal: never, onRead: () => {} };
    expect(await openTranscript(join(folder, "gone"), reading)).toMatchObject({ type: "refused" });
    execFileSync("mkfifo", [join(folder, "pipe")]);
    expect(await openTranscript(join(folder, "pipe"), reading)).toMatchObject({ type: "refused" });
    expect(await openTranscript(folder, reading)).toMatchObject({ type: "refused" });
  });

  test("the signal ends a file early without a false word about a torn line", async () => {
    const controller = new AbortController();
    const path = put("a.jsonl", Array.from({ length: 60 }, (_, n) => typed(`${n}${"x".repeat(100_000)}`)).join(""));
    let chunks = 0;
    const { texts, items, notes } = await readAll(path, controller.signal, () => {
      chunks += 1;
      if (chunks === 30) controller.abort();
    });
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.length).toBeLessThan(60);
    expect(items.filter(({ type }) => type === "unreadable")).toEqual([]);
    expect(notes).toEqual([]);
  });

  test("events that stand in files of their own are one session, in their order", async () => {
    const event = (id: number) => ({
      id,
      source: "user",
      action: "message",
      args: { content: `say ${id}` },
      message: "",
    });
    for (const id of [2, 10, 1]) put(`s/events/${id}.json`, JSON.stringify(event(id), null, 2));
    put("s/events/3.json", "{ torn");
    const { texts, items } = await readAll(join(folder, "s"));
    expect(texts).toEqual(["say 1", "say 2", "say 10"]);
    expect(items.filter(({ type }) => type === "unreadable")).toHaveLength(1);
  });
});

describe("opencode before its version 1.2", () => {
  test("a session is put together of its messages and their parts, and what is damaged is said", async () => {
    const message = (id: string, value: object) =>
      put(`storage/message/ses_1/${id}.json`, JSON.stringify({ id, sessionID: "ses_1", ...value }));
    const part = (of: string, id: string, value: object) =>
      put(`storage/part/${of}/${id}.json`, JSON.stringify({ id, messageID: of, sessionID: "ses_1", ...value }));
    put("storage/session/p/ses_1.json", JSON.stringify({ id: "ses_1", directory: "/home/dev/shop" }));
    put("storage/session_diff/ses_1.json", "[]");
    message("msg_1", { role: "user", time: { created: 1_770_000_000_000 } });
    part("msg_1", "prt_1", { type: "text", text: "fix it" });
    const tokens = { input: 100, output: 20, reasoning: 0, cache: { read: 900, write: 50 } };
    message("msg_2", {
      role: "assistant",
      modelID: "claude-sonnet-4-5",
      providerID: "anthropic",
      tokens,
      time: { created: 1_770_000_001_000 },
    });
    part("msg_2", "prt_2", { type: "text", text: "fixed" });
    put("storage/part/msg_2/prt_3.json", "{ torn");
    const { files, skipped } = await findTranscripts([named()], never);
    expect([files.map(({ path }) => basename(path)), skipped]).toEqual([["ses_1"], []]);
    const { texts, items, notes } = await readAll(folder);
    expect(texts).toEqual(["fix it"]);
    expect(items.flatMap((item) => (item.type === "usage" ? [item.usage.cacheRead] : []))).toEqual([900]);
    expect(items.some((item) => item.type === "text" && item.text === "fixed")).toBe(true);
    expect(notes).toEqual(["noted: 1 of its messages and parts could not be read"]);
  });
});

describe("the picture's file", () => {
  const mark = "<!-- ours -->";

  test("is made, and written over when it is ours, whatever its length", async () => {
    const path = join(folder, "a.svg");
    expect([await pictureFault(path, mark), await writePicture(path, `${mark}long picture`, mark)]).toEqual([
      null,
      null,
    ]);
    expect([await pictureFault(path, mark), await writePicture(path, `${mark}new`, mark)]).toEqual([null, null]);
    expect(readFileSync(path, "utf8")).toBe(`${mark}new`);
  });

  test("somebody else's file, a folder and a place that is not there are left alone", async () => {
    const path = put("session.jsonl", "precious");
    expect(await pictureFault(path, mark)).toMatch(/not written over/);
    expect(await writePicture(path, mark, mark)).toMatch(/not written over/);
    expect(readFileSync(path, "utf8")).toBe("precious");
    expect(await pictureFault(folder, mark)).toMatch(/folder/);
    expect(await writePicture(join(folder, "no/a.svg"), mark, mark)).toMatch(/no such file or folder/);
    expect(await writePicture("/dev/null", mark, mark)).toMatch(/not a file/);
  });
});
