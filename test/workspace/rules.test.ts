import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import type { PermissionMode } from "../../src/log/entry.ts";
import { parseRule, type RuleKind } from "../../src/workspace/rule.ts";
import { starMatch } from "../../src/workspace/rule-command.ts";
import { scriptOf } from "../../src/workspace/shell-parts.ts";
import { type Lists, permissionWorld } from "../support/permission-world.ts";

let world: Awaited<ReturnType<typeof permissionWorld>>;
beforeAll(async () => {
  world = await permissionWorld({ git: true });
  mkdirSync(join(world.cwd, "secrets"));
  mkdirSync(join(world.cwd, "src"));
  writeFileSync(join(world.cwd, "secrets", "key"), "x");
  symlinkSync("secrets", join(world.cwd, "plain"));
});
afterAll(() => world.remove());

const type = async (command: string, lists: Lists, mode: PermissionMode = "default") =>
  (await world.command(command, { lists, mode })).type;
const typeOf = async (tool: string, path: string, lists: Lists, mode: PermissionMode = "default") => {
  const touch = ["Read", "Grep", "Glob"].includes(tool) ? "read" : "write";
  return (await world.decide({ type: touch, path }, { tool, lists, mode })).type;
};

describe("patterns of commands", () => {
  const rows: [rule: string, command: string, covers: boolean][] = [
    ["npm test", "npm test", true],
    ["npm test", "npm test -- x", false],
    ["npm test:*", "npm test", true],
    ["npm test:*", "npm test x", true],
    ["npm test:*", "npm tests", false],
    ["npm test *", "npm test", true],
    ["npm test*", "npm tests x", true],
    ["npm run *", "npm run build", true],
    ["npm run *", "npm runx", false],
    ["git * main", "git push main", true],
    ["git * main", "git push origin main", true],
    ["git * main", "git main", false],
    ["* --version", "node --version", true],
    ["* --version", "rm x --version", false],
    ["npm  test", "npm test", true],
    ["npm test", "npm  test", true],
    ["sudo apt:*", "sudo apt update", true],
    ["sudo:*", "sudo apt update", false],
    ["bash scripts/x.sh:*", "bash scripts/x.sh a", true],
    ["bash:*", "bash scripts/x.sh", false],
    ["git -C src status", "git -C src status", true],
    ["git:*", "git -C src status", false],
    ["git:*", "git push", true],
    ["xargs grep:*", "xargs grep x", true],
    ["echo:*", "echo *", false],
    ["echo:*", "echo $x", false],
    ["echo:*", "echo src/*", true],
    ["NPM test", "npm test", false],
    ["sed:*", "sed -n '/a/,/b/p' x", true],
    ["sed:*", "sed -e 's/a/b/;s|c|d|g' x", true],
    ["sed:*", "sed 's/[a-z]*/b/g' x", true],
    ["sed:*", "sed 's/a\\/b/c/' x", true],
    ["sed:*", "sed 's/a/b/w P' x", false],
    ["sed:*", "sed 's/a/b/;s/c/d/e' x", false],
    ["sed:*", "sed 's/a\\/p;s/b/w P' x", false],
    ["sed:*", "sed '1!e touch P' x", false],
    ["sed:*", "sed '/a/w P' x", false],
    ["sed:*", "sed -i 's/a/b/' x", false],
    ["sed -i:*", "sed -i 's/a/b/' x", true],
  ];
  test.each(rows)("Bash(%s) and %j: %s", async (rule, command, covers) => {
    expect(await type(command, { allow: [`Bash(${rule})`] })).toBe(covers ? "allow" : "ask");
  });

  test("law 10 · many stars take no longer than length times length", () => {
    expect(starMatch(`${"a*".repeat(500)}b`, "a".repeat(20_000))).toBe(false);
  });
});

