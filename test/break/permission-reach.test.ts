import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { permissionWorld } from "../support/permission-world.ts";

const allow = [
  ...["git *", "sort:*", "tar:*", "awk:*", "uniq:*", "xxd:*", "less:*", "man:*", "curl:*", "wget:*", "ssh host *"],
  ...["zip:*", "yq:*", "npm run *", "npm test:*", "make:*", "cargo test:*", "go test:*", "grep:*", "wc:*", "rg:*"],
  ...["cp:*", "mv:*", "ln:*", "tee:*", "dd:*", "rsync:*", "touch:*", "mkdir:*", "node scripts/*", "./scripts/*"],
  ...["chmod:*", "npx prettier:*"],
].map((inside) => `Bash(${inside})`);

let world: Awaited<ReturnType<typeof permissionWorld>>;
beforeAll(async () => {
  world = await permissionWorld({ lists: { allow }, scope: "project", git: true });
  for (const folder of ["scripts", "src", "out", ".claude"]) mkdirSync(join(world.cwd, folder));
  writeFileSync(join(world.cwd, "scripts", "x.sh"), "");
});
afterAll(() => world.remove());

test.each([
  ...["sort --o P a.txt", "sort --o=P a.txt", "sort -nroP a.txt", "tar cIf 'touch P' x.tar a.txt", "tar xFf P x.tar"],
  ...["tar cf x.tar a.txt --new-volume-script=P", "tar cf h:x a.txt --rmt-command=P", "git clone --u 'touch P;' . x"],
  ...["git archive --o P HEAD", "git format-patch --output-directory=../x", "git format-patch -o ../x HEAD~1"],
  ...["git merge-index touch -a", "git checkout-index --prefix=x/ a.txt", "git bundle create P HEAD", "git p4 sync"],
  ...["git fast-export --export-marks=P HEAD", "git credential-store --file P store", "git config core.pager P"],
  ...["git bisect run touch P", "git config --edit", "awk -E P", "awk -d P a.txt", "awk --exec P", "awk -oP a.txt"],
  ...["awk 'NR>1{print > \"P\"}' a.txt", "awk '{print ($1) > \"P\"}' a.txt", 'awk \'{print "(" > $1 ")"}\' a.txt'],
  ...["awk '{print $1 >> \"P\"}' a.txt", "awk 'NR>1 && system(\"touch P\")' a.txt", "awk '{print | \"sh\"}' a.txt"],
  ...["uniq a.txt P", "uniq -c -f 1 a.txt P", "xxd a.txt P", "xxd -r a.txt P", "less -o P a.txt", "less +!x a.txt"],
  ...["man -P 'touch P' ls", "man --pager=P ls", "curl -sSo P http://x", "curl -fsSLO http://x/P", "curl -K P"],
  ...["curl --output=P http://x", "curl --remote-name-all - http://x/P", "curl -D P http://x", "wget -qO P http://x"],
  ...["wget --use-askpass=./x http://x", "wget -e use_askpass=./x http://x", "ssh host -o ProxyCommand='touch P'"],
  ...["zip -T -TT 'touch P' x.zip a.txt", "yq -i .a=1 x.yml", "npm test --script-shell=./evil", "npm test -C ../evil"],
  ...["npm run x --prefix /tmp/evil", "npm test --pref=../evil", "make SHELL=./evil", "make 'X=$(shell touch P)'"],
  ...["make --eval='x:;touch P' x", "cargo test --config 'target.x.runner=\"touch\"'", "go test -exec ./evil ./..."],
  ...["go test -toolexec=./evil ./...", "git archive '--remote=ext::touch P' HEAD"],
  ...["for npm_config_userconfig in ./evil; do npm test; done"],
])("C-123 · a broad rule does not cover an option that starts a program or writes a file: %j", async (command) => {
  expect((await world.command(command)).type).toBe("ask");
});

