import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { initFolder, lookAtFile } from "../../src/adapters/init-files.ts";
import { undoInit } from "../../src/adapters/init-undo.ts";
import { type WriteStep, writeInit } from "../../src/adapters/init-write.ts";
import { bounds } from "../../src/kernel/bounds.ts";

let base = "";
let folder = "";
let home = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "varve-init-")));
  [folder, home] = [join(base, "p"), join(base, "home")];
  mkdirSync(folder);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const file = (path: string, text: string | Uint8Array) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const read = (path: string) => readFileSync(join(folder, path), "utf8");
const step = (path: string, before: string | null, after: string): WriteStep => ({
  type: "write",
  path,
  what: "x",
  before,
  after,
  notes: [],
});
const write = (steps: readonly WriteStep[], second = 0) =>
  writeInit({ folder, home, now: new Date(Date.UTC(2026, 10, 30, 12, 0, second)) }, steps);
const undo = () => undoInit({ folder, home });
const all = () => readdirSync(folder, { recursive: true }).map(String).toSorted();

describe("what is found at a path", () => {
  test("a text is as it stands, byte order mark and line ends included", async () => {
    file("a.md", "\ufeffone\r\ntwo");
    expect(await lookAtFile(folder, "a.md")).toEqual({
      type: "text",
      place: join(folder, "a.md"),
      text: "\ufeffone\r\ntwo",
    });
  });

  test("a folder, a link that leads out, a protected file, bytes that are no text and a file too large are named", async () => {
    mkdirSync(join(folder, "CLAUDE.md"));
    writeFileSync(join(base, "out.md"), "out");
    symlinkSync(join(base, "out.md"), join(folder, "link.md"));
    symlinkSync(join(base, "new"), join(folder, ".cursor"));
    symlinkSync("loop.md", join(folder, "loop.md"));
    file("locked.md", "x");
    chmodSync(join(folder, "locked.md"), 0o444);
    file("utf16.md", new Uint8Array([0xff, 0xfe, 0x41, 0]));
    file("large.md", " ".repeat(bounds.instructionFileBytesMax + 1));
    expect(await lookAtFile(folder, "CLAUDE.md")).toEqual({ type: "folder" });
    for (const [path, why] of [
      ["link.md", /leads out of the project, to .*out\.md/],
      [".cursor/rules/varve.mdc", /leads out of the project/],
      ["loop.md", /circle/],
      ["locked.md", /write-protected/],
      ["utf16.md", /no UTF-8/],
      ["large.md", /more than/],
    ] as const)
      expect(await lookAtFile(folder, path)).toEqual({ type: "unusable", why: expect.stringMatching(why) });
  });

  test("the repository is the nearest folder upwards with .git", async () => {
    expect(await initFolder(folder)).toEqual({ folder, repository: null });
    mkdirSync(join(folder, ".git"));
    mkdirSync(join(folder, "sub"));
    expect(await initFolder(join(folder, "sub"))).toEqual({ folder: join(folder, "sub"), repository: folder });
  });
});

describe("writing and taking back", () => {
  test("everything is as it was after --undo, new files and folders made for them included", async () => {
    file("AGENTS.md", "\ufeffmine\r\n");
    file("docs/own.md", "own");
    chmodSync(join(folder, "AGENTS.md"), 0o640);
    const before = all();
    const steps = [
      step("AGENTS.md", "\ufeffmine\r\n", "\ufeffmine\r\nours\r\n"),
      step(".cursor/rules/varve.mdc", null, "rule"),
      step("docs/a.md", null, "a"),
      step("new/a.md", null, "a"),
      step("new/b.md", null, "b"),
    ];
    const written = await write(steps);
    expect(written.type).toBe("written");
    expect(read("AGENTS.md")).toBe("\ufeffmine\r\nours\r\n");
    expect(statSync(join(folder, "AGENTS.md")).mode & 0o777).toBe(0o640);
    const backup = written.type === "written" ? written.backup : "";
    expect(backup.startsWith(join(home, "backups", "2026-11-30T12-00-00-000Z-"))).toBe(true);
    expect(statSync(backup).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(backup, "0"), "utf8")).toBe("\ufeffmine\r\n");
    expect(await undo()).toMatchObject({ type: "undone", restored: ["AGENTS.md"], left: [] });
    expect(all()).toEqual(before);
    expect(read("AGENTS.md")).toBe("\ufeffmine\r\n");
    expect(await undo()).toEqual({ type: "none" });
  });

  test("what was changed since stays, with where its former text is; it can be taken back once it is as written", async () => {
    file("a.md", "mine");
    await write([step("a.md", "mine", "ours"), step("b.md", null, "ours"), step("c.md", null, "ours")]);
    file("a.md", "ours, changed");
    file("b.md", "theirs now");
    expect(await undo()).toMatchObject({
      removed: ["c.md"],
      left: [
        { path: "b.md", why: "it was changed since" },
        { path: "a.md", why: expect.stringMatching(/changed since; what it was before is in .*backups.*\/0$/) },
      ],
    });
    expect([read("a.md"), read("b.md")]).toEqual(["ours, changed", "theirs now"]);
    file("a.md", "ours");
    rmSync(join(folder, "b.md"));
    expect(await undo()).toMatchObject({ left: [] });
    expect(all()).toEqual(["a.md"]);
    expect(read("a.md")).toBe("mine");
  });

  test("runs are taken back the newest first, and those of other folders are left", async () => {
    await write([step("a.md", null, "one")], 1);
    await write([step("a.md", "one", "two")], 2);
    await writeInit({ folder: join(base), home, now: new Date(Date.UTC(2027, 1, 1)) }, [step("x.md", null, "x")]);
    await undo();
    expect(read("a.md")).toBe("one");
    await undo();
    expect(all()).toEqual([]);
    expect(existsSync(join(base, "x.md"))).toBe(true);
  });

  test("one file that cannot be written takes back those before it", async () => {
    file("a.md", "mine");
    file("b.md", "changed while the question stood");
    expect(
      await write([step("a.md", "mine", "ours"), step("n/c.md", null, "c"), step("b.md", "mine", "ours")]),
    ).toEqual({
      type: "failed",
      why: "b.md: it has just been changed by somebody else",
      left: ["b.md"],
    });
    expect(all()).toEqual(["a.md", "b.md"]);
    expect(read("a.md")).toBe("mine");
  });

  test("where no backup can be kept nothing is written", async () => {
    writeFileSync(home, "a file");
    file("a.md", "mine");
    expect(await write([step("a.md", "mine", "ours")])).toMatchObject({
      type: "failed",
      why: expect.stringContaining("no backup"),
    });
    expect(read("a.md")).toBe("mine");
  });

  test("a record that leads out of the project, and one that is damaged, are none of ours", async () => {
    await write([step("a.md", null, "ours")]);
    const [name = ""] = readdirSync(join(home, "backups"));
    const record = join(home, "backups", name, "record.json");
    const text = readFileSync(record, "utf8");
    for (const wrong of [
      text.replace('"a.md"', '"../a.md"'),
      text.replace('"a.md"', '"/etc/x"'),
      text.slice(0, 50),
      "[]",
    ]) {
      writeFileSync(record, wrong);
      expect(await undo()).toEqual({ type: "none" });
    }
    writeFileSync(record, text);
    expect(await undo()).toMatchObject({ removed: ["a.md"] });
  });

  test("only the newest runs are looked through", async () => {
    await write([step("a.md", null, "ours")]);
    for (let at = 0; at < bounds.initBackupsMax; at++) mkdirSync(join(home, "backups", `9-${at}`));
    expect(await undo()).toEqual({ type: "none" });
  });
});
