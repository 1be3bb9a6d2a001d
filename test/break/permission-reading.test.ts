import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { permissionWorld } from "../support/permission-world.ts";

let world: Awaited<ReturnType<typeof permissionWorld>>;
beforeAll(async () => {
  world = await permissionWorld({ git: true });
  mkdirSync(join(world.cwd, "src"));
  writeFileSync(join(world.base, "secret"), "TESTKEY-8");
  symlinkSync("../secret", join(world.cwd, "link"));
});
afterAll(() => world.remove());

test.each([
  ...[
    "grep -n one a.txt",
    "grep -n '/api' a.txt",
    "cat a.txt | grep -c one",
    "grep -A 3 one a.txt",
    "find . -name '*.ts'",
  ],
  ...[
    "find src -type f -maxdepth 2 | head -5",
    "find . -path './node_modules' -prune -o -name '*.ts' -print",
    "sed -n 1,5p a.txt",
  ],
  ...[
    "sed -n '5,$p' a.txt",
    "sort -n a.txt | uniq -c | sort -rn | head -5",
    "tail -n +2 a.txt",
    "which node",
    "date",
    "uname -a",
  ],
  ...[
    "du -sh src",
    "stat a.txt",
    "file a.txt",
    "nl a.txt",
    "sha256sum a.txt",
    "realpath a.txt",
    "basename src/a.ts .ts",
  ],
  ...[
    "git blame a.txt",
    "git remote -v",
    "git tag",
    "git describe --tags --always",
    "git rev-list --count HEAD",
    "git reflog",
  ],
  ...["git merge-base HEAD HEAD", "git log --format='%an' | sort | uniq -c", "type ls", "whoami"],
])("everyday · %j only reads, so it runs unasked in every mode", async (command) => {
  for (const mode of ["default", "plan", "dontAsk"] as const)
    expect(await world.command(command, { mode }), mode).toMatchObject({ type: "allow" });
});

test.each([
  ...[
    "grep -r one .",
    "grep -f ../secret a.txt",
    "grep one ../secret",
    "grep one link",
    "grep -e one ../secret",
    "grep -R one src",
  ],
  ...[
    "find . -delete",
    "find . -fprint P",
    "find . -name x -exec touch P +",
    "find -L . -name x",
    "find .. -name x",
    "find / -name x",
  ],
  ...[
    "sed -n '1w P' a.txt",
    "sed -n '1e touch P' a.txt",
    "sed -i 1p a.txt",
    "sed -n 1p ../secret",
    "sed -n -f a.txt",
    "sed -n -e 1p a.txt",
  ],
  ...[
    "sed -n 1p -e 'w P' a.txt",
    "sort -o P a.txt",
    "sort ../secret",
    "sort --files0-from=a.txt",
    "uniq a.txt P",
    "date -s 1",
    "date 01010000",
  ],
  ...[
    "hostname x",
    "stat ../secret",
    "stat link",
    "file -C -m a.txt",
    "md5sum -c a.txt",
    "cmp a.txt ../secret",
    "git blame ../secret",
  ],
  ...[
    "git blame --contents ../secret a.txt",
    "git remote add x y",
    "git tag x",
    "git tag -d x",
    "git reflog expire",
    "git reflog delete x",
  ],
  ...[
    "git describe --dirty=x --exec=y",
    "git rev-list --use-bitmap-index --output=P HEAD",
    "nl link",
    "type -x ls",
    "which -x",
  ],
])("C-123 · %j may do more than read here, so it is not free", async (command) => {
  expect((await world.command(command)).type).toBe("ask");
  expect((await world.command(command, { mode: "plan" })).type).toBe("deny");
});
