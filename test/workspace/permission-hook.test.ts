import { afterAll, expect, test } from "vitest";
import { nodeFs } from "../../src/adapters/fs.ts";
import type { PermissionMode } from "../../src/log/entry.ts";
import { createBoundary } from "../../src/workspace/boundary.ts";
import { judge, type Wanted } from "../../src/workspace/permission.ts";
import { groundAllowedBy } from "../../src/workspace/permission-hook.ts";
import { type Lists, permissionWorld, rulesOf } from "../support/permission-world.ts";

const world = await permissionWorld();
afterAll(() => world.remove());

async function hookAllows(tool: string, access: Wanted, mode: PermissionMode = "default", lists: Lists = {}) {
  const boundary = await createBoundary({ fs: nodeFs(), roots: [world.cwd], outsideAllowed: () => false });
  const ground = { cwd: world.cwd, home: world.base, boundary, rules: rulesOf(lists), gitDoubt: async () => null };
  return (await judge({ mode, tool, access, input: null }, groundAllowedBy(ground, tool, "hook"))).type;
}

const command = (text: string): Wanted => ({ type: "command", command: text });
const write = (path: string): Wanted => ({ type: "write", path });

test.each<[string, Parameters<typeof hookAllows>, string]>([
  ["a command that would be asked for runs", ["Bash", command("npm test")], "allow"],
  ["a file inside is written", ["Write", write("b.txt")], "allow"],
  ["a deny rule stands", ["Bash", command("rm a.txt"), "default", { deny: ["Bash(rm:*)"] }], "deny"],
  ["an ask rule stands", ["Bash", command("git push"), "default", { ask: ["Bash(git push:*)"] }], "ask"],
  ["a deny rule for a path stands", ["Write", write("secrets/x"), "default", { deny: ["Edit(./secrets/**)"] }], "deny"],
  ["planning stays planning", ["Bash", command("npm test"), "plan"], "deny"],
  ["planning writes nothing", ["Write", write("b.txt"), "plan"], "deny"],
  ["what can start commands is asked for", ["Write", write(".git/hooks/pre-commit")], "ask"],
  ["what is outside is refused", ["Write", write("/etc/passwd")], "deny"],
  ["in dontAsk it runs, as by a rule", ["Bash", command("npm test"), "dontAsk"], "allow"],
])("with a hook that allows, %s", async (_what, call, expected) => {
  expect(await hookAllows(...call)).toBe(expected);
});
