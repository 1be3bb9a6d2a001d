import type { Usage } from "../kernel/usage.ts";

/** Whose file it is. `varve` is our own log. */
export type Format =
  | "claude-code"
  | "codex"
  | "pi"
  | "copilot-cli"
  | "gemini-cli"
  | "openhands"
  | "swe-agent"
  | "cline"
  | "opencode"
  | "varve";

/**
 * One thing a session file says, in an order in which the model saw it. All formats are private and change, so nothing is
 * refused for being new: what no reader knows is an `unknown` item with its raw text (PROTOCOLS I).
 */
export type Item = ItemPlace & ItemBody;

export type ItemPlace = {
  /** Where it stands in the file, from 1; in a document of one value the number of the record. */
  readonly line: number;
  /** Milliseconds since 1970 as recorded; null where the format names no time. */
  readonly at: number | null;
  /** `main`, or the id of the sub-agent whose line this is: its prompts are not the main line's. */
  readonly lane: string;
};

export type ItemBody =
  | {
      readonly type: "session";
      readonly session: string | null;
      readonly cwd: string | null;
      /** Of the program that wrote the file. */
      readonly version: string | null;
    }
  /** System prompt or tool declarations, where a format keeps them; most do not. A later one takes the place of an earlier. */
  | { readonly type: "head"; readonly part: "system"; readonly text: string }
  | { readonly type: "head"; readonly part: "tools"; readonly tools: readonly DeclaredTool[] }
  /** `typed` by a person; `injected` by the program (reminders, hooks, notices); `summary` of what a compaction took away. */
  | {
      readonly type: "message";
      readonly from: "typed" | "injected" | "summary";
      readonly text: string;
      readonly images: number;
    }
  /** A model call begins: its prompt is what stands before this item, its answer are the items that name `request`. */
  | { readonly type: "request"; readonly request: string; readonly model: string | null }
  /** Of the model; `request` null where the program wrote it in the model's name (an error, a placeholder). */
  | { readonly type: "text"; readonly request: string | null; readonly text: string }
  /** `opaqueChars`: length of what is encrypted or a signature. */
  | {
      readonly type: "reasoning";
      readonly request: string | null;
      readonly text: string;
      readonly opaqueChars: number;
    }
  /** `input`: the call's JSON, as text with `", "` and `": "` between its parts; where the file holds a text, that text. */
  | {
      readonly type: "call";
      readonly request: string | null;
      readonly callId: string;
      readonly tool: string;
      readonly input: string;
    }
  | {
      readonly type: "result";
      readonly callId: string;
      /** null: the format does not repeat it; the call says. */
      readonly tool: string | null;
      readonly text: string;
      readonly failed: boolean;
      readonly images: number;
    }
  /**
   * What the provider reported for a request. May come again for the same request: the last one counts. `known`:
   * `output` where the format keeps the answer's tokens alone, and the prompt's are unknown, not zero.
   */
  | {
      readonly type: "usage";
      readonly request: string;
      readonly usage: Usage;
      readonly known: "all" | "output";
      /** Equal in copies of one call in several files (resumed and forked sessions): counted once in a total. */
      readonly key: string;
    }
  /**
   * The context began anew: what stood before is gone but for the items whose numbers (counted from 0, as emitted) lie in
   * `keeps`, ends included. `compacted`: a summary follows as a message. `rewound`: the person went back and took
   * another way.
   */
  | {
      readonly type: "restarted";
      readonly why: "compacted" | "rewound" | "cleared";
      readonly by: "auto" | "manual" | null;
      readonly keeps: readonly (readonly [from: number, to: number])[];
      /** So many items behind this one are the program's copy of the new context, the summary among them. */
      readonly retells?: number;
    }
  | { readonly type: "unknown"; readonly kind: string; readonly raw: string }
  /** A line that is no record at all. One bad line never costs the others. */
  | { readonly type: "unreadable"; readonly why: string };

export type DeclaredTool = { readonly name: string; readonly text: string };

/** How a file that is read line by line becomes items. One per file; `end` gives what was held back. */
export type LineReader = {
  readonly line: (record: Readonly<Record<string, unknown>>, line: number, raw: string) => readonly Item[];
  readonly end: () => readonly Item[];
};

export type LineFormat = {
  readonly format: Format;
  /** By content, never by the file's name. `records` are the first of the file. */
  readonly recognises: (records: readonly Readonly<Record<string, unknown>>[]) => boolean;
  readonly open: (blobText?: BlobText) => LineReader;
};

/** A text that stands beside a log under its hash, as ours keep long ones; null: not at hand. */
export type BlobText = (hash: string) => string | null;

/** A file that is one JSON value. */
export type DocumentFormat = {
  readonly format: Format;
  readonly recognises: (value: unknown) => boolean;
  readonly read: (value: unknown) => readonly Item[];
};
