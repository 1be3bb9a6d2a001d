import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { nodeFs } from "../../src/adapters/fs.ts";
import type { PermissionMode } from "../../src/log/entry.ts";
import { createBoundary } from "../../src/workspace/boundary.ts";
import type { Wanted } from "../../src/workspace/permission.ts";
import type { Ground } from "../../src/workspace/permission-ground.ts";
import { judgeWithin, type Limited } from "../../src/workspace/permission-limits.ts";
import { parseRule, type Rule } from "../../src/workspace/rule.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "varve-limits-")));
mkdirSync(join(root, "src"));
writeFileSync(join(root, "src/a.ts"), "");
writeFileSync(join(root, "b.ts"), "");
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function ground(rules: readonly Rule[] = []): Promise<Ground> {
  const boundary = await createBoundary({ fs: nodeFs(), roots: [root], outsideAllowed: () => false });
  return { cwd: root, home: "/home/u", boundary, rules, gitDoubt: async () => null };
}

const limited = (
  allowed: readonly string[] | null,
  { disallowed = [], grants = true }: { readonly disallowed?: readonly string[]; readonly grants?: boolean } = {},
): Limited => ({ name: "/x", file: "x.md", limits: { allowed, disallowed }, grants });

const calls: Readonly<Record<string, { readonly tool: string; readonly access: Wanted }>> = {
  "git add .": { tool: "Bash", access: { type: "command", command: "git add ." } },
  "rm b.ts": { tool: "Bash", access: { type: "command", command: "rm b.ts" } },
  "git add . && rm b.ts": { tool: "Bash", access: { type: "command", command: "git add . && rm b.ts" } },
  ls: { tool: "Bash", access: { type: "command", command: "ls" } },
  "read src": { tool: "Read", access: { type: "read", path: "src/a.ts" } },
  "read b": { tool: "Read", access: { type: "read", path: "b.ts" } },
  "grep src": { tool: "Grep", access: { type: "read", path: "src" } },
  "write b": { tool: "Write", access: { type: "write", path: "b.ts" } },
  todo: { tool: "TodoWrite", access: { type: "none" } },
  fetch: { tool: "WebFetch", access: { type: "fetch", url: "https://example.com/" } },
};

async function verdict(
  name: string,
  lists: readonly Limited[],
  { mode = "default", rules = [] }: { readonly mode?: PermissionMode; readonly rules?: readonly Rule[] } = {},
): Promise<string> {
  const call = calls[name];
  if (call === undefined) throw new Error(name);
  return (await judgeWithin({ mode, input: {}, ...call }, await ground(rules), lists)).type;
}

function rule(kind: "deny" | "ask" | "allow", text: string): Rule {
  const parsed = parseRule(text, { kind, file: "s", scope: "user" });
  if (parsed.type === "bad") throw new Error(parsed.why);
  return parsed.rule;
}

describe("what a command lists runs unasked, and beside it nothing that changes anything", () => {
  const git = [limited(["Bash(git add:*)"])];
  test.each([
    ["git add .", "allow"],
    ["rm b.ts", "deny"],
    ["git add . && rm b.ts", "deny"],
    ["ls", "allow"],
    ["read b", "allow"],
    ["write b", "deny"],
    ["todo", "allow"],
    ["fetch", "deny"],
  ])("%s: %s", async (name, type) => expect(await verdict(name, git)).toBe(type));

  test("the list is a limit in every mode, and frees nothing while planning", async () => {
    expect(await verdict("write b", git, { mode: "acceptEdits" })).toBe("deny");
    expect(await verdict("rm b.ts", git, { mode: "bypassPermissions" })).toBe("deny");
    expect(await verdict("git add .", git, { mode: "plan" })).toBe("deny");
    expect(await verdict("git add .", git, { mode: "dontAsk" })).toBe("allow");
  });

  test("the user's own rules that ask or refuse go first", async () => {
    expect(await verdict("git add .", git, { rules: [rule("ask", "Bash(git:*)")] })).toBe("ask");
    expect(await verdict("git add .", git, { rules: [rule("deny", "Bash(git add:*)")] })).toBe("deny");
  });

  test("what is not trusted limits and does not free", async () => {
    const stranger = [limited(["Bash(git add:*)"], { grants: false })];
    expect(await verdict("git add .", stranger)).toBe("ask");
    expect(await verdict("rm b.ts", stranger)).toBe("deny");
  });
});

test("C-095 · a list of Read alone opens no shell, however harmless the command", async () => {
  const read = [limited(["Read"])];
  expect(await verdict("ls", read, { mode: "bypassPermissions" })).toBe("deny");
  expect(await verdict("read b", read)).toBe("allow");
  expect(await verdict("grep src", read)).toBe("allow");
});

test("a list that names what may be read opens no more than that", async () => {
  const src = [limited(["Read(./src/**)", "Bash(git add:*)"])];
  expect(await verdict("read src", src)).toBe("allow");
  expect(await verdict("read b", src)).toBe("deny");
});

test("an empty list opens nothing, and none leaves everything as it was", async () => {
  expect(await verdict("read b", [limited([])])).toBe("deny");
  expect(await verdict("todo", [limited([])])).toBe("allow");
  expect(await verdict("write b", [limited(null)])).toBe("ask");
  expect(await verdict("write b", [])).toBe("ask");
});

test("what is disallowed is refused, whatever else is in force", async () => {
  const no = limited(null, { disallowed: ["WebFetch", "Bash(rm:*)"] });
  expect(await verdict("fetch", [no, limited(["WebFetch"])])).toBe("deny");
  expect(await verdict("rm b.ts", [no], { mode: "bypassPermissions" })).toBe("deny");
  expect(await verdict("read b", [no])).toBe("allow");
});

test("of several lists a call must stand in one", async () => {
  const both = [limited(["Read"]), limited(["Bash(git add:*)"])];
  expect(await verdict("git add .", both)).toBe("allow");
  expect(await verdict("write b", both)).toBe("deny");
});
