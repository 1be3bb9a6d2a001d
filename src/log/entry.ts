import type { CallId, FactId, Handle, Hash, LaneId, ProjectId, RequestId, SessionId } from "../kernel/ids.ts";
import type { Usage, Wire } from "../kernel/usage.ts";
import type { AssistantBlock, Pointers, Text } from "./block.ts";
import type { Effort } from "./effort.ts";
import type { ClearedByProvider, ProviderClearing } from "./provider-clearing.ts";
import type { ProviderSummary, SummaryEntry } from "./summary.ts";

/** The newest format this program writes. A log that says a higher one is refused (DESIGN 5). */
export const logFormat = 1;

/** What the store adds to a fact: its place in the stream and the store's own time (ms since 1970). */
export type Entry = { readonly seq: number; readonly at: number } & EntryBody;

/** One fact, past tense, never edited. Closed: a new kind does not compile until codec and reducer handle it. */
export type EntryBody =
  | SessionEntry
  | ConversationEntry
  | FactEntry
  | EpochEntry
  | SummaryEntry
  | RequestEntry
  | ToolEntry
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

/** All that decides a cache key besides tools and text (DESIGN law 2). */
export type ModelChoice = {
  readonly wire: Wire;
  readonly model: string;
  readonly effort: Effort | null;
  readonly thinking: "off" | "adaptive" | { readonly budgetTokens: number };
  readonly outputTokensMax: number;
};
export type { Effort };

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

export type BreakReason =
  | "cleared"
  | "collapsed"
  | "compacted"
  | "undone"
  | "window-slid"
  | "sections-changed"
  | "model-changed"
  | "effort-changed"
  | "renderer-changed"
  | "history-damaged"
  | "client-changed";

/** What a break does to the pieces that stood before it, in order. Ids are `Piece.id`. */
export type PieceEdit =
  | { readonly type: "dropped"; readonly from: string; readonly to: string }
  /** `original`: what it was, where no other entry keeps that under a handle (the input of a call). */
  | {
      readonly type: "replaced";
      readonly piece: string;
      readonly text: Text;
      readonly original?: KeptOriginal;
      /** Of a result, those that its new text has. */
      readonly pointers?: Pointers;
    }
  /** What the provider signed from here to there is not valid any more: those blocks go on by their neutral fields. */
  | { readonly type: "unsigned"; readonly from: string; readonly to: string }
  | {
      readonly type: "inserted";
      /** Piece it stands in front of; null: at the end. */
      readonly before: string | null;
      readonly kind: "fold";
      readonly text: Text;
      /** The whole list the text was made from, under the handle the text names. */
      readonly original: KeptOriginal;
    };

/** A text that can be recalled by its handle. */
export type KeptOriginal = { readonly handle: Handle; readonly text: Text };

/**
 * Why results went and what that was worth, as it was predicted (DESIGN 6, Clear). Tokens; `rent`, `price` and `recalls` in
 * plain input tokens at the rates named, which are multiples of the price of one.
 */
export type ClearNumbers = {
  readonly reason: "cold" | "rent" | "pressure" | "tier";
  readonly savedTokens: number;
  readonly behindTokens: number;
  readonly reasoningTokens: number;
  readonly rent: number;
  readonly price: number;
  readonly recalls: number;
  readonly prices: "known" | "assumed" | "local";
  readonly rates: { readonly read: number; readonly write: number; readonly output: number };
};