describe("deny, then ask, then allow", () => {
  test.each<[string, Lists, PermissionMode, string]>([
    ["npm test", { allow: ["Bash(npm:*)"], ask: ["Bash(npm test)"] }, "default", "ask"],
    ["npm test", { allow: ["Bash(npm:*)"], ask: ["Bash(npm test)"] }, "dontAsk", "deny"],
    ["npm test", { allow: ["Bash(npm:*)"] }, "dontAsk", "allow"],
    ["npm run x", { allow: ["Bash(npm test)"] }, "dontAsk", "deny"],
    ["npm test", { allow: ["Bash(npm test)"], deny: ["Bash(npm:*)"] }, "default", "deny"],
    ["npm test", { allow: ["Bash"], deny: ["Bash(npm:*)"] }, "bypassPermissions", "deny"],
    ["npm test", { ask: ["Bash(npm:*)"] }, "bypassPermissions", "ask"],
    ["npm test", { deny: ["Bash"] }, "bypassPermissions", "deny"],
    ["npm test", { allow: ["Bash"] }, "default", "allow"],
    ["npm test", { allow: ["Bash(*)"] }, "default", "allow"],
    ["npm test", { allow: ["Bash"] }, "plan", "deny"],
    ["git status", { ask: ["Bash(git:*)"] }, "default", "ask"],
    ["git status", { deny: ["Bash(git status)"] }, "default", "deny"],
    ["$x y", { deny: ["Bash(rm:*)"] }, "bypassPermissions", "ask"],
    ["echo 'x", { deny: ["Bash(rm:*)"] }, "bypassPermissions", "ask"],
    ["$x y", { deny: ["Bash(rm:*)"], allow: ["Bash"] }, "default", "ask"],
    ["$x y", { deny: ["Bash(rm:*)"], allow: ["Bash"] }, "dontAsk", "deny"],
    ["$x y", { allow: ["Bash"] }, "default", "allow"],
    ["echo 'x", {}, "bypassPermissions", "allow"],
    ["npm test > x", { allow: ["Bash(npm test:*)"] }, "default", "ask"],
    ["npm test > x", { allow: ["Bash(npm test:*)", "Edit(x)"] }, "default", "allow"],
    ["npm test > x", { allow: ["Bash(npm test:*)"] }, "acceptEdits", "allow"],
    ["npm test > x", { allow: ["Bash(npm test:*)"], deny: ["Edit(x)"] }, "bypassPermissions", "deny"],
  ])("%j under %j in %s: %s", async (command, lists, mode, wanted) => {
    expect(await type(command, lists, mode)).toBe(wanted);
  });

  test("the decision names the rule and the file it came from", async () => {
    expect(await world.command("npm test", { lists: { allow: ["Bash(npm test:*)"] } })).toEqual({
      type: "allow",
      by: "rule",
      why: "Bash: the allow rule Bash(npm test:*) of settings.json allows it (npm test)",
    });
    const refused = await world.command("rm x", { lists: { deny: ["Bash(rm:*)"] } });
    expect(refused).toMatchObject({
      by: "rule",
      why: expect.stringContaining("the deny rule Bash(rm:*) of settings.json"),
    });
  });
});

describe("C-123 · one refused part refuses the whole, wherever it stands", () => {
  const lists: Lists = { deny: ["Bash(rm:*)", "Bash(git push:*)"], allow: ["Bash"] };
  test.each([
    ...[
      "rm x",
      "ls && rm x",
      "ls; rm x",
      "ls | rm x",
      "ls & rm x",
      "ls\nrm x",
      "(rm x)",
      "{ rm x; }",
      "! rm x",
      "if rm x; then ls; fi",
    ],
    ...[
      "for i in 1; do rm x; done",
      "while rm x; do ls; done",
      "echo $(rm x)",
      "echo `rm x`",
      "cat <(rm x)",
      "cat <<E\n$(rm x)\nE",
      "f() { rm x; }",
    ],
    ...[
      "'rm' x",
      "\\rm x",
      "r''m x",
      "$'rm' x",
      "/bin/rm x",
      "A=1 rm x",
      "timeout 5 rm x",
      "nice rm x",
      "nohup rm x",
      "env A=1 rm x",
      "env -i rm x",
    ],
    ...[
      "sudo rm x",
      "sudo -u y rm x",
      "xargs rm",
      "xargs -n 1 rm",
      "command rm x",
      "exec rm x",
      "time rm x",
      "builtin rm x",
      "busybox rm x",
    ],
    ...[
      "sh -c 'rm x'",
      "bash -c 'ls; rm x'",
      "eval 'rm x'",
      "eval rm x",
      'bash -lc "rm x"',
      "find . -exec rm {} \\;",
      "sudo sh -c 'rm x'",
      "rm\\\n x",
    ],
    ...[
      "git push",
      "git -C x push",
      "git -c a=b push origin",
      "git --git-dir=x push",
      "git  push",
      "case a in a) rm x;; esac",
      "coproc rm x",
      "rm x > /dev/null",
    ],
  ])("%j", async (command) => {
    expect(await type(command, lists)).toBe("deny");
    expect(await type(command, lists, "bypassPermissions")).toBe("deny");
  });

  test.each(["rmdir x", "echo rm", "git pull", "npm run rm", "ls rm"])("%j is not what they name", async (command) => {
    expect(await type(command, lists)).toBe("allow");
  });
});

