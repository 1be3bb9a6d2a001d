import { type Check, nullable, number, optional, shape, string, words } from "./codec-check.ts";
import type { HookEntry, HookEvent, HookOutcome } from "./hook.ts";

const event = words<HookEvent>({
  SessionStart: true,
  SessionEnd: true,
  UserPromptSubmit: true,
  UserPromptExpansion: true,
  PreToolUse: true,
  PermissionRequest: true,
  PermissionDenied: true,
  PostToolUse: true,
  PostToolUseFailure: true,
  Notification: true,
  PreCompact: true,
  PostCompact: true,
  Stop: true,
  StopFailure: true,
  SubagentStart: true,
  SubagentStop: true,
});

const outcome = words<HookOutcome>({
  done: true,
  blocked: true,
  failed: true,
  unreadable: true,
  "timed-out": true,
  flooded: true,
  killed: true,
  interrupted: true,
  "not-started": true,
  unknown: true,
});

type Of<T extends HookEntry["type"]> = Extract<HookEntry, { readonly type: T }>;

export const hookStarted: Check<Of<"hook-started">> = shape({
  run: string,
  event,
  command: string,
  callId: optional(string),
});

export const hookEnded: Check<Of<"hook-ended">> = shape({
  run: string,
  event,
  command: string,
  outcome,
  exitCode: nullable(number),
  ms: nullable(number),
  detail: string,
  message: optional(string),
  stops: optional(string),
});
