import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { permissionWorld } from "../support/permission-world.ts";

/** What a careful developer would write for a JavaScript project. */
const allow = [
  ...[
    "npm test:*",
    "npm run *",
    "npm ci",
    "npx vitest:*",
    "npx tsc:*",
    "node --test *",
    "node scripts/*",
    "* --version",
    "grep:*",
    "rg:*",
  ],
  ...[
    "find:*",
    "sed -n:*",
    "sort:*",
    "uniq:*",
    "jq:*",
    "awk:*",
    "git add:*",
    "git commit:*",
    "git checkout:*",
    "git switch:*",
    "git fetch",
  ],
  ...[
    "git stash:*",
    "git blame:*",
    "mkdir -p:*",
    "cp src/*",
    "printf:*",
    "diff:*",
    "sleep:*",
    "cargo test:*",
    "python -m pytest:*",
    "make:*",
  ],
  ...["[ *"],
].map((inside) => `Bash(${inside})`);

let world: Awaited<ReturnType<typeof permissionWorld>>;
beforeAll(async () => {
  world = await permissionWorld({ lists: { allow: [...allow, "Edit(./out/**)"] }, scope: "project", git: true });
  mkdirSync(join(world.cwd, "src"));
  writeFileSync(join(world.cwd, "src", "b.ts"), "");
});
afterAll(() => world.remove());

test.each([
  ...[
    "npm test",
    "npm test -- --watch=false",
    "npm run build",
    "npm run test:unit -- src/b.ts",
    "npm ci",
    "npx vitest run test/log",
  ],
  ...[
    "npx tsc --noEmit -p .",
    "node --test test/*.test.js",
    "node scripts/build.js",
    "node --version",
    "git status",
    "git status -s",
  ],
  ...[
    "git diff",
    "git diff --stat HEAD~1 -- src",
    "git log --oneline -n 5",
    "git show HEAD --stat",
    "git branch --show-current",
    "git ls-files",
  ],
  ...[
    "git add src/b.ts",
    "git add -A",
    'git commit -m "fix: the sum"',
    "git commit -m 'fix: the sum'",
    "git checkout -b topic",
    "git switch -c topic",
  ],
  ...[
    "git commit -m \"$(cat <<'EOF'\nfix: the sum\n\nIt's $5.\nEOF\n)\"",
    "git fetch",
    "git stash",
    "git blame -L 1,5 a.txt",
    "ls -la",
    "ls src",
    "cat a.txt",
    "head -n 5 a.txt",
  ],
  ...[
    "tail -20 a.txt",
    "wc -l a.txt",
    "pwd",

    "grep -rn 'sum(' src",
    "grep -c one a.txt | sort -n",
    'rg -n "sum" src',
    "find . -name '*.ts' -type f",
  ],
  ...[
    "find src -name b.ts | head -5",
    "sed -n 1,5p a.txt",
    "sed -n '1,20p' src/b.ts",
    "sort a.txt | uniq -c | sort -rn | head",
    "jq .name package.json",
  ],
  ...[
    "awk '{print $1}' a.txt",
    "npm test && npm run build",
    "npm test; npm run build",
    "npm test || echo failed",
    "npm test 2>&1 | tail -20",
  ],
  ...[
    "npm test > /dev/null",
    "npm test >/dev/null 2>&1",
    "npm run build > out/log.txt",
    "cd src && npm test",
    "cd src && ls",
    "timeout 60 npm test",
  ],
  ...[
    "timeout -s KILL 60 npx vitest run",
    "nice -n 10 npm test",
    "time npm test",
    "(npm test)",
    "{ npm test; }",
    "! npm test",
    "set -e; npm test",
    "set -euo pipefail\nnpm test",
  ],
  ...[
    "if npm test; then echo ok; else echo no; fi",
    'for f in a b c; do npm run "build-$f"; done',
    "while false; do sleep 1; done",
    "git add src/*.ts",
    "mkdir -p out/{a,b}",
  ],
  ...[
    "cp src/b.ts out/b.ts",
    "printf '%s\\n' done",
    "diff a.txt src/b.ts",
    "git status # how are we",
    "git status && git diff --stat",
    "cat < a.txt",
    "[ -f a.txt ] && cat a.txt",
  ],
  ...[
    "test -f a.txt && echo yes",
    "grep -n 'é' a.txt",
    "make -j4 CC=gcc",
    "cat <<EOF\nhello\nEOF",
    "npm test &",
    "cargo test --workspace",
    "python -m pytest -q tests",
  ],
])("everyday · %j runs unasked under sensible rules", async (command) => {
  expect(await world.command(command)).toMatchObject({ type: "allow" });
});

test("in plan mode the same rules let nothing run that may change something", async () => {
  expect(await world.command("npm test", { mode: "plan" })).toMatchObject({ type: "deny", by: "mode" });
  expect(await world.command("git status && git log --oneline", { mode: "plan" })).toMatchObject({ type: "allow" });
  expect(await world.command("git status > out/x", { mode: "plan" })).toMatchObject({ type: "deny" });
  expect(await world.decide({ type: "write", path: "out/x" }, { mode: "plan", tool: "Write" })).toMatchObject({
    type: "deny",
  });
});

test("acceptEdits writes by redirection what it lets tools write, and nothing that can start commands", async () => {
  const type = async (command: string) => (await world.command(command, { mode: "acceptEdits" })).type;
  expect(await type("cat a.txt > b.txt")).toBe("allow");
  expect(await type("head a.txt >> src/b.ts")).toBe("allow");
  expect(await type("echo hi > .git/hooks/pre-commit")).toBe("ask");
  expect(await type("echo hi > ../b.txt")).toBe("ask");
  expect(await type("cd src && cat b.ts > ../b.txt")).toBe("allow");
  expect(await type("cd src; echo hi > b.txt")).toBe("ask");
});