describe("paths in rules", () => {
  test.each<[string, string, Lists, string]>([
    ["Read", "secrets/key", { deny: ["Read(./secrets/**)"] }, "deny"],
    ["Read", "plain/key", { deny: ["Read(./secrets/**)"] }, "deny"],
    ["Read", "src/../secrets/key", { deny: ["Read(/secrets)"] }, "deny"],
    ["Read", "SECRETS/key", { deny: ["Read(secrets/)"] }, "deny"],
    ["Read", "secrets", { deny: ["Read(./secrets/**)"] }, "deny"],
    ["Grep", "secrets", { deny: ["Read(./secrets/**)"] }, "deny"],
    ["Glob", "secrets", { deny: ["Read(./secrets/**)"] }, "deny"],
    ["Grep", "secrets", { deny: ["Grep(./secrets/**)"] }, "deny"],
    ["Edit", "secrets/key", { deny: ["Read(./secrets/**)"] }, "deny"],
    ["Write", "secrets/key", { deny: ["Edit(./secrets/**)"] }, "deny"],
    ["MultiEdit", "secrets/key", { deny: ["Edit(./secrets/**)"] }, "deny"],
    ["Edit", "secrets/key", { deny: ["Write(./secrets/**)"] }, "deny"],
    ["Read", "secrets/key", { deny: ["Edit(./secrets/**)"] }, "allow"],
    ["Read", "src/.env", { deny: ["Read(.env)"] }, "deny"],
    ["Read", "src/env", { deny: ["Read(.env)"] }, "allow"],
    ["Read", "a.txt", { ask: ["Read(*.txt)"] }, "ask"],
    ["Read", "a.txt", { deny: ["Read"] }, "deny"],
    ["Grep", ".", { deny: ["Read"] }, "deny"],
    ["Write", "src/x", { allow: ["Edit(src/**)"] }, "allow"],
    ["Write", "SRC/x", { allow: ["Edit(src/**)"] }, "ask"],
    ["Write", "srcx/x", { allow: ["Edit(src/**)"] }, "ask"],
    ["Write", "plain/x", { allow: ["Edit(plain/**)"] }, "ask"],
    ["Write", "plain/x", { allow: ["Edit(secrets/**)"] }, "allow"],
    ["Edit", "src/x", { allow: ["Write(src/**)"] }, "ask"],
    ["Write", "src/x", { allow: ["Read(src/**)"] }, "ask"],
    ["Write", ".git/hooks/x", { allow: ["Edit(**)"] }, "ask"],
    ["Write", ".varve/settings.json", { allow: ["Edit"] }, "ask"],
    ["Write", "../x", { allow: ["Edit(//**)"] }, "deny"],
  ])("%s of %s under %j: %s", async (tool, path, lists, wanted) => {
    expect(await typeOf(tool, path, lists)).toBe(wanted);
  });

  test.each([
    ...[
      "cat secrets/key",
      "cat ./secrets/key",
      "cat 'secrets/key'",
      "cat plain/key",
      "cat < secrets/key",
      "git show HEAD:secrets/key",
      "curl -d @secrets/key x",
    ],
    ...[
      "grep --file=secrets/key x",
      "cp -r secrets x",
      "cat src/../secrets/key",
      "cd secrets && cat key",
      "echo $(cat secrets/key)",
      "cat se''crets/key",
    ],
  ])("a command whose words name a path that must not be read is refused: %j", async (command) => {
    const lists: Lists = { deny: ["Read(./secrets/**)"], allow: ["Bash"] };
    expect(await type(command, lists)).toBe("deny");
    expect(await type(command, lists, "bypassPermissions")).toBe("deny");
  });

  test("the home folder is known by all its names", async () => {
    const lists: Lists = { deny: ["Read(~/.ssh/**)"], allow: ["Bash"] };
    for (const path of [
      "~/.ssh/id",
      "$HOME/.ssh/id",
      '"$HOME/.ssh/id"',
      `\${HOME}/.ssh/id`,
      "$PWD/../.ssh/id",
      "../.ssh/id",
    ])
      expect(await type(`cat ${path}`, lists), path).toBe("deny");
  });

  test("where paths must not be read, words that may become one are asked about", async () => {
    expect(await type("head sec*/key", { deny: ["Read(./secrets/**)"], allow: ["Bash(head:*)"] })).toBe("ask");
    expect(await type("head sec*/key", { allow: ["Bash(head:*)"] })).toBe("allow");
    expect(await type("prettier -w secrets/key", { deny: ["Edit(./secrets/**)"], allow: ["Bash(prettier:*)"] })).toBe(
      "ask",
    );
  });
});

