import { chmod, mkdir, mkdtemp, realpath, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { instructionsAt } from "../../src/adapters/instructions.ts";
import { bounds } from "../../src/kernel/bounds.ts";

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A machine with a home, a managed file, and a repository in `w/app`; `cwd` is below it. */
async function machine(files: Files, cwd = "w/app") {
  const top = await realpath(await mkdtemp(join(tmpdir(), "varve-instructions-")));
  folders.push(top);
  const at = (path: string) => join(top, path);
  const write = async (path: string, text: string | Uint8Array) => {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
  };
  await mkdir(at("w/app/.git"), { recursive: true });
  await mkdir(at(cwd), { recursive: true });
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const places = { cwd: at(cwd), userHome: at("home"), home: at("home/.varve"), managed: at("etc/CLAUDE.md") };
  const asking = instructionsAt(places);
  const look = async (touched: readonly string[] = [], standing: readonly string[] = []) => {
    const found = await asking({ touched: touched.map(at), standing: standing.map(at) });
    const short = (text: string) => text.replaceAll(`${top}/`, "");
    return {
      files: found.files.map(({ name, because, ...one }) => ({
        ...one,
        name: short(name),
        because: because === null ? null : short(because),
        text: short(one.text),
      })),
      names: found.files.map(({ name }) => short(name)),
      notes: found.notes.map(short),
    };
  };
  return { at, write, look };
}

describe("the order of the files", () => {
  test("the machine's, the user's, then from the repository's root down to the working directory", async () => {
    const { look } = await machine(
      {
        "etc/CLAUDE.md": "managed",
        "home/.claude/CLAUDE.md": "user",
        "home/.varve/AGENTS.md": "user too",
        "home/.claude/rules/own.md": "user rule",
        "w/CLAUDE.md": "above the repository",
        "w/app/CLAUDE.md": "root",
        "w/app/CLAUDE.local.md": "mine",
        "w/app/.claude/rules/b/z.md": "rule z",
        "w/app/.claude/rules/a.md": "rule a",
        "w/app/pkg/AGENTS.md": "pkg",
        "w/app/pkg/x/.claude/CLAUDE.md": "x",
        "w/app/pkg/x/y/CLAUDE.md": "below",
      },
      "w/app/pkg/x",
    );
    const { files, notes } = await look();
    expect(files.map(({ name, origin, kind }) => [name, origin, kind])).toEqual([
      ["etc/CLAUDE.md", "managed", "instructions"],
      ["home/.claude/CLAUDE.md", "user", "instructions"],
      ["home/.varve/AGENTS.md", "user", "instructions"],
      ["home/.claude/rules/own.md", "user", "rule"],
      ["w/app/CLAUDE.md", "project", "instructions"],
      ["w/app/CLAUDE.local.md", "local", "instructions"],
      ["w/app/.claude/rules/a.md", "project", "rule"],
      ["w/app/.claude/rules/b/z.md", "project", "rule"],
      ["w/app/pkg/AGENTS.md", "project", "instructions"],
      ["w/app/pkg/x/.claude/CLAUDE.md", "project", "instructions"],
    ]);
    expect(notes).toEqual([]);
  });

  test("a folder without any says nothing", async () => {
    expect(await (await machine({})).look(["w/app/a.ts"])).toEqual({ files: [], names: [], notes: [] });
  });
});

describe("CLAUDE.md and AGENTS.md in one folder", () => {
  test("CLAUDE.md is read, and the other is named", async () => {
    const { names, notes } = await (await machine({ "w/app/CLAUDE.md": "c", "w/app/AGENTS.md": "a" })).look();
    expect(names).toEqual(["w/app/CLAUDE.md"]);
    expect(notes).toEqual(["w/app/AGENTS.md is not read: w/app has a CLAUDE.md, which does not import it"]);
  });

  test.each([
    ["imported", { "w/app/CLAUDE.md": "@AGENTS.md\nand c", "w/app/AGENTS.md": "a" }, ["CLAUDE.md", "AGENTS.md"]],
    ["all that CLAUDE.md says", { "w/app/CLAUDE.md": "@AGENTS.md\n", "w/app/AGENTS.md": "a" }, ["AGENTS.md"]],
    ["the same text", { "w/app/CLAUDE.md": "same\n", "w/app/AGENTS.md": "same\r\n" }, ["CLAUDE.md"]],
    ["an override", { "w/app/AGENTS.md": "a", "w/app/AGENTS.override.md": "b" }, ["AGENTS.override.md"]],
    [
      "alone, beside a local file",
      { "w/app/AGENTS.md": "a", "w/app/CLAUDE.local.md": "l" },
      ["AGENTS.md", "CLAUDE.local.md"],
    ],
    [
      "CLAUDE.md in both places",
      { "w/app/CLAUDE.md": "c", "w/app/.claude/CLAUDE.md": "d" },
      ["CLAUDE.md", ".claude/CLAUDE.md"],
    ],
  ])("%s: each text once, no word", async (_, files: Files, expected) => {
    const { names, notes } = await (await machine(files)).look();
    expect(names).toEqual(expected.map((name) => `w/app/${name}`));
    expect(notes).toEqual([]);
  });

  test("a link from one to the other is one file", async () => {
    const { at, look } = await machine({ "w/app/AGENTS.md": "a" });
    await symlink(at("w/app/AGENTS.md"), at("w/app/CLAUDE.md"));
    expect(await look()).toMatchObject({ names: ["w/app/CLAUDE.md"], notes: [] });
  });
});

describe("imports", () => {
  test("come behind the file that names them, each once, and say who named them", async () => {
    const { look } = await machine({
      "w/app/CLAUDE.md": "root @docs/a.md @docs/b.md @docs/a.md `@docs/no.md`",
      "w/app/docs/a.md": "a, see @b.md",
      "w/app/docs/b.md": "b",
      "w/app/docs/no.md": "no",
    });
    const { files, notes } = await look();
    expect(files.map(({ name, because }) => [name, because])).toEqual([
      ["w/app/CLAUDE.md", null],
      ["w/app/docs/a.md", "imported by w/app/CLAUDE.md"],
      ["w/app/docs/b.md", "imported by w/app/docs/a.md"],
    ]);
    expect(notes).toEqual([]);
  });

  test(`go importHopsMax (${bounds.importHopsMax}) hops, then are named`, async () => {
    const chain = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`w/app/${n}.md`, `${n} @${n + 1}.md`]));
    const { names, notes } = await (await machine({ "w/app/CLAUDE.md": "0 @1.md", ...chain })).look();
    expect(names).toEqual(["CLAUDE.md", "1.md", "2.md", "3.md", "4.md"].map((name) => `w/app/${name}`));
    expect(notes).toEqual(["w/app/4.md imports @5.md, more than 4 hops from w/app/CLAUDE.md: it is not read"]);
  });

  test("in a circle are read once, and the circle is named", async () => {
    const { look } = await machine({
      "w/app/CLAUDE.md": "c @a.md",
      "w/app/a.md": "a @b.md",
      "w/app/b.md": "b @a.md @b.md",
    });
    const { names, notes } = await look();
    expect(names).toEqual(["w/app/CLAUDE.md", "w/app/a.md", "w/app/b.md"]);
    expect(notes).toEqual([
      "w/app/b.md imports @a.md, which imports it: a circle, each is read once",
      "w/app/b.md imports @b.md, which imports it: a circle, each is read once",
    ]);
  });

  test("from outside the project are not followed, whatever leads there; the user's own are", async () => {
    const { at, look } = await machine({
      "w/app/CLAUDE.md": "c @../secret.md @link.md @~/.claude/mine.md @~/.claude/key.json @~/.ssh/id.md",
      "w/secret.md": "secret",
      "home/.claude/mine.md": "mine",
      "home/.claude/key.json": "key",
      "home/.ssh/id.md": "key",
    });
    await symlink(at("w/secret.md"), at("w/app/link.md"));
    const { names, notes } = await look();
    expect(names).toEqual(["w/app/CLAUDE.md", "home/.claude/mine.md"]);
    expect(notes).toEqual(
      ["../secret.md", "link.md", "~/.claude/key.json", "~/.ssh/id.md"].map(
        (name) => `w/app/CLAUDE.md imports @${name} from outside the project: it is not read`,
      ),
    );
  });

  test("bring no memory and nothing else that the user's folders hold beside instructions, whoever's project it is of", async () => {
    const inside = [
      "~/.claude/rules/a/b.md",
      "~/.claude/projects/other/memory/MEMORY.md",
      "~/.claude/skills/x/SKILL.md",
    ];
    const ours = ["~/.varve/style.md", "~/.varve/memory/notes.md", "~/.varve/projects/p/memory/notes.md"];
    const names = [...inside, ...ours];
    const files = Object.fromEntries(names.map((name) => [name.replace("~", "home"), name]));
    const { look } = await machine({ "w/app/CLAUDE.md": names.map((name) => `@${name}`).join(" "), ...files });
    const found = await look();
    expect(found.names.toSorted()).toEqual(["home/.claude/rules/a/b.md", "home/.varve/style.md"]);
    expect(found.notes).toHaveLength(4);
  });

  test("of the user's own file lead anywhere", async () => {
    const { look } = await machine({ "home/.claude/CLAUDE.md": "@~/notes/a.md", "home/notes/a.md": "notes" });
    expect(await look()).toMatchObject({ names: ["home/notes/a.md"], notes: [] });
  });

  test("of what is not there are named where they can only be files", async () => {
    const { look } = await machine({ "w/app/CLAUDE.md": "c, ask @octocat of @types/node, see @gone.md and @./src" });
    expect((await look()).notes).toEqual([
      "w/app/CLAUDE.md imports @gone.md, but there is no such file",
      "w/app/CLAUDE.md imports @./src, but there is no such file",
    ]);
  });

  test(`of one file are at most importsMax (${bounds.importsMax})`, async () => {
    const many = Array.from({ length: bounds.importsMax + 1 }, (_, at) => `@none/${at}`).join(" ");
    const { look } = await machine({ "w/app/CLAUDE.md": `c ${many}` });
    expect((await look()).notes).toEqual([`w/app/CLAUDE.md: of its imports the first ${bounds.importsMax} are read`]);
  });
});

