import { spawn } from "node:child_process";

/**
 * Ends a process group when this program is killed without a chance to do so itself (SIGKILL, a crash): a small bash of
 * its own session waits at a pipe that only we hold. It is told the group, then that the group is over; the pipe's end without
 * that word says that we are. Opened before the group is started; a script does not begin before
 * its guard knows of it (`shell.ts`).
 */
export type GroupGuard = { watch(pid: number): void; release(): void };

export function openGuard(env: Readonly<Record<string, string>>, bash: string): GroupGuard {
  const args = ["--noprofile", "--norc", "-c", script];
  const guard = spawn(bash, args, { env: { ...env }, detached: true, stdio: ["pipe", "ignore", "ignore"] });
  // Without a guard, or with one that somebody killed, the command runs on: only the death of us both is not covered.
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  // It waits for us, never we for it.
  guard.unref();
  if ("unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
  return {
    watch: (pid) => void guard.stdin.write(`${pid}\n`),
    release: () => void guard.stdin.end("over\n"),
  };
}

/** Released before it was told a group, it reads one that is no number, and nothing behind it. */
const script = `read -r group || exit
[[ $group =~ ^[0-9]+$ ]] || exit
read -r line && exit
kill -TERM -- "-$group" || exit
sleep 2
kill -KILL -- "-$group"`;