describe("other tools", () => {
  const decide = async (tool: string, input: unknown, lists: Lists) =>
    (await world.decide({ type: "none" }, { tool, input, lists })).type;
  test.each<[string, unknown, Lists, string]>([
    ["WebFetch", { url: "https://example.com/x" }, { deny: ["WebFetch(domain:example.com)"] }, "deny"],
    ["WebFetch", { url: "https://EXAMPLE.com./x" }, { deny: ["WebFetch(domain:example.com)"] }, "deny"],
    ["WebFetch", { url: "https://a.example.com/x" }, { deny: ["WebFetch(domain:*.example.com)"] }, "deny"],
    ["WebFetch", { url: "https://notexample.com/x" }, { deny: ["WebFetch(domain:*.example.com)"] }, "allow"],
    ["WebFetch", { url: "no address" }, { deny: ["WebFetch(domain:example.com)"] }, "deny"],
    ["mcp__a__b", {}, { deny: ["mcp__a"] }, "deny"],
    ["mcp__ab__b", {}, { deny: ["mcp__a"] }, "allow"],
    ["mcp__a__get_x", {}, { deny: ["mcp__a__get_*"] }, "deny"],
    ["mcp__a__set_x", {}, { deny: ["mcp__a__get_*"] }, "allow"],
    ["mcp__a__b", {}, { ask: ["mcp__*"] }, "ask"],
    ["mcp__a__b", { path: "/etc/x" }, { deny: ["mcp__a__b(path:/etc/*)"] }, "deny"],
    ["mcp__a__b", { path: "/x" }, { deny: ["mcp__a__b(path:/etc/*)"] }, "allow"],
    ["TodoWrite", {}, { deny: ["TodoWrite"] }, "deny"],
    ["recall", { handle: "x" }, { ask: ["recall"] }, "ask"],
  ])("%s %j under %j: %s", async (tool, input, lists, wanted) => {
    expect(await decide(tool, input, lists)).toBe(wanted);
  });
});

describe("a rule that is not understood is said, with what was expected", () => {
  test.each<[string, RuleKind, string]>([
    ["Bash(", "deny", "expected Tool or Tool(what)"],
    ["Bash)", "deny", "expected Tool or Tool(what)"],
    ["", "deny", "expected Tool"],
    ["Bash ()", "deny", "expected Tool"],
    ["Bash()", "deny", "nothing stands in the parentheses"],
    ["Read(!x)", "deny", "does not begin with !"],
    ["Read(../x)", "deny", "has no .."],
    ["Read(a\\b)", "deny", "no backslash"],
    ["WebFetch(domain:)", "deny", "expected a host name"],
    ["WebFetch(domain:a/b)", "allow", "expected a host name"],
    ["WebFetch(https://x)", "allow", "WebFetch(domain:example.com)"],
    ["mcp__*", "allow", "only after a whole server name"],
    ["mcp__a*__b", "allow", "only after a whole server name"],
    ["*", "allow", "only after a whole server name"],
    ["TodoWrite(a:b)", "allow", "only deny and ask rules"],
    ["TodoWrite(a)", "deny", "TodoWrite(field:value)"],
    ["Ba sh", "deny", "expected Tool"],
    [`Bash(${"x".repeat(bounds.ruleCharsMax)})`, "deny", "at most"],
  ])("%s (%s)", (text, kind, why) => {
    expect(parseRule(text, { kind, file: "f", scope: "user" })).toMatchObject({
      type: "bad",
      why: expect.stringContaining(why),
    });
  });
});

test("law 10 · a command that is too long, or made of too many commands, is not compared with rules: it asks", async () => {
  const lists: Lists = { allow: ["Bash(echo:*)"] };
  expect(await type(`echo ${"x".repeat(bounds.shellCharsMax - 5)}`, lists)).toBe("allow");
  expect(await type(`echo ${"x".repeat(bounds.shellCharsMax - 4)}`, lists)).toBe("ask");
  expect(await type("echo x;".repeat(bounds.shellPartsMax), lists)).toBe("allow");
  expect(await type("echo x;".repeat(bounds.shellPartsMax + 1), lists)).toBe("ask");
  const nested = (levels: number) =>
    type(`${"eval ".repeat(levels)}echo x`, { deny: ["Bash(rm:*)"] }, "bypassPermissions");
  expect(await nested(bounds.shellNestingMax)).toBe("allow");
  expect(await nested(bounds.shellNestingMax + 1)).toBe("deny");
});

test("what the grammar does not read, or reads as something not listed, is never taken for understood", async () => {
  for (const text of ["echo 'a", "if x", "echo )", "a && ", "((", "case x in", "cat <<E"]) {
    const script = await scriptOf(text);
    expect(script.type === "unreadable" || script.unsure !== null, text).toBe(true);
  }
});
