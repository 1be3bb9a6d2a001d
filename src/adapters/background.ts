import { bounds } from "../kernel/bounds.ts";
import type { Background, TaskLook, TaskRequest, TaskStarted } from "../ports/background.ts";
import type { RunEnd, RunResult, Shell } from "../ports/shell.ts";
import { systemClock } from "./clock.ts";
import { createUnread, type Unread } from "./unread.ts";

type Task = {
  readonly unread: Unread;
  readonly stop: AbortController;
  readonly done: Promise<RunResult>;
};

/** Runs tasks over the shell: groups, capture and the way they are ended are those of a foreground command. */
export function shellBackground(shell: Shell): Background {
  const running = new Map<string, Task>();
  /** Ends nobody has asked for yet; the captured output goes with the answer. */
  const results = new Map<string, Promise<RunResult>>();
  const past = new Map<string, { readonly unread: Unread; readonly end: RunEnd }>();
  let closing = false;

  return { start, look, running: () => [...running.keys()], wait, stop, ended, stopAll };

  function start(request: TaskRequest): TaskStarted {
    if (closing) return { type: "refused", why: "the session is being closed" };
    if (running.size >= bounds.tasksMax) {
      const names = [...running.keys()].join(", ");
      return { type: "refused", why: `${bounds.tasksMax} tasks run already (${names}); wait for one, or stop one` };
    }
    const task = freeName(request.number);
    const unread = createUnread(bounds.taskLookCharsMax);
    const stop = new AbortController();
    const done = run(shell, request, unread, stop.signal);
    running.set(task, { unread, stop, done });
    results.set(task, done);
    void done.then(({ end }) => {
      running.delete(task);
      past.set(task, { unread, end });
      for (const [oldest] of past) if (past.size > bounds.tasksRememberedMax) past.delete(oldest);
    });
    return { type: "started", task };
  }

  function freeName(from: number): string {
    let number = from;
    while (results.has(`task_${number}`) || past.has(`task_${number}`)) number += 1;
    return `task_${number}`;
  }

  function look(task: string): TaskLook | null {
    const live = running.get(task);
    if (live !== undefined) return { ...live.unread.take(), end: null };
    const over = past.get(task);
    return over === undefined ? null : { ...over.unread.take(), end: over.end };
  }

  async function wait(task: string, ms: number, signal: AbortSignal): Promise<void> {
    const live = running.get(task);
    if (live === undefined || ms === 0) return;
    const over = new AbortController();
    await Promise.race([live.done, systemClock.sleep(ms, AbortSignal.any([signal, over.signal]))]);
    over.abort();
  }

  async function stop(task: string): Promise<RunEnd | null> {
    const live = running.get(task);
    if (live === undefined) return null;
    live.stop.abort();
    return (await live.done).end;
  }

  async function ended(task: string): Promise<RunResult> {
    const result = results.get(task);
    if (result === undefined) return nothing(`no task ${task} was started here`);
    const told = await result;
    results.delete(task);
    return told;
  }

  async function stopAll(): Promise<void> {
    closing = true;
    await Promise.all([...running.keys()].map(stop));
  }
}

async function run(shell: Shell, request: TaskRequest, unread: Unread, signal: AbortSignal): Promise<RunResult> {
  const { command, cwd, timeoutMs } = request;
  const script = { type: "script", text: command } as const;
  const kept = { bytesMax: bounds.captureBytesMax, onOutput: unread.add, guard: "when-we-are-killed" } as const;
  try {
    return await shell.run({ command: script, cwd, timeoutMs, ...kept }, signal);
  } catch (error) {
    // Whoever waits for the end is told one, whatever went wrong here.
    return nothing(error instanceof Error ? error.message : String(error));
  }
}

function nothing(why: string): RunResult {
  const empty = { head: "", bytesLeftOut: 0, tail: "" };
  return { end: { type: "not-started", why }, output: empty, errorOutput: empty, leftBehind: "none" };
}
