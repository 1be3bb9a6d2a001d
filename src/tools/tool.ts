import type { Handle } from "../kernel/ids.ts";
import type { AttachmentEntry } from "../log/attached.ts";
import type { FileTouch, PermissionMode, Todo } from "../log/entry.ts";
import type { RevealedTool } from "../log/revealed.ts";
import type { EndedTask } from "../log/state.ts";
import type { ToolDeclaration } from "../prompt/doc.ts";

/** What a call would touch, for the permission layer; decided from the parsed input alone. */
export type Access =
  | { readonly type: "none" }
  | { readonly type: "read"; readonly path: string }
  | { readonly type: "write"; readonly path: string }
  | { readonly type: "command"; readonly command: string }
  /** Out of plan mode: the user is shown the plan and decides. */
  | { readonly type: "leave-plan"; readonly plan: string }
  | { readonly type: "fetch"; readonly url: string }
  /** As `ServerWanted` of workspace/permission.ts. */
  | {
      readonly type: "server";
      readonly server: string;
      readonly tool: string;
      readonly reads: boolean;
      readonly changed: boolean;
    };

/** A fact beside the result, stored with it: what the session is told by a call that is about the session itself. */
export type ToolNote =
  | { readonly type: "todos"; readonly todos: readonly Todo[] }
  | { readonly type: "mode"; readonly mode: PermissionMode }
  /** Words the model proposes as a fact; the user decides. */
  | { readonly type: "fact"; readonly text: string }
  | { readonly type: "background"; readonly task: string; readonly command: string }
  /** Texts that come into the conversation with the result, or are over. */
  | { readonly type: "attached"; readonly entries: readonly AttachmentEntry[] }
  /** Tools of servers that this call found; `declaration`: canonical JSON of a `ToolDeclaration`. */
  | { readonly type: "revealed"; readonly tools: readonly RevealedTool[] };

/** Left out of a context: there are none. */
export type SkillCalls = {
  activate(skill: string, typed: string): Promise<SkillAnswer>;
  finish(skill: string): SkillAnswer;
};
export type SkillAnswer =
  | { readonly type: "done"; readonly says: string; readonly entries: readonly AttachmentEntry[] }
  | { readonly type: "failed"; readonly why: string };

/** What a tool gives back. `output` is the original; how it enters the prompt is the digest's business. */
export type ToolOutcome = {
  readonly ending: "done" | "failed" | "timed-out" | "interrupted";
  readonly output: string;
  readonly exitCode: number | null;
  readonly files: readonly FileTouch[];
  readonly images: readonly { readonly mediaType: string; readonly data: string }[];
  /** How the first form is made: `range` when the model named the part it wants (larger cap). */
  readonly form: "range" | "output" | "whole";
  /** A server's answer: by what name the model knows the tool, and how long it took; rules for first forms go by that name. */
  readonly served?: { readonly server: string; readonly tool: string; readonly name: string; readonly ms: number };
  /** Cap of its first form, where it is not the usual one. */
  readonly capTokens?: number;
  readonly notes?: readonly ToolNote[];
};

/** What the agent lends a running call. Narrow on purpose: no log, no session. */
export type ToolContext = {
  readonly cwd: string;
  /** Hash of the file as the model last saw or left it, or null: read-before-edit. */
  seen(path: string): string | null;
  /** An original by handle, for `recall`; null when unknown. */
  original(handle: Handle): Promise<{ readonly text: string } | null>;
  mode(): PermissionMode;
  /** The mode that plan mode was entered from. */
  modeBefore(): PermissionMode;
  /** How many background tasks the session has started so far. */
  tasksStarted(): number;
  /** Background tasks that have ended, by name. */
  tasksEnded(): Readonly<Record<string, EndedTask>>;
  readonly skills?: SkillCalls;
  /** Tokens of the model's window; left out: it is large. */
  windowTokens?(): number;
  /** Live output for the screen only. */
  onProgress(text: string): void;
};

export interface Tool {
  readonly declaration: ToolDeclaration;
  /** It only passes calls on to tools that are not declared: not needed where found tools can be called themselves. */
  readonly passesOn?: true;
  /** Read-only calls of one step run side by side. */
  readonly readOnly: boolean;
  /** Strict: names the field, what was expected, what to do. `run` gets only what `parse` passed. */
  parse(
    input: unknown,
  ): { readonly type: "ok"; readonly call: ParsedCall } | { readonly type: "bad"; readonly why: string };
}

/** A checked call: a closure over its typed input, so that no cast is needed between `parse` and `run`. */
export type ParsedCall = {
  readonly access: Access;
  /**
   * What this call is for, where it only passes one on: rules and hooks go by that. `given`: the input that passes on another one.
   */
  readonly as?: { readonly tool: string; readonly input: unknown; readonly given: (input: unknown) => unknown };
  /** One line for people: `Read src/app.ts 1-80`. */
  readonly title: string;
  /** Told once it may run, before it does. Does not reject. */
  readonly onAllowed?: () => Promise<void>;
  /** Never throws for an expected failure: that is an outcome. Must end soon after the signal. */
  run(context: ToolContext, signal: AbortSignal): Promise<ToolOutcome>;
};
