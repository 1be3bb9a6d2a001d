import type { RunEnd, RunResult } from "./shell.ts";

export type TaskRequest = {
  /** The task is named by this number, or the next one that is free. */
  readonly number: number;
  readonly command: string;
  readonly cwd: string;
  readonly timeoutMs: number;
};

export type TaskStarted =
  | { readonly type: "started"; readonly task: string }
  | { readonly type: "refused"; readonly why: string };

/** What a task printed since the look before; of more than `bounds.taskLookCharsMax`, the newest. */
export type TaskLook = { readonly text: string; readonly charsLeftOut: number; readonly end: RunEnd | null };

/** Commands of one session that run beside the turn, each with a name. Each always ends, and dies with us. */
export interface Background {
  start(request: TaskRequest): TaskStarted;
  /** null: nothing is known here of such a task (it was another process's, or it ended long ago). */
  look(task: string): TaskLook | null;
  running(): readonly string[];
  /** Resolves when the task has ended, the time is over, or the signal fires. */
  wait(task: string, ms: number, signal: AbortSignal): Promise<void>;
  /** Asks a task to end, then makes it; resolves with its end, null when none of that name runs. */
  stop(task: string): Promise<RunEnd | null>;
  /** The end and all that was captured; told to one caller, once. */
  ended(task: string): Promise<RunResult>;
  /** Stops every task; none starts after that. */
  stopAll(): Promise<void>;
}