describe("files in sub-directories", () => {
  const files = {
    "w/app/sub/AGENTS.md": "sub",
    "w/app/sub/deep/CLAUDE.md": "deep",
    "w/app/sub/.claude/rules/r.md": "---\npaths: deep/*.ts\n---\nr",
    "w/app/node_modules/p/CLAUDE.md": "stranger",
    "w/app/sub/.git/CLAUDE.md": "stranger",
    "w/CLAUDE.md": "above",
  };

  test("enter when a file below is touched, never from other people's code or above the root", async () => {
    const { look } = await machine(files);
    const touched = ["w/app/sub/a", "w/app/node_modules/p/x.js", "w/app/sub/.git/config", "w/b"];
    const { files: found } = await look(touched);
    expect(found.map(({ name, because }) => [name, because])).toEqual([
      ["w/app/sub/AGENTS.md", "for files in w/app/sub"],
    ]);
    expect((await look(["w/app/sub/deep/x.ts"])).names).toEqual([
      "w/app/sub/AGENTS.md",
      "w/app/sub/.claude/rules/r.md",
      "w/app/sub/deep/CLAUDE.md",
    ]);
  });

  test("reading such a file itself is no work in its folder", async () => {
    const { look } = await machine(files);
    expect((await look(["w/app/sub/AGENTS.md", "w/app/sub/.claude/rules/r.md"])).names).toEqual([]);
  });

  test("stay while they stand, whatever else is touched", async () => {
    const { look } = await machine(files);
    const standing = ["w/app/sub/AGENTS.md", "w/app/sub/.claude/rules/r.md"];
    expect((await look(["w/app/other.ts"], standing)).names).toEqual(standing);
  });

  test(`of at most instructionFoldersMax (${bounds.instructionFoldersMax}) folders`, async () => {
    const { look } = await machine({ "w/app/zz/CLAUDE.md": "last" });
    const touched = Array.from({ length: bounds.instructionFoldersMax }, (_, at) => `w/app/d${at}/x`);
    expect((await look([...touched, "w/app/zz/x"])).names).toEqual([]);
  });
});

