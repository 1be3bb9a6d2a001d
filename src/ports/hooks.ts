import type { HookEvent } from "../log/hook.ts";

/** A command of the user's that is told of an event. */
export type Hook = {
  readonly event: HookEvent;
  readonly command: string;
  readonly timeoutMs: number;
  /** The file it stands in. */
  readonly file: string;
};

/** What it is told of the event itself; session, transcript and folder are added where it runs. */
export type HookInput = Readonly<Record<string, unknown>>;

export type HookEnd =
  | { readonly type: "exited"; readonly exitCode: number }
  | { readonly type: "killed"; readonly signal: string }
  | { readonly type: "timed-out" | "flooded" | "interrupted" }
  | { readonly type: "not-started"; readonly why: string };

/** Each stream up to `bounds.hookOutputBytesMax`; who prints more is ended. */
export type HookRan = {
  readonly end: HookEnd;
  readonly output: string;
  readonly errorOutput: string;
  /** A text of its input was longer than `bounds.hookInputCharsMax`, and it was told how that begins; left out: it was told all. */
  readonly told?: "beginnings";
};

/** The hooks of a session, as they stood when it was opened. */
export interface Hooks {
  /**
   * Those of the event that take the subject (a tool's name, a source), each command once, the strongest file's first. Looks
   * nothing up: where there are none, it costs nothing.
   */
  due(event: HookEvent, subject: string): readonly Hook[];
  /** Never throws, and always ends: see `HookEnd`. */
  run(hook: Hook, input: HookInput, signal: AbortSignal): Promise<HookRan>;
}
