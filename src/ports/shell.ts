/** A script for the shell (its two streams become one, in the order they were written), or a program without a shell. */
export type Command =
  | { readonly type: "script"; readonly text: string }
  | { readonly type: "program"; readonly path: string; readonly args: readonly string[] };

export type RunRequest = {
  readonly command: Command;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Kept of each stream: its first half and its last half; the middle is counted. */
  readonly bytesMax: number;
  /** Live output. A throw ends the live output, not the command. */
  readonly onOutput?: (text: string) => void;
  /** What it reads on its stdin; whether it does is its own business. Default: nothing. */
  readonly input?: string;
  /** Told of bytes of either stream as they come, kept or not. */
  readonly onBytes?: (count: number) => void;
  /** Its group is ended even when this program is killed with no chance to do it. Default: only when it ends by itself. */
  readonly guard?: "when-we-are-killed";
};

/** What a stream held: all of it, or its beginning and end around `bytesLeftOut`. Bytes that are no UTF-8 read U+FFFD. */
export type Captured = { readonly head: string; readonly bytesLeftOut: number; readonly tail: string };

export type RunEnd =
  | { readonly type: "exited"; readonly exitCode: number }
  | { readonly type: "killed"; readonly signal: string }
  | { readonly type: "timed-out" }
  | { readonly type: "interrupted" }
  | { readonly type: "not-started"; readonly why: string };

export type RunResult = {
  readonly end: RunEnd;
  readonly output: Captured;
  /** A program's second stream; empty for a script. */
  readonly errorOutput: Captured;
  /** Whether processes that the command left behind had to be ended with it. */
  readonly leftBehind: "none" | "ended" | "gave-up";
};

/** Runs a command as a process group of its own, and always ends: see `RunEnd`. */
export interface Shell {
  run(request: RunRequest, signal: AbortSignal): Promise<RunResult>;
}

/** Where an optional program is. */
export type Program =
  | { readonly type: "found"; readonly path: string }
  | { readonly type: "missing"; readonly why: string };
export type FindProgram = () => Promise<Program>;
