import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeFs } from "../../src/adapters/fs.ts";
import { createBoundary } from "../../src/workspace/boundary.ts";
import { gitDoubt } from "../../src/workspace/git-repository.ts";
import { judge } from "../../src/workspace/permission.ts";
import type { Ground } from "../../src/workspace/permission-ground.ts";

let cwd = "";
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "varve-break-"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const verdict = async (command: string) => {
  const boundary = await createBoundary({ fs: nodeFs(), roots: [cwd], outsideAllowed: () => false });
  const ground: Ground = { cwd, home: cwd, boundary, rules: [], gitDoubt: (folder) => gitDoubt(folder, nodeFs()) };
  const access = { type: "command", command } as const;
  return (await judge({ mode: "acceptEdits", access, tool: "Bash", input: null }, ground)).type;
};

test("C-123 · a workspace that looks like a bare repository names programs in plain files: git asks there", async () => {
  mkdirSync(join(cwd, ".git"));
  expect(await verdict("git status")).toBe("allow");
  writeFileSync(join(cwd, "HEAD"), "ref: refs/heads/main\n");
  for (const command of ["git status", "git log -3", "git diff", "git show", "git ls-files"])
    expect(await verdict(command), command).toBe("ask");
  expect(await verdict("cat HEAD")).toBe("allow");
});
