import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { nodeFs } from "../../src/adapters/fs.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import type { PermissionMode } from "../../src/log/entry.ts";
import { createBoundary } from "../../src/workspace/boundary.ts";
import { gitDoubt } from "../../src/workspace/git-repository.ts";
import { decide, judge, type Need, type Wanted } from "../../src/workspace/permission.ts";
import { readOnlyCommand } from "../../src/workspace/permission-command.ts";
import type { Ground } from "../../src/workspace/permission-ground.ts";

const needs = [
  "read-inside",
  "write-inside",
  "write-guarded",
  "outside",
  "command-read-only",
  "command",
  "nothing",
] as const;
const table: Record<PermissionMode, string> = {
  default: "allow ask ask deny allow ask allow",
  acceptEdits: "allow allow ask deny allow ask allow",
  plan: "allow deny deny deny allow deny allow",
  dontAsk: "allow deny deny deny allow deny allow",
  bypassPermissions: "allow allow allow allow allow allow allow",
};
test.each(Object.entries(table))("mode %s decides %s", (mode, row) => {
  const verdict = (need: Need) => decide({ mode: mode as PermissionMode, need, tool: "T", detail: "" }).type;
  expect(needs.map(verdict).join(" ")).toBe(row);
});

const simple: [string, string[]][] = [
  ["git status", []],
  ["  git status  ", []],
  ["git status -s --porcelain", []],
  ["git log --oneline -n 3", []],
  ["git log -5 --format='%H %s'", []],
  ["git diff main..dev -- src/a.ts", ["main..dev", "src/a.ts"]],
  ["git show HEAD~1:src/x", ["HEAD~1:src/x"]],
  ["ls -la src", ["src"]],
  ["cat 'a b.txt' \"it's\"", ["a b.txt", "it's"]],
  ["head -n 5 x", ["x"]],
  ["pwd", []],
];
test.each(simple)("%j is simple and read-only", (command, operands) => {
  expect(readOnlyCommand(command)?.operands).toEqual(operands);
});

const riding = [
  "git status && touch P",
  "git status; touch P",
  "git status | tee P",
  "git status $(touch P)",
  "git status `touch P`",
  "git status <(touch P)",
  "git status\ntouch P",
  "git status\r\ntouch P",
  "git status & touch P",
  "git status > P",
  "git status >> P",
  "git statusx",
  "GIT_PAGER='touch P' git -p status",
  "git -p status",
  "git -c core.pager='touch P' status",
  "\\\ngit status",
  "git sta\\\ntus",
  "git status\\",
  "git diff --output=P",
  "git diff --outp=P",
  "git diff --ext-diff",
  "git log --textconv",
  "git diff -O P",
  "git branch new",
  "git branch -D x",
  "git -C .. status",
  "git --exec-path=. status",
  "git",
  "",
  " ",
  "(git status)",
  "{ git status; }",
  "! git status",
  "cat $HOME/x",
  'cat "$HOME"',
  'cat "`x`"',
  "cat ~/x",
  "cat a=~/x",
  "ls *",
  "ls ?",
  "ls [a]",
  "ls {a,b}",
  "cat 'a",
  'cat "a',
  "cat a\tb",
  "cat \u00a0b",
  "cat \0",
  "tail -f x",
  "tail --follow x",
  "head -n",
  "cat <x",
  "cat #x",
  "wc --files0-from=x",
  "rm x",
  "find . -delete",
  "sort -o P x",
  "eval git status",
  "command git status",
  "env git status",
  "sudo ls",
  "/bin/ls",
  "./ls",
  "git status -",
  "ls --",
];
const stillSimple = new Set(["git status -", "ls --"]);
test.each(riding.filter((command) => !stillSimple.has(command)))("C-123 · %j asks", (command) => {
  expect(readOnlyCommand(command)).toBe(null);
});

test("law 10 · a command longer than the bound is never simple", () => {
  expect(readOnlyCommand(`cat ${"x".repeat(bounds.simpleCommandCharsMax - 4)}`)).not.toBe(null);
  expect(readOnlyCommand(`cat ${"x".repeat(bounds.simpleCommandCharsMax - 3)}`)).toBe(null);
});

describe("judge looks paths up first", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "varve-judge-")));
  const cwd = join(base, "app");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  writeFileSync(join(base, "secret"), "x");
  symlinkSync("../secret", join(cwd, "link"));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  const boundary = await createBoundary({ fs: nodeFs(), roots: [cwd], outsideAllowed: () => false });
  const ground: Ground = { cwd, home: base, boundary, rules: [], gitDoubt: (folder) => gitDoubt(folder, nodeFs()) };
  const verdict = async (access: Wanted, mode: PermissionMode = "default") =>
    (await judge({ mode, access, tool: "T", input: null }, ground)).type;

  test.each([
    [{ type: "command", command: "cat link" }, "ask"],
    [{ type: "command", command: "cat /etc/passwd" }, "ask"],
    [{ type: "command", command: "cat ../secret" }, "ask"],
    [{ type: "command", command: "ls .." }, "ask"],
    [{ type: "command", command: "cat a.txt" }, "allow"],
    [{ type: "command", command: "git status" }, "allow"],
    [{ type: "command", command: "npm test" }, "ask"],
    [{ type: "read", path: "a.txt" }, "allow"],
    [{ type: "read", path: "link" }, "deny"],
    [{ type: "write", path: "a.txt" }, "ask"],
    [{ type: "write", path: "../x" }, "deny"],
    [{ type: "none" }, "allow"],
  ] as const)("%j: %s", async (access, type) => {
    expect(await verdict(access)).toBe(type);
  });

  test("acceptEdits writes files, but asks for those that can start commands", async () => {
    expect(await verdict({ type: "write", path: "a.txt" }, "acceptEdits")).toBe("allow");
    expect(await verdict({ type: "write", path: ".git/hooks/pre-commit" }, "acceptEdits")).toBe("ask");
  });

  test("a refusal names the root, so that the model knows where it may work", async () => {
    const access = { type: "read", path: "/etc/x" } as const;
    const decision = await judge({ mode: "default", access, tool: "Read", input: null }, ground);
    expect(decision).toMatchObject({ type: "deny", by: "mode", why: expect.stringContaining(cwd) });
  });

  test("a command is shown whole, or with a count of what is not: nobody says yes to a part they did not see", async () => {
    const why = async (command: string) =>
      (await judge({ mode: "default", access: { type: "command", command }, tool: "Bash", input: null }, ground)).why;
    const short = `echo ${"a".repeat(900)}; rm x`;
    expect(await why(short)).toContain(short);
    expect(await why(`echo ${"a".repeat(1_000)}; rm -rf x`)).toContain("… and 15 more characters");
  });
});
