import type { Block, Probe, RecordedCall } from "./recording.ts";

/** One segment of a replayed prompt, exactly as the model would get it. Unchanged ones are the same object. */
export type Shown = {
  readonly role: "system" | "user" | "assistant";
  readonly kind: "head" | Block["kind"] | "fold";
  readonly callId: string | null;
  /** null: the head, of which only the size is known. */
  readonly text: string | null;
  readonly tokens: number;
  /** Handles this text names, each with the calls whose results it brings back. */
  readonly handles: readonly { readonly handle: string; readonly callIds: readonly string[] }[];
};

export type Terms = {
  readonly headTokens: number;
  readonly windowTokens: number;
  /** Prices in units of a plain input token; writes of the lifetime that is replayed. */
  readonly prices: { readonly read: number; readonly write: number; readonly output: number };
  /** How long after a call its prompt can still be read; null: for ever. */
  readonly lifetimeMs: number | null;
  readonly tokensOf: (text: string) => number;
  readonly handleOf: (text: string) => string;
};

/** What stands before one call. */
export type Moment = {
  /** Number of the call in its session. */
  readonly n: number;
  /** Live history, oldest first: recorded blocks, and recalled texts where they were brought back. */
  readonly blocks: readonly Block[];
  /** Blocks from this index on no model has seen. */
  readonly unseenFrom: number;
  /** The recorded context began anew at this call: nothing decided before applies. */
  readonly restarted: boolean;
  /** From the start of the call before; null for the first and where times are not recorded. */
  readonly idleMs: number | null;
};

export type Decision = {
  /** Without the head; the replay puts it in front. */
  readonly shown: readonly Shown[];
  /** Why earlier segments changed; null: nothing did. */
  readonly break: string | null;
  /** Model calls of the strategy's own, as summaries are. */
  readonly calls: readonly {
    readonly readTokens: number;
    readonly writeTokens: number;
    readonly outputTokens: number;
  }[];
  /** Of reasoning that a break made worthless, paid again at the price of writing. */
  readonly reasoningTokensLost: number;
};

/** A context policy. `open` is called once per session; what it returns keeps the session's state. */
export type Strategy = {
  readonly name: string;
  /** It acts on `windowTokens`: its overflows in a small window come from a run of its own with that window. */
  readonly knowsWindow?: true;
  /**
   * It names no handle for what it takes away. What is needed of that is lost and counted so, and the tool has to run
   * again: charged as one step and the whole result, so that losing things is not cheaper than bringing them back.
   */
  readonly takesAway?: "without-handle";
  /** What a reader of its figures should know. */
  readonly note?: string;
  readonly open: (terms: Terms, session: SessionFacts) => (moment: Moment) => Decision | Promise<Decision>;
};

/** Only hindsight uses more than the name. */
export type SessionFacts = {
  readonly session: string;
  readonly calls: readonly RecordedCall[];
  readonly probes: readonly Probe[];
};
