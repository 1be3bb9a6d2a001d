import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { nodeFs } from "../../src/adapters/fs.ts";
import { isDamage } from "../../src/adapters/index-database.ts";
import { projectFiles } from "../../src/adapters/project-files.ts";
import { removeProjectIndexes } from "../../src/adapters/project-index-path.ts";
import { findRipgrep } from "../../src/adapters/ripgrep.ts";
import { nodeShell } from "../../src/adapters/shell.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import type { Shell } from "../../src/ports/shell.ts";
import { noMask } from "../../src/secrets/mask.ts";
import { said } from "../../src/testing/store-proof.ts";
import { createBoundary } from "../../src/workspace/boundary.ts";
import { openProject, projectFolder, removeFolders } from "../support/project-search.ts";

afterAll(removeFolders);

const fileCount = 60;
function filled() {
  const folder = projectFolder();
  for (let n = 0; n < fileCount; n++)
    folder.put(`src/f${n}.ts`, `/** About token${n}x. */\nexport const value${n} = "${"pad ".repeat(20)}";\n`);
  return folder;
}

const withoutIndex = "there is no index to be had now: the files themselves were read";

describe("the file is a shortcut and never the truth", () => {
  test("nothing is made before the first search; then it is the user's alone", async () => {
    const folder = filled();
    const { places, path } = await openProject(folder);
    expect(() => statSync(path)).toThrow();
    expect(await places("token7x")).toEqual(["src/f7.ts:1-2"]);
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  test("deleted while another process has it open, it is made anew", async () => {
    const { places, path } = await openProject(filled());
    await places("token7x");
    const held = new DatabaseSync(path);
    held.exec("PRAGMA journal_mode = WAL; BEGIN; SELECT count(*) FROM documents");
    rmSync(path);
    expect(await places("token8x")).toEqual(["src/f8.ts:1-2"]);
    held.close();
    expect(await places("token9x")).toEqual(["src/f9.ts:1-2"]);
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
        other.exec("CREATE TABLE words (a); CREATE TABLE documents (b); PRAGMA user_version = 7");
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
  ])("damaged (%s), it is replaced, by the next process and by this one", async (_, damage) => {
    const folder = filled();
    const { places, path } = await openProject(folder);
    await places("token7x");
    for (const index of [await openProject(folder), { places }]) {
      damage(path);
      for (const n of [3, 33, 59]) expect(await index.places(`token${n}x`)).toEqual([`src/f${n}.ts:1-2`]);
    }
    const file = new DatabaseSync(path);
    expect(file.prepare("SELECT count(*) AS n FROM documents").get()?.n).toBe(fileCount);
    file.close();
  });

  test("locked by another process, or where no file can be made, everything is read instead, and that is said", async () => {
    const folder = filled();
    const { find, places, path } = await openProject(folder);
    await places("token7x");
    const other = new DatabaseSync(path);
    other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    const found = await find("token9x");
    expect([found.fragments.length, found.notes[0]]).toEqual([1, withoutIndex]);
    other.exec("COMMIT");
    other.close();
    const none = await openProject({ ...folder, keep: false });
    await none.session("s1", [said("token9x was decided")]);
    expect((await none.places("token9x")).toSorted()).toEqual(["s1#2:1-1", "src/f9.ts:1-2"]);
    writeFileSync(join(folder.base, "file"), "");
    const nowhere = await openProject({ ...folder, home: join(folder.base, "file") });
    expect(await nowhere.places("token9x", { within: ["code"] })).toEqual(["src/f9.ts:1-2"]);
  });

  test("a writer that does not end is not waited for: what is there is searched, and what may be missing is said", async () => {
    const folder = filled();
    const { find, places, path } = await openProject(folder);
    await places("token7x");
    folder.put("new.md", "token7x again\n");
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const found = await find("token7x");
    expect(found.fragments.length).toBe(1);
    expect(found.notes[0]).toMatch(/^another process is writing the index, or there is no more room in it: /);
    other.exec("ROLLBACK");
    other.close();
    expect((await places("token7x")).toSorted()).toEqual(["new.md:1-1", "src/f7.ts:1-2"]);
  });

  test("a redaction takes it away, with what stands beside it", async () => {
    const folder = filled();
    const { places, path } = await openProject(folder);
    await places("token7x");
    await removeProjectIndexes(folder.home);
    expect(() => statSync(path)).toThrow();
    expect(await places("token7x")).toEqual(["src/f7.ts:1-2"]);
  });
});

describe("several processes", () => {
  const script = (folder: ReturnType<typeof filled>) => `
    import { openProject } from ${JSON.stringify(join(import.meta.dirname, "../support/project-search.ts"))};
    const { find } = await openProject(${JSON.stringify({ root: folder.root, home: folder.home })});
    console.log("begun");
    const found = await find("token7x");
    console.log(found.fragments.length, found.left);`;
  const start = (folder: ReturnType<typeof filled>): ChildProcess =>
    spawn(process.execPath, ["--input-type=module", "-e", script(folder)], { stdio: ["ignore", "pipe", "inherit"] });
  const outputOf = async (child: ChildProcess): Promise<string> => {
    let text = "";
    for await (const part of child.stdout ?? []) text += String(part);
    return text;
  };

  const many = 240;

  test("two that index at once, and one that is killed while it does, leave a whole index", async () => {
    const folder = filled();
    for (let n = fileCount; n < many; n++)
      folder.put(`src/f${n}.ts`, `/** About token${n}x. */\n${"const pad = 1;\n".repeat(120)}`);
    const killed = start(folder);
    const ended = outputOf(killed);
    for (let n = 0; n < 400 && !isBegun(folder.home); n++) await new Promise((resolve) => setTimeout(resolve, 25));
    killed.kill("SIGKILL");
    await ended;
    const outputs = await Promise.all([start(folder), start(folder)].map(outputOf));
    for (const output of outputs) expect(output).toMatch(/^begun\n1 \d+\n$/);
    const { find, places, path } = await openProject(folder);
    for (let n = 0; n < 20 && (await find("token7x")).left > 0; n++);
    for (const n of [0, 7, many - 1]) expect((await places(`token${n}x`))[0]).toMatch(new RegExp(`^src/f${n}.ts:1-`));
    const file = new DatabaseSync(path);
    expect(file.prepare("PRAGMA integrity_check").get()?.integrity_check).toBe("ok");
    expect(file.prepare("SELECT count(*) AS n FROM documents").get()?.n).toBe(many);
    expect(
      file.prepare("SELECT count(*) AS n FROM pieces WHERE document NOT IN (SELECT id FROM documents)").get()?.n,
    ).toBe(0);
    file.close();
  }, 60_000);

  function isBegun(home: string): boolean {
    const path = join(home, "projects", "p1.index.sqlite");
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  }
});

test("law 10 · of more files than bounds.projectFilesMax the rest is left out and counted, docs last of all", async () => {
  const folder = projectFolder();
  folder.put("src/f.ts", "");
  folder.put("a/deep/folder/note.md", "x");
  const fs = nodeFs();
  const boundary = await createBoundary({ fs, roots: [folder.root], outsideAllowed: () => false });
  const names = `${"./src/f.ts\0".repeat(bounds.projectFilesMax + 5)}./a/deep/folder/note.md\0`;
  const output = { head: names, bytesLeftOut: 0, tail: "" };
  const errorOutput = { head: "", bytesLeftOut: 0, tail: "" };
  const shell: Shell = {
    run: async () => ({ end: { type: "exited", exitCode: 0 }, output, errorOutput, leftBehind: "none" }),
  };
  const files = projectFiles({ fs, mask: noMask, search: { shell, findRipgrep, boundary } });
  const listed = await files.list(folder.root, new AbortController().signal);
  expect([listed.files.length, listed.leftOut["too many"], listed.files[0]?.below]).toEqual([
    bounds.projectFilesMax,
    6,
    "a/deep/folder/note.md",
  ]);
});

test("without ripgrep the files are not searched, sessions are, and that is said", async () => {
  const folder = projectFolder();
  folder.put("a.md", "quorum");
  const fs = nodeFs();
  const boundary = await createBoundary({ fs, roots: [folder.root], outsideAllowed: () => false });
  const search = {
    shell: nodeShell({ env: process.env }),
    findRipgrep: async () => ({ type: "missing", why: "no ripgrep here" }) as const,
    boundary,
  };
  const listed = await projectFiles({ fs, mask: noMask, search }).list(folder.root, new AbortController().signal);
  expect([listed.files, listed.partial]).toEqual([[], "no ripgrep here"]);
});

test("a full disk or a lock is no damage: the file is left alone", () => {
  const withCode = (errcode: number) => Object.assign(new Error("x"), { errcode });
  expect([5, 13, 11, 26, 267].map((code) => isDamage(withCode(code)))).toEqual([false, false, true, true, true]);
});