describe("rules", () => {
  test("with paths enter when a touched file matches", async () => {
    const { look } = await machine({
      "w/app/.claude/rules/ts.md": "---\npaths:\n  - 'src/**/*.ts'\n---\nTypes.",
      "w/app/.cursor/rules/css.mdc": "---\nglobs: *.css\nalwaysApply: false\n---\nStyle.",
    });
    expect((await look(["w/app/src/x.js"])).names).toEqual([]);
    const { files } = await look(["w/app/src/a/x.ts", "w/app/web/y.css"]);
    expect(files.map(({ text, because }) => [text, because])).toEqual([
      ["Types.", "for src/**/*.ts"],
      ["Style.", "for *.css"],
    ]);
  });

  test("of Cursor: always, by description as one list, by hand not at all; the old file at the root", async () => {
    const { look } = await machine({
      "w/app/.cursor/rules/always.mdc": "---\nalwaysApply: true\n---\nAlways.",
      "w/app/.cursor/rules/db/sql.mdc": "---\ndescription: When you\n---\nx",
      "w/app/.cursor/rules/sql.mdc": "---\ndescription: When writing SQL\nglobs:\n---\nSQL.",
      "w/app/.cursor/rules/hand.mdc": "---\ndescription:\n---\nHand.",
      "w/app/.cursor/rules/readme.md": "not a rule",
      "w/app/.cursorrules": "Old.",
    });
    const { files, notes } = await look();
    expect(files.map(({ name, kind, text }) => [name, kind, text])).toEqual([
      ["w/app/.cursorrules", "rule", "Old."],
      ["w/app/.cursor/rules/always.mdc", "rule", "Always."],
      [
        "rules on demand",
        "rule",
        "- w/app/.cursor/rules/sql.mdc: When writing SQL\n- w/app/.cursor/rules/db/sql.mdc: When you",
      ],
    ]);
    expect(notes).toEqual([]);
  });

  test("that cannot be read are named with their line and not applied", async () => {
    const { look } = await machine({
      "w/app/.claude/rules/a.md": "---\npaths: [src\nwhat\n---\nA",
      "w/app/.cursor/rules/b.mdc": '---\nalwaysApply: "true"\n---\nB',
    });
    const { names, notes } = await look(["w/app/src/x.ts"]);
    expect(names).toEqual([]);
    expect(notes).toEqual([
      expect.stringMatching(/^w\/app\/\.claude\/rules\/a\.md, line \d: .*not applied$/),
      "w/app/.cursor/rules/b.mdc, line 2: alwaysApply: expected true or false; whom it is for is not known, so it is not applied",
    ]);
  });

  test("in folders that link in a circle are read once; of too many names and too deep the rest is named", async () => {
    const { at, write, look } = await machine({ "w/app/.claude/rules/a.md": "a" });
    await symlink(at("w/app/.claude/rules"), at("w/app/.claude/rules/loop"));
    expect((await look()).names).toEqual(["w/app/.claude/rules/a.md"]);
    await write(`w/app/.claude/rules/${"d/".repeat(bounds.ruleFoldersDeepMax + 1)}deep.md`, "deep");
    expect((await look()).notes).toEqual([expect.stringContaining("lies too deep")]);
    for (let at = 0; at < bounds.ruleNamesMax; at++) await write(`w/app/.claude/rules/${at}.txt`, "");
    expect((await look()).notes).toEqual([expect.stringContaining(`more than ${bounds.ruleNamesMax} names`)]);
  });
});

