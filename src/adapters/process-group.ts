import type { ChildProcess } from "node:child_process";

/** To the group of a child that was started `detached`; false when no process of it is left. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, signal);
  } catch {
    // ESRCH: nobody is there. EPERM: only processes that became another user's are, out of our reach.
    return false;
  }
}

export async function groupEnded(child: ChildProcess, graceMs: number): Promise<boolean> {
  for (let waited = 0; waited < graceMs; waited += pollMs) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    if (!signalGroup(child, 0)) return true;
  }
  return false;
}

const pollMs = 10;

export function within(closed: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    closed.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/** When this program ends in the middle (Ctrl-C twice), what it runs ends with it. Returns the end of that. */
export function endWithParent(child: ChildProcess): () => void {
  if (!process.listeners("exit").includes(endRunning)) process.on("exit", endRunning);
  running.add(child);
  return () => running.delete(child);
}

const running = new Set<ChildProcess>();

function endRunning(): void {
  for (const child of running) signalGroup(child, "SIGKILL");
}
