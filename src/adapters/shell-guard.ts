import { spawn } from "node:child_process";

/**
 * Ends a process group when this program is killed without a chance to do so itself (SIGKILL, a crash): a small bash of
 * its own session waits at a pipe that only we hold. A line means that the group is over; the pipe's end, that we are.
 */
export type GroupGuard = { release(): void };

export function guardGroup(pid: number, env: Readonly<Record<string, string>>, bash: string): GroupGuard {
  const args = ["--noprofile", "--norc", "-c", script, String(pid)];
  const guard = spawn(bash, args, { env: { ...env }, detached: true, stdio: ["pipe", "ignore", "ignore"] });
  // Without a guard, or with one that somebody killed, the command runs on: only the death of us both is not covered.
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  // It waits for us, never we for it.
  guard.unref();
  if ("unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
  return { release: () => guard.stdin.end("over\n") };
}

const script = `read -r line && exit
kill -TERM -- "-$0" || exit
sleep 2
kill -KILL -- "-$0"`;
