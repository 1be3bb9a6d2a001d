import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { doubtfulSetting } from "../../src/workspace/git-settings.ts";
import { permissionWorld } from "../support/permission-world.ts";

let world: Awaited<ReturnType<typeof permissionWorld>>;
beforeAll(async () => {
  world = await permissionWorld({ git: true });
  for (const folder of ["sub/deep", "packages/a"]) mkdirSync(join(world.cwd, folder), { recursive: true });
  writeFileSync(join(world.base, "secret"), "TESTKEY-8");
  writeFileSync(join(world.cwd, "packages", "b.txt"), "");
  symlinkSync(".", join(world.cwd, "here"));
  symlinkSync("..", join(world.cwd, "sub", "up"));
  symlinkSync("/", join(world.cwd, "out"));
  symlinkSync("packages/a", join(world.cwd, "inner"));
});
afterAll(() => world.remove());

test.each([
  ...["cat here/../secret", "head here/../secret", "ls here/..", "cat out/../etc/passwd", "ls out/..", "ls out/."],
  ...["cat sub/up/../secret", "cat here/here/../secret", "cat < here/../secret", "wc -c sub/../here/../secret"],
  ...["cd here && cat ../secret", "cd sub/up && cat ../secret", "cd here/.. && ls", "cd out/../etc && ls"],
  ...["git diff -- here/../secret", "echo hi > here/../P", "echo hi >> out/../tmp/P", "cat inner/../../../secret"],
  ...["cat here/..//secret", "cat here/./../secret", "cat 'here'/../secret", "test -f here/../secret && echo hi"],
])("C-125 · %j: what stands behind a link is where the link leads, not where its name stands", async (command) => {
  expect((await world.command(command, { mode: "acceptEdits" })).type).toBe("ask");
});

test.each([
  "cat inner/../b.txt",
  "cat sub/../a.txt",
  "cat sub/deep/../../a.txt",
  "cat here/a.txt",
  "cd sub && cat ../a.txt",
])("everyday · %j stays inside", async (command) => {
  expect((await world.command(command)).type).toBe("allow");
});

test("C-123 · behind a link git is looked for above where the link leads", async () => {
  expect((await world.command("cd inner && git status")).type).toBe("allow");
  execFileSync("git", ["init", "-q"], { cwd: join(world.cwd, "packages") });
  appendFileSync(join(world.cwd, "packages/.git/config"), '[core]\n\tfsmonitor = "touch P; false"\n');
  expect((await world.command("cd inner && git status")).type).toBe("ask");
});

test("law 10 · a path with more steps upwards than the bound is no place", async () => {
  const up = (steps: number) => world.boundary.place(`${"sub/../".repeat(steps)}a.txt`, world.cwd);
  expect((await up(bounds.pathStepsUpMax - 1)).type).toBe("inside");
  expect((await up(bounds.pathStepsUpMax + 1)).type).toBe("unusable");
});

test("C-123 · a value of git's settings that goes on in the next line hides no section", () => {
  const hidden = '[core]\n\tlongpaths = true\\\n[alias]\n\tfsmonitor = "touch P; false"\n';
  expect(doubtfulSetting(hidden)).not.toBeNull();
  expect(doubtfulSetting(hidden.replaceAll("\n", "\r\n"))).not.toBeNull();
  expect(doubtfulSetting("# a remark \\\n[core]\n\tbare = false\n")).toBeNull();
});

test.each([
  ...[".husky/pre-commit", ".vscode/tasks.json", "sub/.idea/x.xml", ".mcp.json", ".envrc", ".bashrc", ".zshenv"],
  ...[".gitconfig", ".Husky/x", "here/.profile", ".vscode"],
])("acceptEdits does not write %s, which starts commands later, by any way", async (path) => {
  const mode = "acceptEdits" as const;
  for (const tool of ["Write", "Edit", "MultiEdit"])
    expect((await world.decide({ type: "write", path }, { mode, tool })).type).toBe("ask");
  expect((await world.command(`echo hi > ${path}`, { mode })).type).toBe("ask");
  const lists = { allow: ["Bash(cp:*)", "Bash(tee:*)", "Edit(**)"] };
  for (const command of [`cp a.txt ${path}`, `tee ${path} < a.txt`])
    expect((await world.command(command, { mode, lists })).type).toBe("ask");
});

test.each([".gitignore", ".github/workflows/x.yml", ".npmrc", ".env", ".eslintrc.json", "vscode/x", ".editorconfig"])(
  "everyday · acceptEdits writes %s",
  async (path) => {
    expect((await world.decide({ type: "write", path }, { mode: "acceptEdits", tool: "Write" })).type).toBe("allow");
    expect((await world.command(`echo hi > ${path}`, { mode: "acceptEdits" })).type).toBe("allow");
  },
);
