import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeFs } from "../../src/adapters/fs.ts";
import { createBoundary } from "../../src/workspace/boundary.ts";
import { judge, type Wanted } from "../../src/workspace/permission.ts";
import { parseRule, type Rule } from "../../src/workspace/rule.ts";

async function world() {
  const base = await realpath(await mkdtemp(join(tmpdir(), "varve-lent-")));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const [root, skill] = [join(base, "work"), join(base, "home/.claude/skills/review")];
  await mkdir(root);
  await mkdir(join(skill, "references"), { recursive: true });
  await writeFile(join(skill, "references/a.md"), "A");
  await writeFile(join(base, "home/key"), "KEY");
  await symlink(join(base, "home/key"), join(skill, "out"));
  const lent = new Set<string>();
  const boundary = await createBoundary({
    fs: nodeFs(),
    roots: [root],
    outsideAllowed: () => false,
    lent: () => [...lent],
  });
  const decided = async (access: Wanted, rules: readonly Rule[] = []) => {
    const ground = { cwd: root, home: join(base, "home"), boundary, rules, gitDoubt: async () => null };
    const tool = access.type === "write" ? "Write" : "Read";
    return (await judge({ mode: "default", tool, access, input: {} }, ground)).type;
  };
  return { root, skill, lent, boundary, decided };
}

test("a folder that is lent may be read and searched while it is, never written", async () => {
  const { root, skill, lent, boundary, decided } = await world();
  const path = join(skill, "references/a.md");
  expect(await decided({ type: "read", path })).toBe("deny");
  expect((await boundary.check(path, root, "read")).type).toBe("refused");
  lent.add(skill);
  expect(await decided({ type: "read", path })).toBe("allow");
  expect((await boundary.check(path, root, "read")).type).toBe("outside");
  expect(await decided({ type: "write", path })).toBe("deny");
  expect((await boundary.check(path, root)).type).toBe("refused");
  lent.delete(skill);
  expect(await decided({ type: "read", path })).toBe("deny");
});

test("what is beside it, above it or behind a link in it is not lent", async () => {
  const { skill, lent, decided } = await world();
  lent.add(skill);
  for (const path of [join(skill, "out"), join(skill, "../other"), `${skill}-2/a`, join(skill, "../../../key")])
    expect(await decided({ type: "read", path })).toBe("deny");
});

test("a rule that refuses to read it goes first", async () => {
  const { skill, lent, decided } = await world();
  lent.add(skill);
  const rule = parseRule("Read(~/.claude/**)", { kind: "deny", file: "s", scope: "user" });
  expect(
    rule.type === "ok" && (await decided({ type: "read", path: join(skill, "references/a.md") }, [rule.rule])),
  ).toBe("deny");
});
