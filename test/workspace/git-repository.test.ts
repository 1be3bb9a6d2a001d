import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { doubtfulSetting } from "../../src/workspace/git-settings.ts";
import { commit, permissionWorld } from "../support/permission-world.ts";

let world: Awaited<ReturnType<typeof permissionWorld>>;
beforeEach(async () => {
  world = await permissionWorld({ git: true });
});
afterEach(() => world.remove());

const git = (...args: string[]) => execFileSync("git", args, { cwd: world.cwd, stdio: "pipe" });
const config = (key: string, value: string) => git("config", key, value);
const marker = () => existsSync(join(world.base, "P"));
const touch = () => `touch ${join(world.base, "P")}`;
const reading = ["git status", "git diff", "git log -p -3", "git show HEAD", "git ls-files", "git diff --stat HEAD"];

/** What a hostile archive may bring. `bites`: that real git does start the program, run without asking. */
const hostile: { name: string; bites: boolean; plant: () => void }[] = [
  { name: "core.fsmonitor", bites: true, plant: () => config("core.fsmonitor", `${touch()};:`) },
  {
    name: "diff.external",
    bites: true,
    plant: () => {
      change();
      config("diff.external", `${touch()};:`);
    },
  },
  { name: "core.pager", bites: false, plant: () => config("core.pager", touch()) },
  { name: "core.hooksPath", bites: false, plant: () => config("core.hooksPath", "hooks") },
  { name: "core.sshCommand", bites: false, plant: () => config("core.sshCommand", touch()) },
  {
    name: "include.path",
    bites: true,
    plant: () => {
      writeFileSync(join(world.cwd, "inc"), `[core]\nfsmonitor = "${touch()};:"\n`);
      config("include.path", "../inc");
    },
  },
  { name: "a section of another case", bites: true, plant: () => add(`[CORE]\n\tFSMonitor = "${touch()};:"\n`) },
  { name: "a section and its key on one line", bites: true, plant: () => add(`[core] fsmonitor = "${touch()};:"\n`) },
  { name: "a section in an older spelling", bites: false, plant: () => add(`[diff.x]\n\ttextconv = "${touch()};:"\n`) },
  {
    name: "a value that goes on",
    bites: true,
    plant: () => add(`[core]\n\tfsmonitor = touch \\\n ${join(world.base, "P")}\n`),
  },
  { name: "line ends of Windows", bites: false, plant: () => add(`[core]\r\n\tfsmonitor = "${touch()};:"\r\n`) },
  {
    name: "a filter",
    bites: true,
    plant: () => {
      attribute("filter=f");
      config("filter.f.clean", `${touch()};cat`);
      change();
    },
  },
  {
    name: "a text conversion",
    bites: true,
    plant: () => {
      attribute("diff=d");
      config("diff.d.textconv", `${touch()};cat`);
      change();
    },
  },
  { name: "a hook", bites: true, plant: () => hook("post-index-change") },
  {
    name: "a hook through a linked folder",
    bites: true,
    plant: () => {
      hook("post-index-change");
      renameSync(join(world.cwd, ".git/hooks"), join(world.cwd, "h"));
      symlinkSync("../h", join(world.cwd, ".git/hooks"));
    },
  },
  {
    name: "the settings of a work tree",
    bites: true,
    plant: () => {
      config("extensions.worktreeConfig", "true");
      writeFileSync(join(world.cwd, ".git/config.worktree"), `[core]\n\tfsmonitor = "${touch()};:"\n`);
    },
  },
  {
    name: "a repository elsewhere",
    bites: true,
    plant: () => {
      config("core.fsmonitor", `${touch()};:`);
      renameSync(join(world.cwd, ".git"), join(world.cwd, "g"));
      writeFileSync(join(world.cwd, ".git"), "gitdir: g\n");
    },
  },
  {
    name: "a linked .git",
    bites: true,
    plant: () => {
      config("core.fsmonitor", `${touch()};:`);
      renameSync(join(world.cwd, ".git"), join(world.cwd, "g"));
      symlinkSync("g", join(world.cwd, ".git"));
    },
  },
  {
    name: "a common folder elsewhere",
    bites: true,
    plant: () => {
      cpSync(join(world.cwd, ".git"), join(world.cwd, "c"), { recursive: true });
      writeFileSync(join(world.cwd, ".git/commondir"), "../c\n");
      appendFileSync(join(world.cwd, "c/config"), `[core]\n\tfsmonitor = "${touch()};:"\n`);
    },
  },
  { name: "a bare repository made of plain files", bites: true, plant: bare },
  { name: "a submodule with settings of its own", bites: true, plant: submodule },
];

