import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { skillFinder } from "../../src/adapters/skills.ts";
import { approve, isApproved } from "../../src/cli/trusted.ts";
import { freeingPrompts } from "../../src/cli/trusted-prompts.ts";

test("varve trust names what the project's skills and commands free; what is approved is that very text, as the session reads it", async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), "varve-trust-")));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const [home, cwd] = [join(base, "home"), join(base, "work")];
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  };
  await mkdir(join(cwd, ".git"), { recursive: true });
  const skill = "---\nname: deploy\ndescription: d\nallowed-tools: Bash(make deploy)\n---\nGo.\n";
  await write(".claude/skills/deploy/SKILL.md", skill);
  await write(".claude/skills/quiet/SKILL.md", "---\nname: quiet\ndescription: d\n---\nGo.\n");
  await write(".claude/commands/ship.md", "---\nallowed-tools: Bash(make ship)\n---\nShip.\n");
  const freeing = await freeingPrompts({ home, cwd });
  expect(freeing.map(({ path, freed }) => [path, ...freed])).toEqual([
    [join(cwd, ".claude/skills/deploy/SKILL.md"), "allows Bash(make deploy), where you call it"],
    [join(cwd, ".claude/commands/ship.md"), "allows Bash(make ship), where you call it"],
  ]);
  const find = skillFinder({ cwd, user: null, home, isApproved: (file) => isApproved(home, file) });
  const frees = async () => (await find([])).skills.find((one) => one.skill.name === "deploy")?.frees();
  expect(await frees()).toBe(false);
  for (const file of freeing) await approve(home, file);
  expect(await frees()).toBe(true);
  await write(".claude/skills/deploy/SKILL.md", `${skill}And more.\n`);
  expect(await frees()).toBe(false);
});
