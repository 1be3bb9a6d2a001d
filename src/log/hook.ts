import type { CallId } from "../kernel/ids.ts";
import type { Text } from "./block.ts";

/** What happens in a session that a command of the user's can be told of (PROTOCOLS G.5). */
export const hookEvents = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
  "Notification",
  "PreCompact",
  "PostCompact",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
] as const;
export type HookEvent = (typeof hookEvents)[number];

/**
 * How a hook ended. `blocked`: it was understood, and says no. `failed`: an exit code that says neither yes nor no.
 * `unreadable`: what it printed was meant to say something and cannot be read. `unknown`: this program ended first.
 */
export type HookOutcome =
  | "done"
  | "blocked"
  | "failed"
  | "unreadable"
  | "timed-out"
  | "flooded"
  | "killed"
  | "interrupted"
  | "not-started"
  | "unknown";

export type HookEntry =
  /** The intent; `run` names this one run of the command. */
  | {
      readonly type: "hook-started";
      readonly run: string;
      readonly event: HookEvent;
      readonly command: string;
      readonly callId?: CallId;
    }
  | {
      readonly type: "hook-ended";
      readonly run: string;
      readonly event: HookEvent;
      readonly command: string;
      readonly outcome: HookOutcome;
      readonly exitCode: number | null;
      readonly ms: number | null;
      /** Why it did not end well, or what it blocks for. */
      readonly detail: string;
      /** Its words for the user. */
      readonly message?: string;
      /** It wants the whole turn to end, for this. */
      readonly stops?: string;
    }
  /** A hook gave a call another input: that is what runs. What the model said stays as it is. */
  | { readonly type: "input-rewritten"; readonly callId: CallId; readonly input: Text; readonly by: string };