describe("files that are not as they should be", () => {
  test("a byte order mark, CRLF, UTF-16 and comments are not part of what is said", async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("Ünder\r\nb", "utf16le")]);
    const { look } = await machine({
      "w/app/CLAUDE.md": "\uFEFF<!-- people -->\r\none\r\ntwo\r\n",
      "w/app/CLAUDE.local.md": utf16,
    });
    const { files, notes } = await look();
    expect(files.map(({ text }) => text)).toEqual(["one\ntwo", "Ünder\nb"]);
    expect(notes).toEqual([]);
  });

  test("each fault is named, and the rest is read", async () => {
    const { at, write, look } = await machine({
      "home/.claude/CLAUDE.md": new Uint8Array([0x63, 0x61, 0x66, 0xe9]),
      "home/.varve/AGENTS.md": "\n<!-- nothing -->\n",
      "w/app/CLAUDE.local.md": new Uint8Array([1, 0, 2]),
      "w/app/AGENTS.md": "agents",
    });
    await mkdir(at("w/app/CLAUDE.md"));
    await mkdir(at("w/app/.claude"));
    await symlink("CLAUDE.md", at("w/app/.claude/CLAUDE.md"));
    const { files, notes } = await look();
    expect(files.map(({ text }) => text)).toEqual(["café", "agents"]);
    expect(notes).toEqual([
      "home/.claude/CLAUDE.md: it is not valid UTF-8; read as Latin-1",
      "home/.varve/AGENTS.md is empty",
      "w/app/CLAUDE.md cannot be read: it is a folder",
      "w/app/.claude/CLAUDE.md cannot be read: its links lead in a circle, or it has just become a link",
      "w/app/CLAUDE.local.md cannot be read: it is no text: it holds NUL bytes",
    ]);
    await unlink(at("w/app/.claude/CLAUDE.md"));
    await symlink("gone.md", at("w/app/.claude/CLAUDE.md"));
    expect((await look()).notes).toContain("w/app/.claude/CLAUDE.md cannot be read: it is a link to nothing");
    await write("w/app/.cursorrules", "rules");
    await chmod(at("w/app/.cursorrules"), 0);
    if (process.getuid?.() !== 0)
      expect((await look()).notes).toContain("w/app/.cursorrules cannot be read: permission denied");
  });

  test("a project's file that leads out of it is not read", async () => {
    const { at, look } = await machine({ "w/key": "secret" });
    await symlink(at("w/key"), at("w/app/CLAUDE.md"));
    expect(await look()).toMatchObject({
      names: [],
      notes: ["w/app/CLAUDE.md leads out of the project, to w/key: it is not read"],
    });
  });

  test(`a file of 2 MB is read, its size is known; of one above instructionFileBytesMax the rest is named`, async () => {
    const line = "Do the right thing, and do it well, as we always did.\n";
    const { write, look } = await machine({ "w/app/CLAUDE.md": line.repeat(40_000) });
    const [big] = (await look()).files;
    expect(big?.text.length).toBeLessThanOrEqual(bounds.instructionCharsMax);
    expect(big?.tokens).toBeGreaterThan(400_000);
    await write("w/app/CLAUDE.md", "é".repeat(bounds.instructionFileBytesMax / 2 + 1));
    expect((await look()).notes).toEqual(["w/app/CLAUDE.md: it is larger than 4 MiB; what is behind is not read"]);
  });

  test(`at most instructionFilesMax (${bounds.instructionFilesMax}) are taken`, async () => {
    const rules = Array.from({ length: bounds.instructionFilesMax + 5 }, (_, at) => [
      `w/app/.claude/rules/${at}.md`,
      `r${at}`,
    ]);
    const { names, notes } = await (await machine(Object.fromEntries(rules))).look();
    expect(names).toHaveLength(bounds.instructionFilesMax);
    expect(notes).toEqual([expect.stringContaining(`more than ${bounds.instructionFilesMax} files`)]);
  });
});