test.each([
  ...["cp a.txt .git/hooks/pre-commit", "mv a.txt .claude/settings.json", "ln -s ../../a.txt .git/hooks/pre-commit"],
  ...["tee .git/hooks/pre-commit < a.txt", "dd if=a.txt of=.git/hooks/pre-commit", "rsync a.txt .git/hooks/x"],
  ...["cp a.txt ./.g*/hooks/pre-commit", "touch src/../.GIT/hooks/x", "mkdir -p .varve/x", "chmod +x .git/hooks/x"],
  ...[
    "cp -t.git/hooks a.txt",
    "cp --target-directory=.git/hooks a.txt",
    "cp a.txt {.git,x}/hooks",
    "rsync a.txt .claude",
  ],
])("what can start commands is not written by a rule that does not name it: %j", async (command) => {
  expect((await world.command(command)).type).toBe("ask");
});

test.each([
  ...["./scripts/../../../usr/bin/touch P", "node scripts/../evil.js", "./scripts/x/../../../evil", "node scripts/.."],
])("a rule for what lies in a folder does not lead out of it: %j", async (command) => {
  expect((await world.command(command)).type).toBe("ask");
});

test.each([
  ...["sort -t, -k2 a.txt", "sort -o - a.txt", "tar czf out/x.tgz src", "tar xf out/x.tgz", "tar -tf out/x.tgz"],
  ...["git config --get user.name", "git config --list", "git bisect good", "git log --oneline -5", "git stash list"],
  ...[
    "awk 'NR>1' a.txt",
    "awk -F'|' '{print $1}' a.txt",
    "awk -F '|' '{print $1}' a.txt",
    "uniq -c a.txt",
    "uniq -f 1 a.txt",
  ],
  ...[
    "awk '$3 >= 100 {print $1}' a.txt",
    "awk '{ if ($3 > 5) print $1 }' a.txt",
    "awk -v n=3 'NR>n {s+=$1} END {print s}' a.txt",
  ],
  ...["awk '/a|b/ {print}' a.txt", "xxd -l 16 a.txt", "less a.txt", "man ls", "curl -s http://localhost:3000/health"],
  ...["curl -s -o /dev/null -w '%{http_code}' http://localhost:3000/", "curl -so /dev/null http://localhost:3000/"],
  ...["curl -XPOST -H 'Content-Type: x' -d '{}' http://localhost:3000/", "curl -X DELETE http://localhost:3000/a"],
  ...["wget -qO- http://localhost:3000/", "wget -O - http://localhost:3000/", "ssh host uptime", "zip -r x.zip src"],
  ...["yq -o json .a x.yml", "npm run build --prefix web", "npm run x -- --prefix /tmp", "npm test -- --config=../x"],
  ...["make -C src test", "make CC=gcc all", "cargo test -- --nocapture", "go test -run TestX ./...", "./scripts/x.sh"],
  ...[
    "node scripts/x.js ../data",
    "cp src/a ../app/out/a",
    "rsync -a --exclude=.git src/ out/",
    "git add .claude/a.md",
  ],
  ...["tar --exclude .git -czf out/x.tgz .", "grep -rn x --exclude-dir=.git .", "grep -n one *.txt", "wc -l *.txt"],
  ...["rg x .git/config", "cp a.txt .gitignore", "touch .github/workflows/x.yml", "npx prettier --write src"],
])("everyday · %j runs unasked under a broad rule", async (command) => {
  expect(await world.command(command)).toMatchObject({ type: "allow" });
});

test("a rule that spells the option or the folder out covers it", async () => {
  const lists = { allow: ["Bash(sort -o:*)", "Bash(cp * .git/hooks/*)", "Bash(curl -sSo P *)"] };
  for (const command of ["sort -o P a.txt", "cp a.txt .git/hooks/pre-commit", "curl -sSo P http://x"])
    expect((await world.command(command, { lists })).type, command).toBe("allow");
});
