import type { CallId, FactId, Handle, Hash, LaneId, ProjectId, RequestId, SessionId } from "../kernel/ids.ts";
import type { AttachmentEntry } from "./attached.ts";
import type { Text } from "./block.ts";
import type { Effort } from "./effort.ts";
import type { EpochEntry } from "./epoch-entry.ts";
import type { HookEntry } from "./hook.ts";
import type { LaneEntry } from "./lanes.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { PlaceholderEntry } from "./placeholder.ts";
import type { RequestEntry } from "./request-entry.ts";
import type { RevealedEntry } from "./revealed.ts";
import type { ServerEntry } from "./server-entry.ts";
import type { SummaryEntry } from "./summary.ts";

/** The newest format this program writes. A log that says a higher one is refused (DESIGN 5). */
export const logFormat = 1;

/** What the store adds to a fact: its place in the stream and the store's own time (ms since 1970). */
export type Entry = { readonly seq: number; readonly at: number } & EntryBody;

/** One fact, past tense, never edited. Closed: a new kind does not compile until codec and reducer handle it. */
export type EntryBody =
  | SessionEntry
  | ConversationEntry
  | AttachmentEntry
  | LaneEntry
  | FactEntry
  | EpochEntry
  | SummaryEntry
  | RequestEntry
  | ToolEntry
  | RevealedEntry
  | ServerEntry
  | HookEntry
  | PlaceholderEntry
  | TurnEntry
  | DamageEntry;

export type EntryType = EntryBody["type"];
export type EntryOf<T extends EntryType> = { readonly seq: number; readonly at: number } & Extract<
  EntryBody,
  { readonly type: T }
>;

export type SessionEntry =
  | {
      readonly type: "session-started";
      readonly format: number;
      readonly session: SessionId;
      readonly lane: LaneId;
      readonly project: ProjectId | null;
      readonly cwd: string;
      readonly version: string;
    }
  /** Stands behind the copied lines of a session fork; from here on the log is its own. */
  | { readonly type: "session-forked"; readonly session: SessionId; readonly from: SessionId; readonly fromSeq: number }
  | { readonly type: "project-started"; readonly format: number; readonly project: ProjectId }
  | { readonly type: "model-chosen"; readonly model: ModelChoice }
  /** `by` left out: the user chose it. */
  | { readonly type: "mode-chosen"; readonly mode: PermissionMode; readonly by?: "model" }
  | { readonly type: "verbosity-chosen"; readonly verbosity: Verbosity }
  /**
   * Law 1's one exception (decision 0018): these entries were rewritten to take a secret out of them, those blobs were
   * removed, and the chain was made anew from there on.
   */
  | { readonly type: "log-redacted"; readonly seqs: readonly number[]; readonly blobs: readonly Hash[] };

export type PermissionMode = "default" | "acceptEdits" | "plan" | "dontAsk" | "bypassPermissions";

export type {
  BreakReason,
  ClearNumbers,
  EpochEntry,
  EstimateState,
  KeptOriginal,
  PieceEdit,
} from "./epoch-entry.ts";
export type { Failure, FailureClass, RequestEntry, StopReason } from "./request-entry.ts";
export type { Effort, ModelChoice };

/** How much the assistant writes to the user; our own setting, said in words on every wire. */
export type Verbosity = "low" | "medium" | "high";

export type ConversationEntry =
  | { readonly type: "message-added"; readonly text: Text }
  /** A fact from outside (date, directory, git state ...), kept before anything renders it. `key` is its name. */
  | { readonly type: "context-observed"; readonly key: string; readonly text: string }
  /**
   * `side: "system"` is for our own words only (mode, effort, verbosity): where the model takes it, it stands on the system
   * side. See `SystemBlock` for `effort` and `until`.
   */
  | {
      readonly type: "reminder-added";
      readonly source: string;
      readonly text: Text;
      readonly side?: "system";
      readonly effort?: Effort;
      readonly until?: "next-message";
    }
  /** A file the model has seen is no longer what it saw (`hash` null: gone). Said once per change (M-52). */
  | { readonly type: "file-changed"; readonly path: string; readonly hash: Hash | null };