test("what changed is read anew at the next look, also within the same instant", async () => {
  const { at, write, look } = await machine({ "w/app/CLAUDE.md": "one" });
  expect((await look()).files).toMatchObject([{ text: "one" }]);
  await write("w/app/CLAUDE.md", "two");
  expect((await look()).files).toMatchObject([{ text: "two" }]);
  await unlink(at("w/app/CLAUDE.md"));
  expect((await look()).names).toEqual([]);
});

test("claudeMdExcludes leaves files out: the user's own any but the machine owner's, a project's only its own", async () => {
  const files = {
    "etc/CLAUDE.md": "managed",
    "home/.claude/CLAUDE.md": "user",
    "w/app/CLAUDE.md": "root",
    "w/app/old/CLAUDE.md": "old",
    "w/app/.cursor/rules/x.mdc": "---\ndescription: d\n---\nx",
  };
  const setting = (...claudeMdExcludes: readonly unknown[]) => JSON.stringify({ claudeMdExcludes });
  const byProject = await machine({ ...files, "w/app/.claude/settings.json": setting("**/CLAUDE.md", "**/*.mdc", 7) });
  expect((await byProject.look(["w/app/old/x"])).names).toEqual(["etc/CLAUDE.md", "home/.claude/CLAUDE.md"]);
  const byUser = await machine({
    ...files,
    "home/.claude/settings.json": setting("**/old/*", "**/.claude/*", "**/*.mdc"),
  });
  expect((await byUser.look(["w/app/old/x"])).names).toEqual(["etc/CLAUDE.md", "w/app/CLAUDE.md"]);
  const broken = await machine({ ...files, "home/.claude/settings.json": "{" });
  expect((await broken.look()).names).toHaveLength(4);
});