describe.each(hostile)("C-123 · a repository with $name", ({ bites, plant }) => {
  test("starts nothing unasked", async () => {
    plant();
    rmSync(join(world.base, "P"), { force: true });
    for (const command of [...reading, "cd sub && git status"]) {
      if ((await world.command(command)).type === "allow") await world.run(command);
      // The user's own broad rules hold in a stranger's repository too, and do not know it.
      const ruled = await world.command(command, { lists: { allow: ["Bash(git:*)"] } });
      if (ruled.type === "allow") await world.run(command);
    }
    expect(marker()).toBe(false);
    const verdicts = await Promise.all(reading.map((command) => world.command(command)));
    expect(verdicts.some(({ type }) => type === "ask")).toBe(true);
  });

  test.runIf(bites)("which it would, if it were not asked about", async () => {
    plant();
    rmSync(join(world.base, "P"), { force: true });
    for (const command of reading) await world.run(command);
    expect(marker()).toBe(true);
  });
});

test("an ordinary repository, its work trees, and no repository at all run unasked", async () => {
  const allowed = async (command: string) => (await world.command(command)).type;
  config("user.name", "x");
  config("remote.origin.url", "https://example.com/x.git");
  config("branch.main.merge", "refs/heads/main");
  change();
  for (const command of reading) expect(await allowed(command), command).toBe("allow");
  git("worktree", "add", "-q", "tree");
  expect(await allowed("cd tree && git status")).toBe("allow");
  rmSync(join(world.cwd, ".git"), { recursive: true });
  rmSync(join(world.cwd, "tree"), { recursive: true });
  expect(await allowed("git status")).toBe("allow");
});

test("the question names the setting, and a rule approved for this very folder answers it", async () => {
  config("core.fsmonitor", "x");
  expect((await world.command("git status")).why).toContain("core.fsmonitor");
  const project = await permissionWorld({ lists: { allow: ["Bash(git status)"] }, scope: "project", git: true });
  execFileSync("git", ["config", "core.fsmonitor", "false"], { cwd: project.cwd });
  expect((await project.command("git status")).type).toBe("allow");
  project.remove();
});

test("law 10 · settings or an index too large to be looked through are asked about", async () => {
  add("#".repeat(bounds.gitConfigBytesMax));
  expect((await world.command("git status")).type).toBe("ask");
  const other = await permissionWorld({ git: true });
  truncateSync(join(other.cwd, ".git/index"), bounds.gitIndexBytesMax + 1);
  expect((await other.command("git status")).type).toBe("ask");
  other.remove();
});

test.each<[string, string | null]>([
  ["[core]\n\tbare = false\n", null],
  ['[remote "origin"]\n\turl = x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n', null],
  ["# [core]\n; fsmonitor = x\n", null],
  ["[core]\nbare\n", null],
  ["[core]\nFsMonitor = x\n", "core.fsmonitor"],
  ["[alias]\nx = !y\n", null],
  ['[diff "x"]\ncommand = y\n', "diff.command"],
  ["[gpg]\nprogram = y\n", "gpg.program"],
  ["[core]bare = true", "[core]bare = true"],
  ["fsmonitor = x", ".fsmonitor"],
  ['[remote "a\\"b"]\nurl = x', null],
  ['[remote "a]\n"b"]\nurl = x', '[remote "a]'],
  ["\ufeff[core]\nfsmonitor = x", "\ufeff[core]".trim()],
])("settings %j: %j", (text, doubtful) => {
  if (text.startsWith("\ufeff")) expect(doubtfulSetting(text)).not.toBe(null);
  else expect(doubtfulSetting(text)).toBe(doubtful);
});

function change(): void {
  writeFileSync(join(world.cwd, "a.txt"), "three\n");
}

function add(text: string): void {
  appendFileSync(join(world.cwd, ".git/config"), text);
}

function attribute(text: string): void {
  writeFileSync(join(world.cwd, ".gitattributes"), `*.txt ${text}\n`);
}

function hook(name: string): void {
  const path = join(world.cwd, ".git/hooks", name);
  mkdirSync(join(world.cwd, ".git/hooks"), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${touch()}\n`);
  chmodSync(path, 0o755);
  // The index is written anew where a file looks changed and is not.
  writeFileSync(join(world.cwd, "a.txt"), "one\ntwo\n");
  execFileSync("touch", ["-d", "2001-01-01", join(world.cwd, "a.txt")]);
}

function bare(): void {
  config("core.fsmonitor", `${touch()};:`);
  config("core.worktree", world.cwd);
  for (const name of ["HEAD", "config", "objects", "refs", "index"])
    cpSync(join(world.cwd, ".git", name), join(world.cwd, name), { recursive: true });
  rmSync(join(world.cwd, ".git"), { recursive: true });
}

function submodule(): void {
  const sub = join(world.cwd, "sub");
  mkdirSync(sub);
  execFileSync("git", ["init", "-q"], { cwd: sub });
  writeFileSync(join(sub, "b.txt"), "x");
  execFileSync("git", ["add", "b.txt"], { cwd: sub });
  commit(sub);
  execFileSync("git", ["add", "sub"], { cwd: world.cwd, stdio: "pipe" });
  execFileSync("git", ["config", "core.fsmonitor", `${touch()};:`], { cwd: sub });
}
