import { readFile } from "node:fs/promises";
import { platform, release } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Clock } from "../ports/world.ts";
import type { Observation } from "../prompt/context.ts";

/**
 * What is told of the world, looked at anew for each message (M-53). The date has no time of day, so that it changes
 * once a day and not with every request (CASES C-029). Git is read from its files: a process in somebody else's
 * repository could run that repository's own configuration.
 */
export async function observe(world: {
  readonly cwd: string;
  readonly shell: string;
  readonly clock: Clock;
}): Promise<readonly Observation[]> {
  return [
    { key: "date", text: localDay(world.clock.now()) },
    { key: "platform", text: `${platform()} ${release()}` },
    { key: "shell", text: world.shell },
    { key: "working directory", text: world.cwd },
    { key: "git", text: await gitState(world.cwd) },
  ];
}

function localDay(ms: number): string {
  const date = new Date(ms);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

async function gitState(cwd: string): Promise<string> {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const head = await headOf(folder);
    if (head !== null) return head;
    if (dirname(folder) === folder) return "not a repository";
  }
}

async function headOf(folder: string): Promise<string | null> {
  const plain = await text(join(folder, ".git", "HEAD"));
  // In a worktree `.git` is a file that names the folder.
  const link = plain === null ? /^gitdir: (.+)$/m.exec((await text(join(folder, ".git"))) ?? "") : null;
  const head = plain ?? (link?.[1] === undefined ? null : await text(join(resolve(folder, link[1].trim()), "HEAD")));
  if (head === null) return null;
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
  return branch === undefined
    ? `repository, detached at ${head.trim().slice(0, 12)}`
    : `repository, branch ${branch.trim()}`;
}

/** null when it is not there or not a readable file: each of these is "no repository here". */
async function text(path: string): Promise<string | null> {
  return await readFile(path, "utf8").then(
    (content) => content.slice(0, 4_096),
    () => null,
  );
}