export type EpochEntry =
  | {
      readonly type: "epoch-opened";
      /** `start` opens the first epoch; anything else is a break and says why. */
      readonly reason: "start" | BreakReason;
      readonly detail: string;
      /** Blobs: canonical JSON of `ToolDeclaration[]` and `SystemSection[]` (prompt/doc.ts), byte for byte. */
      readonly head: { readonly tools: Hash; readonly system: Hash };
      readonly model: ModelChoice;
      /** The user-context block as it will be sent; never summarised, written anew at each break. */
      readonly userContext: Text;
      /** All facts in force, right behind the user context; left out: there are none. */
      readonly facts?: Text;
      readonly edits: readonly PieceEdit[];
      /** Predicted at the time of the decision; null where the price is unknown. */
      readonly cost: {
        readonly tokensRewritten: number;
        readonly reasoningTokensLost: number;
        readonly usd: number | null;
      };
      /** Of a break that clears. */
      readonly clearing?: ClearNumbers;
      /** Sent with every request of the epoch; left out: the provider is asked for nothing. */
      readonly providerClearing?: ProviderClearing;
      /** Of a compaction that the provider made: it stands in front of all else that is said. */
      readonly summary?: ProviderSummary;
    }
  /** A result's first form, where it is not the original itself. Fixed from here on. */
  | {
      readonly type: "form-fixed";
      readonly callId: CallId;
      readonly handle: Handle;
      readonly text: Text;
      readonly pointers?: Pointers;
      /** The text only says that the output is not shown again: of what call, and how often it was shown before. */
      readonly again?: { readonly what: string; readonly times: number };
    }
  | {
      readonly type: "limit-learned";
      readonly model: string;
      readonly inputTokensMax: number;
      readonly from: string;
      /** The refusal named no number (`log/limits.ts`). */
      readonly basis?: "guess";
    }
  /** What the provider's own listing says of a model, written before anything is decided by it (PROTOCOLS A.1). */
  | {
      readonly type: "model-described";
      readonly model: string;
      readonly inputTokensMax: number | null;
      readonly outputTokensMax: number | null;
      readonly from: string;
    }
  /** The estimate's own state after a reported usage (DESIGN 7): hidden overhead and one factor per content class. */
  | {
      readonly type: "estimate-corrected";
      readonly model: string;
      readonly estimate: EstimateState;
      /** What system and tools of the open epoch were found to have; once per head and model. */
      readonly headTokens?: number;
    };

export type EstimateState = {
  readonly overheadTokens: number;
  readonly factors: {
    readonly code: number;
    readonly json: number;
    readonly prose: number;
    readonly cjk: number;
    /** Of the marks around blocks; left out by older logs. */
    readonly marks?: number;
  };
  /** How sure these six numbers are, together: upper triangle, row by row (budget/learn.ts). */
  readonly covariance: readonly number[];
  /** Newest relative errors of the increment, for the 99 % bound of law 5; at most 50. */
  readonly errors: readonly number[];
};

export type FailureClass =
  | "overflow"
  | "rate-limited"
  | "overloaded"
  | "server"
  | "network"
  | "broken-stream"
  | "timeout"
  | "bad-request"
  | "auth"
  | "billing"
  | "not-found"
  | "binding"
  | "refused"
  | "interrupted";

/** A provider's or the network's failure, classified (PROTOCOLS A.10, B.6). `message` is the provider's own, cut to `bounds.errorCharsMax`. */
export type Failure = {
  readonly class: FailureClass;
  readonly status: number | null;
  readonly message: string;
  readonly retryAfterMs: number | null;
  /** For `overflow`: the two numbers, where the error names them. */
  readonly promptTokens: number | null;
  readonly limitTokens: number | null;
};

export type StopReason =
  | "end-turn"
  | "tool-use"
  | "output-limit"
  | "window-exceeded"
  | "refusal"
  | "pause"
  | "stop-sequence"
  | "unknown";

export type RequestEntry =
  /** The intent. Its pieces are from here on part of the prompt, whatever becomes of the request. */
  | {
      readonly type: "request-sent";
      readonly request: RequestId;
      readonly purpose: "step" | "side";
      readonly attempt: number;
      readonly segments: number;
      /** Chain hash of the last segment, so that a changed renderer is noticed (DESIGN 2). */
      readonly chain: Hash;
      readonly cacheKey: string;
      /** Segment indexes that carry a cache marker. */
      readonly marks: readonly number[];
      readonly predicted: {
        readonly promptTokens: number;
        readonly marginTokens: number;
        readonly cacheReadTokens: number;
        readonly cacheWriteTokens: number;
      };
    }
  | {
      readonly type: "response-received";
      readonly request: RequestId;
      readonly wire: Wire;
      readonly model: string;
      readonly messageId: string;
      readonly blocks: readonly AssistantBlock[];
      readonly stop: StopReason;
      /** null: the provider reported none. */
      readonly usage: Usage | null;
      readonly firstTokenMs: number | null;
      /** What the provider said of the cache or of dropped blocks, as received (JSON). */
      readonly report: string | null;
      /** Left out: the model read all that was sent. `usage` counts what it read. */
      readonly cleared?: ClearedByProvider;
    }
  | {
      readonly type: "request-failed";
      readonly request: RequestId;
      readonly failure: Failure;
      /** Text that had been shown before the stream broke; never sent back as an assistant message. */
      readonly partial: Text;
    };

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
      readonly by: "mode" | "rule" | "user";
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
