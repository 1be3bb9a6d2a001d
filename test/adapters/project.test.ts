import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { answerCopied, projectOf } from "../../src/adapters/project.ts";
import { tempFolder } from "./store-files.ts";

const run = promisify(execFile);

/** A folder as `git init` leaves it. */
async function repository(): Promise<string> {
  const folder = join(await tempFolder(), "repo");
  for (const name of ["objects", "refs"]) await mkdir(join(folder, ".git", name), { recursive: true });
  await writeFile(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
  await mkdir(join(folder, "src/deep"), { recursive: true });
  return folder;
}

/** As `git worktree add` makes it, with paths as git writes them. */
async function worktree(repo: string, name: string): Promise<string> {
  const folder = join(await tempFolder(), name);
  const git = join(repo, ".git/worktrees", name);
  await mkdir(git, { recursive: true });
  await mkdir(folder);
  await writeFile(join(git, "HEAD"), "ref: refs/heads/side\n");
  await writeFile(join(git, "commondir"), "../..\n");
  await writeFile(join(folder, ".git"), `gitdir: ${git}\n`);
  return folder;
}

describe("a project's id", () => {
  test("is made once, kept in git's own folder, and the same from every folder and worktree of the repository", async () => {
    const root = await tempFolder();
    const repo = await repository();
    const first = await projectOf({ root, cwd: join(repo, "src/deep") });
    expect(first).toMatchObject({ type: "new", note: null, place: join(repo, ".git/varve/project") });
    const { project } = first;
    expect(await projectOf({ root, cwd: repo })).toMatchObject({ type: "known", project, note: null });
    const tree = await worktree(repo, "side");
    expect(await projectOf({ root, cwd: tree })).toMatchObject({ type: "known", project, note: null });
    expect((await stat(join(root, "projects", `${project}.json`))).mode & 0o777).toBe(0o600);
    expect(await readdir(join(repo, "src"))).toEqual(["deep"]);
  });

  test("is found as git itself finds it", async () => {
    const root = await tempFolder();
    const repo = join(await tempFolder(), "real");
    const git = async (cwd: string, ...words: string[]) =>
      run("git", ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main", ...words], { cwd });
    await mkdir(repo);
    const made = await git(repo, "init", "-q").then(
      () => true,
      () => false,
    );
    // Without git on the machine the test above, on git's file format, stands alone.
    if (!made) return expect(await readdir(repo)).toEqual([]);
    await git(repo, "commit", "-q", "--allow-empty", "-m", "x");
    await git(repo, "worktree", "add", "-q", "../tree");
    const { project } = await projectOf({ root, cwd: repo });
    expect((await projectOf({ root, cwd: join(repo, "../tree") })).project).toBe(project);
    await git(repo, "clone", "-q", ".", "../clone");
    expect((await projectOf({ root, cwd: join(repo, "../clone") })).project).not.toBe(project);
    expect((await git(repo, "status", "--porcelain")).stdout).toBe("");
  });

  test("of a submodule is its own", async () => {
    const root = await tempFolder();
    const repo = await repository();
    const module = join(repo, ".git/modules/lib");
    for (const name of ["objects", "refs"]) await mkdir(join(module, name), { recursive: true });
    await writeFile(join(module, "HEAD"), "ref: refs/heads/main\n");
    await mkdir(join(repo, "lib"));
    await writeFile(join(repo, "lib/.git"), "gitdir: ../.git/modules/lib\n");
    expect((await projectOf({ root, cwd: join(repo, "lib") })).place).toBe(join(module, "varve/project"));
  });

  test("stands outside git in the folder itself, also where a broken .git lies", async () => {
    const root = await tempFolder();
    const folder = await tempFolder();
    await mkdir(join(folder, ".git"));
    const found = await projectOf({ root, cwd: folder });
    expect(found).toMatchObject({ type: "new", place: join(folder, ".varve/project") });
    expect(await projectOf({ root, cwd: folder })).toMatchObject({ type: "known", project: found.project });
    expect((await readFile(found.place, "utf8")).trim()).toBe(found.project);
  });

  test("is one for all who come first at the same moment", async () => {
    const root = await tempFolder();
    const cwd = await tempFolder();
    const found = await Promise.all(Array.from({ length: 8 }, () => projectOf({ root, cwd })));
    expect(new Set(found.map(({ project }) => project)).size).toBe(1);
    expect(await readdir(join(cwd, ".varve"))).toEqual(["project"]);
  });

  test("that is empty or junk is made anew", async () => {
    const root = await tempFolder();
    for (const junk of ["", "\0\0\0", "../../etc/passwd", "x"]) {
      const cwd = await tempFolder();
      await mkdir(join(cwd, ".varve"));
      await writeFile(join(cwd, ".varve/project"), junk);
      const { type, project } = await projectOf({ root, cwd });
      expect(type).toBe("new");
      expect(await projectOf({ root, cwd })).toMatchObject({ type: "known", project });
    }
  });

  test("comes from the path where it cannot be kept, the same each time, and says so", async () => {
    const root = await tempFolder();
    const cwd = await tempFolder();
    await writeFile(join(cwd, ".varve"), "a file stands in the way");
    const found = await projectOf({ root, cwd });
    expect(found).toMatchObject({ type: "unkept", note: expect.stringContaining("could not be kept") });
    expect(await projectOf({ root, cwd })).toEqual(found);
  });

  test("is found all the same when its place cannot be remembered, with a note", async () => {
    const root = join(await tempFolder(), "file");
    await writeFile(root, "");
    const cwd = await tempFolder();
    const found = await projectOf({ root, cwd });
    expect(found).toMatchObject({ type: "new", note: expect.stringContaining("could not be remembered") });
    expect((await projectOf({ root, cwd })).project).toBe(found.project);
  });
});

describe("a folder that shows a known id", () => {
  async function copied() {
    const root = await tempFolder();
    const repo = await repository();
    const { project } = await projectOf({ root, cwd: repo });
    const copy = join(await tempFolder(), "copy");
    await cp(repo, copy, { recursive: true });
    const found = await projectOf({ root, cwd: copy });
    if (found.type !== "copied") throw new Error(found.type);
    return { root, repo, copy, project, found };
  }

  test("while the first still exists is a copy: both are named, and asked about until answered", async () => {
    const { root, repo, copy, project, found } = await copied();
    expect(found).toMatchObject({ project, first: join(repo, ".git/varve/project") });
    expect(found.note).toContain(repo);
    expect(await projectOf({ root, cwd: copy })).toEqual(found);
    expect((await projectOf({ root, cwd: repo })).type).toBe("known");
  });

  test("and is said to be the same is not asked about again, in either place", async () => {
    const { root, repo, copy, project, found } = await copied();
    expect(await answerCopied(root, found, "same")).toMatchObject({ type: "known", project });
    for (const cwd of [copy, repo]) expect(await projectOf({ root, cwd })).toMatchObject({ type: "known", project });
  });

  test("and is said to be separate has an id of its own from then on", async () => {
    const { root, repo, copy, project, found } = await copied();
    const own = await answerCopied(root, found, "separate");
    expect([own.type, own.project === project]).toEqual(["new", false]);
    expect(await projectOf({ root, cwd: copy })).toMatchObject({ type: "known", project: own.project });
    expect(await projectOf({ root, cwd: repo })).toMatchObject({ type: "known", project });
  });

  test("after the first is gone was moved, and is the same project without a question", async () => {
    const root = await tempFolder();
    const repo = await repository();
    const { project } = await projectOf({ root, cwd: repo });
    await rename(repo, `${repo}-moved`);
    expect(await projectOf({ root, cwd: `${repo}-moved` })).toMatchObject({ type: "known", project, note: null });
    await rm(`${repo}-moved`, { recursive: true });
  });

  test("by another path to the very same folder is no copy", async () => {
    const root = await tempFolder();
    const repo = await repository();
    const { project } = await projectOf({ root, cwd: repo });
    await symlink(repo, `${repo}-link`);
    expect(await projectOf({ root, cwd: `${repo}-link` })).toMatchObject({ type: "known", project });
  });
});
