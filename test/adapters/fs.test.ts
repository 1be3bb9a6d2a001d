import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeFs } from "../../src/adapters/fs.ts";
import { bounds } from "../../src/kernel/bounds.ts";

const fs = nodeFs();
let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "varve-fs-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (path: string) => join(root, path);
const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (read: Awaited<ReturnType<typeof fs.read>>) =>
  read.type === "read" ? new TextDecoder().decode(read.bytes) : `failed: ${read.why}`;

describe("locate", () => {
  test("follows every link, and says what is there", async () => {
    mkdirSync(at("real"));
    writeFileSync(at("real/a"), "abc");
    symlinkSync("real", at("link"));
    symlinkSync("link/a", at("twice"));
    expect(await fs.locate(at("twice"))).toEqual({ type: "found", path: at("real/a"), kind: "file", bytes: 3 });
    expect(await fs.locate(root)).toMatchObject({ type: "found", kind: "folder" });
  });

  test("C-125 · a file that is not there yet is placed where its existing parents really lead", async () => {
    mkdirSync(at("out"));
    symlinkSync("out", at("link"));
    symlinkSync("out/none", at("dangling"));
    symlinkSync("dangling", at("dangling2"));
    expect(await fs.locate(at("link/new/deep.txt"))).toEqual({ type: "absent", path: at("out/new/deep.txt") });
    expect(await fs.locate(at("dangling2"))).toEqual({ type: "absent", path: at("out/none") });
  });

  test("a loop of links, a file used as a folder and too long a name are told, not thrown", async () => {
    symlinkSync("loop", at("loop"));
    writeFileSync(at("file"), "");
    for (const path of [at("loop"), at("loop/x"), at("file/x"), at("x".repeat(300))]) {
      expect((await fs.locate(path)).type).toBe("unusable");
    }
  });

  test(`law 10 · more than ${bounds.linksMax} steps without a file are a loop`, async () => {
    expect((await fs.locate(at("d/".repeat(bounds.linksMax + 1)))).type).toBe("unusable");
    expect((await fs.locate(at("d/".repeat(bounds.linksMax - 2)))).type).toBe("absent");
  });
});

describe("read", () => {
  test("reads to the end, or to the limit and says that there is more", async () => {
    writeFileSync(at("f"), "0123456789");
    expect(await fs.read(at("f"), 10)).toEqual({ type: "read", bytes: bytes("0123456789"), more: false });
    expect(await fs.read(at("f"), 9)).toEqual({ type: "read", bytes: bytes("012345678"), more: true });
    writeFileSync(at("big"), "x".repeat(100_000));
    expect(textOf(await fs.read(at("big"), 1e6))).toHaveLength(100_000);
  });

  test("files of size 0 that have content are read", async () => {
    expect(textOf(await fs.read(`/proc/${process.pid}/status`, 1e6))).toContain("Name:");
  });

  test("never hangs: devices, pipes, sockets, folders and links are refused", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    writeFileSync(at("f"), "");
    symlinkSync("f", at("link"));
    const server = createServer().listen(at("socket"));
    await new Promise((resolve) => server.on("listening", resolve));
    for (const path of ["/dev/zero", "/dev/tty", at("pipe"), at("socket"), root, at("link"), at("none")]) {
      expect((await fs.read(path, 100)).type).toBe("failed");
    }
    await new Promise((resolve) => server.close(resolve));
  });

  test("C-125 · a folder swapped for a link after it was located is not followed", async () => {
    mkdirSync(at("in"));
    mkdirSync(at("out"));
    writeFileSync(at("out/f"), "secret");
    writeFileSync(at("in/f"), "mine");
    renameSync(at("in"), at("old"));
    symlinkSync("out", at("in"));
    expect(textOf(await fs.read(at("in/f"), 100))).toMatch(/^failed: .*link/);
  });
});

describe("write", () => {
  test("makes parents, keeps the mode, leaves nothing beside", async () => {
    expect(await fs.write(at("a/b/c.sh"), bytes("1"))).toEqual({ type: "written" });
    chmodSync(at("a/b/c.sh"), 0o751);
    expect(await fs.write(at("a/b/c.sh"), bytes("22"))).toEqual({ type: "written" });
    expect(readFileSync(at("a/b/c.sh"), "utf8")).toBe("22");
    expect(statSync(at("a/b/c.sh")).mode & 0o777).toBe(0o751);
    expect(readdirSync(at("a/b"))).toEqual(["c.sh"]);
  });

  test("C-125 · a hard link to outside keeps its content there", async () => {
    writeFileSync(at("outside"), "theirs");
    linkSync(at("outside"), at("inside"));
    await fs.write(at("inside"), bytes("mine"));
    expect(readFileSync(at("outside"), "utf8")).toBe("theirs");
  });

  test("C-125 · is refused behind a link that came in between, for a file and for missing folders", async () => {
    mkdirSync(at("out"));
    symlinkSync("out", at("swapped"));
    symlinkSync("out/victim", at("dangling"));
    expect((await fs.write(at("swapped/new.txt"), bytes("x"))).type).toBe("failed");
    expect((await fs.write(at("swapped/new/deep.txt"), bytes("x"))).type).toBe("failed");
    expect((await fs.write(at("dangling"), bytes("x"))).type).toBe("failed");
    expect(readdirSync(at("out"))).toEqual([]);
  });

  test("folders, devices and what a disk refuses are told, not thrown", async () => {
    mkdirSync(at("folder"));
    for (const path of [at("folder"), "/dev/full", "/proc/new", at("x".repeat(300))]) {
      expect((await fs.write(path, bytes("x"))).type).toBe("failed");
    }
  });
});
