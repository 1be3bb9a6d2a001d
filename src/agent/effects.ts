import type { Hash } from "../kernel/ids.ts";
import type { EntryBody } from "../log/entry.ts";
import type { Fact } from "../log/facts.ts";
import type { Hooks } from "../ports/hooks.ts";
import type { Knowledge } from "../ports/knowledge.ts";
import type { Model } from "../ports/model.ts";
import type { Servers } from "../ports/servers.ts";
import type { RunResult } from "../ports/shell.ts";
import type { AppendResult } from "../ports/store.ts";
import type { Clock, Ids } from "../ports/world.ts";
import type { Observation } from "../prompt/context.ts";
import type { ParsedCall, ToolContext, ToolOutcome } from "../tools/tool.ts";

/**
 * Everything impure the agent does, and so the complete list of places where the process can die (DESIGN 4). The manual
 * drive in `testing` parks every one of them; recovery must be right after a death before or after any.
 */
export interface Effects {
  /** One atomic append to the lane's stream, under the session's fence. */
  append(expectedSeq: number, entries: readonly EntryBody[]): Promise<AppendResult>;
  putBlob(text: string): Promise<Hash>;
  getBlob(hash: Hash): Promise<string | null>;
  readonly model: Model;
  runTool(call: ParsedCall, context: ToolContext, signal: AbortSignal): Promise<ToolOutcome>;
  /** Asks the user. null: nobody can be asked, which refuses (fail closed). */
  ask(question: Question, signal: AbortSignal): Promise<Answer | null>;
  /** Resolves when that background task has ended; told once. */
  taskEnded(task: string): Promise<RunResult>;
  /** Asks all background tasks to end, then makes them; none starts after that. */
  stopTasks(): Promise<void>;
  /** Facts from outside, freshly looked at; bounded in time. */
  observe(): Promise<readonly Observation[]>;
  /** What project and user keep for the agent; null: nothing is looked at. */
  readonly knowledge: Knowledge | null;
  /** The user's commands that are told of events; null: there are none. */
  readonly hooks: Hooks | null;
  /** The session's MCP servers; null: none is configured. */
  readonly servers: Servers | null;
  /** Told to the user, once each: what is wrong with something that is theirs and stops nothing. */
  note(text: string): void;
  /** The project's facts; null: there is no project, or its stream cannot be read now. */
  projectFacts(): Promise<readonly Fact[] | null>;
  /** Appends to the project's stream, whoever else does; what it says already is left out. null: done; else why not. */
  changeProjectFacts(entries: readonly EntryBody[]): Promise<string | null>;
  /** Hash of a file's bytes now; null when it is gone or cannot be read. */
  fileHash(path: string): Promise<Hash | null>;
  /** A file's text now; null where there is none, or it is longer than that many bytes, or no text. */
  fileText(path: string, bytesMax: number): Promise<string | null>;
  readonly clock: Clock;
  readonly ids: Ids;
}

export type Question = { readonly callId: string; readonly tool: string; readonly title: string; readonly why: string };
export type Answer = { readonly allowed: boolean; readonly why: string };
