import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { skillFinder } from "../../src/adapters/skills.ts";
import { bounds } from "../../src/kernel/bounds.ts";

async function world() {
  const base = await realpath(await mkdtemp(join(tmpdir(), "varve-skills-")));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const [user, repo] = [join(base, "home"), join(base, "repo")];
  const cwd = join(repo, "app");
  await mkdir(join(repo, ".git"), { recursive: true });
  await mkdir(cwd, { recursive: true });
  await mkdir(user, { recursive: true });
  const find = skillFinder({ cwd, user, home: join(user, ".varve"), isApproved: async () => false });
  const write = async (path: string, text: string) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };
  const skill = (place: string, name: string, fields = "", body = "Body.") =>
    write(join(place, name, "SKILL.md"), `---\nname: ${name}\ndescription: About ${name}.\n${fields}---\n${body}\n`);
  return { base, user, repo, cwd, find, write, skill };
}

const names = async (looked: ReturnType<ReturnType<typeof skillFinder>>) =>
  (await looked).skills.map(({ skill }) => skill.name);

test("every place is looked at, from the root of the repository down and in the user's own folders; ours are there", async () => {
  const { user, repo, cwd, find, skill } = await world();
  await skill(join(cwd, ".varve/skills"), "one");
  await skill(join(cwd, ".claude/skills"), "two");
  await skill(join(cwd, ".agents/skills"), "three");
  await skill(join(repo, ".claude/skills"), "four");
  await skill(join(user, ".varve/skills"), "five");
  await skill(join(user, ".claude/skills"), "six");
  const { skills, notes } = await find([]);
  expect(skills.map(({ skill: { name, scope } }) => `${name} ${scope}`)).toEqual([
    ...["one project", "two project", "three project", "four project", "five user", "six user", "commit bundled"],
  ]);
  expect(notes).toEqual([]);
});

test("of one name the nearest is used, and the other is named", async () => {
  const { user, cwd, find, skill } = await world();
  await skill(join(cwd, ".claude/skills"), "deploy");
  await skill(join(user, ".claude/skills"), "deploy");
  const { skills, notes } = await find([]);
  expect(skills.filter(({ skill: { name } }) => name === "deploy")).toHaveLength(1);
  expect(notes).toEqual([
    `skill deploy: ${cwd}/.claude/skills/deploy/SKILL.md is used, not ${user}/.claude/skills/deploy/SKILL.md`,
  ]);
});

test("C-095 · a broken one is not run and no other runs in its place; the user is told file and line", async () => {
  const { user, cwd, find, write, skill } = await world();
  const file = join(cwd, ".claude/skills/deploy/SKILL.md");
  await write(file, "---\nname: deploy\nglobs: *.ts\nallowed-tools: Read\n---\nRun rm.\n");
  await skill(join(user, ".claude/skills"), "deploy");
  const { skills, broken, notes } = await find([]);
  expect(skills.map(({ skill: { name } }) => name)).toEqual(["commit"]);
  expect(broken).toMatchObject([{ name: "deploy" }]);
  expect(notes[0]).toContain(`skill deploy is not run until this is mended: ${file}:3:`);
});

test("skills of a sub-directory are found when something there was touched, and stay listed by themselves", async () => {
  const { cwd, find, skill } = await world();
  await skill(join(cwd, "sub/.claude/skills"), "deep");
  await skill(join(cwd, "node_modules/x/.claude/skills"), "theirs");
  expect(await names(find([]))).toEqual(["commit"]);
  const { skills } = await find([join(cwd, "sub/a/b.ts"), join(cwd, "node_modules/x/y.js")]);
  expect(skills.map(({ skill: { name }, list }) => [name, list])).toEqual([
    ["deep", "list of sub"],
    ["commit", "list"],
  ]);
});