/** `session`: while this session lasts. `project`: in every session of the project. */
export type FactScope = "session" | "project";

/** What the user wants kept, word for word (DESIGN 6). Those of a project stand in its own stream, and in each session's log. */
export type FactEntry =
  /** In force only once the user accepts it. `by`: whose words they are. */
  | { readonly type: "fact-proposed"; readonly fact: FactId; readonly text: string; readonly by: "user" | "agent" }
  | { readonly type: "fact-pinned"; readonly fact: FactId; readonly text: string; readonly scope: FactScope }
  /** A proposal that the user does not want; it is not made again. */
  | { readonly type: "fact-refused"; readonly fact: FactId }
  | { readonly type: "fact-retired"; readonly fact: FactId }
  /** A block at the end of the prompt: facts that were not to be seen there, or word that some are no longer in force. */
  | { readonly type: "facts-shown"; readonly text: Text };

/** `hash` names the bytes the tool saw or left, so that a later edit knows whether the file moved on. */
export type FileTouch = { readonly path: string; readonly hash: Hash; readonly how: "read" | "written" };

export type Todo = { readonly text: string; readonly status: "pending" | "in-progress" | "done" };

export type ToolEntry =
  /** The whole list as it is from here on. */
  | { readonly type: "todos-written"; readonly todos: readonly Todo[] }
  /** A command that runs beside the turn; `task` names it to the model. */
  | { readonly type: "background-started"; readonly task: string; readonly callId: CallId; readonly command: string }
  | {
      readonly type: "background-ended";
      readonly task: string;
      /** `unknown`: the process that watched it ended first. */
      readonly ending: "exited" | "killed" | "timed-out" | "not-started" | "unknown";
      readonly exitCode: number | null;
      readonly output: Text;
      readonly handle: Handle;
    }
  | { readonly type: "permission-asked"; readonly callId: CallId; readonly why: string }
  | {
      readonly type: "permission-decided";
      readonly callId: CallId;
      readonly allowed: boolean;
      readonly by: "mode" | "rule" | "user" | "hook";
      readonly why: string;
    }
  | { readonly type: "tool-started"; readonly callId: CallId; readonly tool: string }
  | {
      readonly type: "tool-returned";
      readonly callId: CallId;
      readonly tool: string;
      readonly ending: "done" | "failed" | "refused" | "interrupted" | "not-run" | "timed-out";
      /** The original, whole, up to `bounds.captureBytesMax`. */
      readonly output: Text;
      readonly handle: Handle;
      readonly exitCode: number | null;
      readonly files: readonly FileTouch[];
      readonly images: readonly { readonly mediaType: string; readonly data: Text }[];
    };

export type TurnEntry =
  | { readonly type: "turn-ended"; readonly reason: TurnEnd; readonly detail: string }
  /** A turn that ended before its answer goes on, without a new message. */
  | { readonly type: "turn-resumed"; readonly after: TurnEnd }
  | { readonly type: "interrupted"; readonly by: string }
  /** After a restart: an intent of which no result is known. Never run again (DESIGN 4). */
  | { readonly type: "outcome-unknown"; readonly what: "request"; readonly request: RequestId }
  | { readonly type: "outcome-unknown"; readonly what: "tool"; readonly callId: CallId; readonly text: string };

export type TurnEnd =
  | "done"
  | "step-limit"
  | "interrupted"
  | "permission-refused"
  | "provider-gave-up"
  | "window-too-small"
  | "failed";

/** Never written: the reader puts it where a line could not be read (DESIGN 5). The bytes stay in the file. */
export type DamageEntry = {
  readonly type: "line-unreadable";
  readonly line: number;
  readonly bytes: number;
  readonly why: string;
};
