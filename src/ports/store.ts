import type { Hash, LaneId, ProjectId, SessionId } from "../kernel/ids.ts";
import type { Entry, EntryBody } from "../log/entry.ts";

/** An append-only sequence of entries with one writer at a time: a lane of a session, or a project. */
export type StreamId =
  | { readonly type: "lane"; readonly session: SessionId; readonly lane: LaneId }
  | { readonly type: "project"; readonly project: ProjectId };

/** Proof of a lease: a number that only grows. An append under an older fence is refused. */
export type Fence = number;

/** Where reading may go on. `hint` is the store's own (a byte offset); a wrong or absent one costs time, never truth. */
export type Position = { readonly seq: number; readonly hash: Hash | ""; readonly hint?: string };

export type AppendResult =
  | { readonly type: "appended"; readonly head: Position; readonly entries: readonly Entry[] }
  /** Somebody else's entries came first: read on from what you have, decide again. */
  | { readonly type: "conflict"; readonly head: Position }
  /** The lease was lost to a later owner: stop writing. */
  | { readonly type: "fenced"; readonly fence: Fence }
  /** Nothing of this call is in the stream (disk full, read-only folder): `why` for people. */
  | { readonly type: "refused"; readonly why: string };

export type LeaseResult =
  | { readonly type: "leased"; readonly fence: Fence; release(): Promise<void> }
  | { readonly type: "busy"; readonly owner: string; readonly since: number }
  | { readonly type: "refused"; readonly why: string };

export type SessionSummary = {
  readonly session: SessionId;
  readonly project: ProjectId | null;
  readonly cwd: string;
  readonly startedAt: number;
  /** Time of the newest entry of the main lane. */
  readonly updatedAt: number;
  /** Beginning of the first user message, for a list. */
  readonly title: string;
};

/** What reading found wrong; reading went on (CASES C-085, C-093). `line` counts from 1. */
export type Damage = {
  readonly line: number;
  readonly type: "torn-tail" | "unreadable" | "duplicate" | "gap" | "broken-chain" | "same-seq" | "other-session";
  readonly detail: string;
};

export interface LogStore {
  /**
   * Atomic: all entries or none. `expectedSeq` is the seq the caller believes is the newest (0 for an empty stream).
   * `fence` is null for project streams, which have no lease: compare, retry. Time comes from the store.
   */
  append(call: {
    readonly stream: StreamId;
    readonly expectedSeq: number;
    readonly fence: Fence | null;
    readonly entries: readonly EntryBody[];
  }): Promise<AppendResult>;
  /**
   * Entries after `from` (all, when null), in order. Damage is reported through `onDamage`, once each; an unreadable line
   * also appears in place as a `line-unreadable` entry. With `follow`, waits for more until the signal aborts.
   */
  read(
    stream: StreamId,
    from: Position | null,
    options?: {
      readonly follow?: AbortSignal;
      readonly onDamage?: (damage: Damage) => void;
      /** Told the position after each entry that was read. */
      readonly onPosition?: (position: Position) => void;
    },
  ): AsyncIterable<Entry>;
  /** Sessions of a project (null: all), newest first. Lanes and side requests are never in it (CASES C-091). */
  list(call: {
    readonly project: ProjectId | null;
    readonly after?: SessionId;
    readonly limit: number;
  }): Promise<readonly SessionSummary[]>;
  /** Lanes of a session that have a log, in the order of their names; none: there is no such session. */
  lanes(session: SessionId): Promise<readonly LaneId[]>;
  lease(stream: StreamId, owner: string): Promise<LeaseResult>;
  /** A copy of the first `upTo` entries under a new session id (a session fork); blobs are shared or copied. */
  fork(from: StreamId, upTo: number, to: SessionId): Promise<Position>;
}

export interface BlobStore {
  /** Content-addressed: putting twice is one blob. */
  put(scope: StreamId, content: string | Uint8Array): Promise<Hash>;
  has(scope: StreamId, hash: Hash): Promise<boolean>;
  /** Bytes `from` (inclusive) to `to` (exclusive), checked against the hash when whole; null when absent or damaged. */
  get(scope: StreamId, hash: Hash, from?: number, to?: number): Promise<Uint8Array | null>;
}

/** A deletable shortcut for opening a long log; the caller checks its hash and falls back to the log. */
export interface CheckpointStore {
  save(stream: StreamId, text: string): Promise<void>;
  load(stream: StreamId): Promise<string | null>;
}

/** What one adapter gives: three ports over one place. */
export type Stores = { readonly log: LogStore; readonly blobs: BlobStore; readonly checkpoints: CheckpointStore };