test("one that is for certain files is offered once such a file was touched", async () => {
  const { cwd, find, skill } = await world();
  await skill(join(cwd, ".claude/skills"), "api", "paths: api/**\n");
  const offered = async (touched: readonly string[]) =>
    (await find(touched)).skills.find(({ skill: { name } }) => name === "api")?.list;
  expect(await offered([join(cwd, "web/x.ts")])).toBeNull();
  expect(await offered([join(cwd, "api/x.ts")])).toBe("list of api");
});

test("a file that changes is read anew, one that goes is gone", async () => {
  const { cwd, find, skill } = await world();
  const place = join(cwd, ".claude/skills");
  await skill(place, "one", "", "First.");
  const body = async () => (await find([])).skills.find(({ skill: { name } }) => name === "one")?.skill.body;
  expect(await body()).toBe("First.");
  await skill(place, "one", "", "Second.");
  expect(await body()).toBe("Second.");
  await rm(join(place, "one"), { recursive: true });
  expect(await body()).toBeUndefined();
});

test("links: within the project and to the user's own skills they hold, elsewhere they are named and not followed", async () => {
  const { base, user, cwd, find, write, skill } = await world();
  await skill(join(user, ".agents/skills"), "mine");
  await skill(join(base, "elsewhere"), "secret");
  await write(join(base, "key"), "---\nname: key\ndescription: d\n---\nKEY");
  const place = join(cwd, ".claude/skills");
  await mkdir(join(place, "key"), { recursive: true });
  await symlink(join(user, ".agents/skills/mine"), join(place, "mine"));
  await symlink(join(base, "elsewhere/secret"), join(place, "secret"));
  await symlink(join(base, "key"), join(place, "key/SKILL.md"));
  await symlink("loop", join(place, "loop"));
  await symlink(join(base, "nowhere"), join(place, "dangling"));
  const { skills, notes } = await find([]);
  expect(skills.map(({ skill: { name } }) => name)).toEqual(["mine", "commit"]);
  expect(skills[0]?.skill.folder).toBe(join(user, ".agents/skills/mine"));
  expect(notes.join("\n")).toMatch(/secret\/SKILL\.md is not read: it leads out of the project/);
  expect(notes.join("\n")).toMatch(/key\/SKILL\.md is not read: it leads out of the project/);
  expect(notes.join("\n")).toMatch(/loop\/SKILL\.md cannot be read: its links lead in a circle/);
});

test("a folder, a binary, a giant and plain files beside skills are named or passed over, and nothing hangs", async () => {
  const { cwd, find, write } = await world();
  const place = join(cwd, ".claude/skills");
  await mkdir(join(place, "folder/SKILL.md"), { recursive: true });
  await write(join(place, "binary/SKILL.md"), "\0\0\0");
  await write(
    join(place, "giant/SKILL.md"),
    `---\nname: giant\ndescription: d\n---\n${"x".repeat(bounds.skillBytesMax)}`,
  );
  await write(join(place, "README.md"), "not a skill");
  await mkdir(join(place, "empty"));
  const { skills, broken, notes } = await find([]);
  expect(skills.map(({ skill: { name } }) => name)).toEqual(["commit"]);
  expect(broken.map(({ name }) => name)).toEqual(["binary", "giant"]);
  expect(notes.join("\n")).toMatch(/giant\/SKILL\.md: holds more than \d+ bytes/);
  expect(notes.join("\n")).toMatch(/folder\/SKILL\.md is not read: it is a folder/);
});

test("more skills than the most: the rest is counted out, ours are there", async () => {
  const { cwd, find, skill } = await world();
  const place = join(cwd, ".claude/skills");
  for (let from = 0; from < bounds.skillsMax + 40; from += 40)
    await Promise.all(Array.from({ length: 40 }, (_, at) => skill(place, `s${from + at}`)));
  const { type, skills, notes } = await find([]);
  expect(type).toBe("some");
  expect(skills.length).toBeGreaterThanOrEqual(bounds.skillsMax);
  expect(notes.join("\n")).toMatch(/not all skills were looked at: there are more than 2000/);
  expect(skills.some(({ skill: { name } }) => name === "commit")).toBe(true);
});
