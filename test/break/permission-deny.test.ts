import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { permissionWorld } from "../support/permission-world.ts";

const deny = ["Bash(rm:*)", "Read(./secrets/**)", "Read(.env)"];
let world: Awaited<ReturnType<typeof permissionWorld>>;
beforeAll(async () => {
  world = await permissionWorld({ lists: { deny, allow: ["Bash(cat:*)", "Bash(echo:*)"] }, git: true });
  mkdirSync(join(world.cwd, "secrets"));
  writeFileSync(join(world.cwd, "secrets", "x"), "TESTKEY-8");
  writeFileSync(join(world.cwd, ".env"), "TESTKEY-8");
  symlinkSync("secrets", join(world.cwd, "lnk"));
});
afterAll(() => world.remove());

test.each([
  ...["echo rm x | bash", "echo rm x | sh -s", "printf 'rm %s' x | bash", "alias l='rm x'", "source <(echo rm x)"],
  ...["bash -c 'x=rm; $x y'", 'bash -c "$X"', 'eval "$x"', "eval 'x=rm; $x y'", "bash -c 'eval \"$x\"'"],
  ...[
    "bash -c $'r\\x6d x'",
    'bash -lc "$A rm"',
    'echo "$x" | bash',
    "x='rm y'; bash -c \"true; $x\"",
    'trap "$x" EXIT',
  ],
  ...["ash -c 'rm x'", "csh -c 'rm x'", "toybox rm x", "setpriv rm x", "prlimit --cpu=1 rm x", "fakeroot rm x"],
])("what a rule refuses is not hidden in a text that another shell runs: %j", async (command) => {
  for (const mode of ["default", "bypassPermissions"] as const)
    expect((await world.command(command, { mode })).type, mode).not.toBe("allow");
});

test.each([
  ...["bash -c 'cat .env'", "bash -c 'cat secrets/x'", "eval 'cat .env'", "xargs cat <<< .env", "env -S 'cat .env'"],
  ...["cat /proc/self/cwd/.env", "cat /proc/$$/cwd/secrets/x", "cat //proc/self/task/1/cwd/lnk/x", "cat ~+/secrets/x"],
  ...["cat /proc/self/root$PWD/.env", "cat $'\\x73ecrets/x'", "cat $'\\163ecrets/x'", "cat {secrets/x,a.txt}"],
  ...["cat {secrets,a}/x", "cat lnk/../.env", "bash -c 'cd secrets && cat x'"],
])("what must not be read is not read by another name: %j", async (command) => {
  for (const mode of ["default", "bypassPermissions"] as const)
    expect((await world.command(command, { mode })).type, mode).toBe("deny");
});

test.each([
  ...['cd src && echo "$HOME"', 'set -e; echo "$x"', 'timeout 5 npm test "$x"', 'bash run.sh && echo "$x"'],
  ...[
    '. ./env.sh && echo "$x"',
    'bash -c "cd $HOME && ls"',
    "bash -c 'npm ci && npm test'",
    "find . -name '*.ts' | xargs wc -l",
  ],
  ...['for f in *.ts; do wc -l "$f"; done', "git log --format='%h %s' | head", "npm run build --prefix web"],
])("everyday · in bypassPermissions %j runs beside rules that refuse others", async (command) => {
  expect(await world.command(command, { mode: "bypassPermissions" })).toMatchObject({ type: "allow" });
});
