import type { RequestId } from "../kernel/ids.ts";
import type { Usage, Wire } from "../kernel/usage.ts";
import type { CompactionBlock, Text } from "./block.ts";
import type { ClearedByProvider } from "./provider-clearing.ts";

/** What is summed up: all finished work, or only what stands from a piece on, or up to one (M-06). Ids are `Piece.id`. */
export type SummaryScope =
  | { readonly kind: "all" }
  | { readonly kind: "from"; readonly piece: string }
  | { readonly kind: "upto"; readonly piece: string };

/** Made by the provider itself, for its own model to read. */
export type ProviderSummary = { readonly from: Wire; readonly model: string; readonly block: CompactionBlock };

/**
 * How a summary is asked for. `native`: the provider sums up by itself what the lane's next request says. `ride`: the lane's
 * next request and one more message, so that its prefix is read from the cache. `strict`: the same, said more sharply, after an
 * answer that was none. `short`: a copy with finished work cleared and collapsed, where the request itself is too long.
 */
export type SummaryTry = "native" | "ride" | "strict" | "short";

/** `rolling`: in a small request of its own beside the turn, whose only message is the entry's text (M-63). */
export type SummaryWay = SummaryTry | "rolling";

/** What became of a summary that was asked for. All but `accepted` say why it was refused (law 8). */
export type SummaryOutcome =
  | "accepted"
  | "empty"
  | "tool-call"
  | "junk"
  | "truncated"
  | "larger"
  | "too-long"
  | "rate-limited"
  | "failed"
  /** The provider does not sum up for this model by itself, whatever its name promises. */
  | "unsupported"
  | "interrupted";

export type SummaryEntry =
  /** The user wants finished work summed up before anything else is sent. */
  | { readonly type: "compaction-asked"; readonly scope: SummaryScope; readonly focus: string }
  /** It was not done, and why: nothing to sum up, or the rest alone is too large. */
  | { readonly type: "compaction-refused"; readonly detail: string }
  /** The intent of a side request, in front of its `request-sent`. */
  | {
      readonly type: "summary-asked";
      readonly request: RequestId;
      readonly as: SummaryWay;
      readonly scope: SummaryScope;
      readonly why: string;
      /** The message that asks for it. */
      readonly text: Text;
    }
  /** Its end. `text`: what is to stand in place of the work where it was accepted, else what came. */
  | {
      readonly type: "summary-ended";
      readonly request: RequestId;
      readonly outcome: SummaryOutcome;
      readonly detail: string;
      readonly text: Text;
      /** Of an accepted one that the provider made. */
      readonly native?: ProviderSummary;
      /** null: the provider reported none. */
      readonly usage: Usage | null;
      readonly retryAfterMs: number | null;
      /** As of an answer: what the provider cleared of what was to be summed up. */
      readonly cleared?: ClearedByProvider;
    }
  /** A rolling summary that was accepted, in front of its end; `upto`: the newest piece it knows of. */
  | { readonly type: "summary-made"; readonly request: RequestId; readonly upto: string; readonly text: Text };

/** Where the lane's compaction stands. */
export type SummaryState = {
  readonly wanted: { readonly scope: SummaryScope; readonly focus: string } | null;
  readonly asked: (Pick<EntryAsked, "request" | "text"> & { readonly as: SummaryTry }) | null;
  /** Ends since the newest compaction of this turn, oldest first. */
  readonly tries: readonly SummaryAttempt[];
  /** Accepted, and not in the prompt yet. */
  readonly made: Text | ProviderSummary | null;
  /** Compactions in a row that got no summary; what the user does closes the breaker again. */
  readonly failedInARow: number;
  /** When the newest request for a summary ended, whatever became of it: it may have read the lane's cache. */
  readonly endedAt: number | null;
  /** The provider does not sum up for the model at hand, and is not asked to again. */
  readonly unsupported?: true;
};

export type SummaryAttempt = {
  readonly as: SummaryTry;
  readonly outcome: SummaryOutcome;
  readonly at: number;
  readonly retryAfterMs: number | null;
};

type EntryWanted = Extract<SummaryEntry, { readonly type: "compaction-asked" }>;
type EntryAsked = Extract<SummaryEntry, { readonly type: "summary-asked" }>;
type EntryEnded = Extract<SummaryEntry, { readonly type: "summary-ended" }>;

export const noSummary: SummaryState = {
  wanted: null,
  asked: null,
  tries: [],
  made: null,
  failedInARow: 0,
  endedAt: null,
};

export function summaryAsked(
  state: SummaryState,
  { request, as, text }: Omit<EntryAsked, "as"> & { readonly as: SummaryTry },
): SummaryState {
  return { ...state, asked: { request, as, text } };
}

/** By hand it begins afresh: what was tried before, or made, was not for this. */
export function summaryWanted(state: SummaryState, { scope, focus }: EntryWanted): SummaryState {
  return { ...afresh(state), asked: null, wanted: { scope, focus }, failedInARow: 0 };
}

/** An end whose beginning was lost changes nothing. */
export function summaryEnded(state: SummaryState, entry: EntryEnded & { readonly at: number }): SummaryState {
  const { asked } = state;
  if (asked === null || asked.request !== entry.request) return state;
  const { outcome, at, retryAfterMs } = entry;
  const tries = [...state.tries, { as: asked.as, outcome, at, retryAfterMs }];
  const made = outcome === "accepted" ? (entry.native ?? entry.text) : state.made;
  // The user stopped it, and with it what was asked for by hand.
  const wanted = outcome === "interrupted" ? null : state.wanted;
  const unsupported = outcome === "unsupported" ? ({ unsupported: true } as const) : {};
  return { ...state, asked: null, wanted, tries, made, endedAt: at, ...unsupported };
}

/** The process ended while it was on its way: as an end without an answer. */
export function summaryLost(state: SummaryState, request: RequestId, at: number): SummaryState {
  const { asked } = state;
  if (asked === null || asked.request !== request) return state;
  const tries = [...state.tries, { as: asked.as, outcome: "failed", at, retryAfterMs: null } as const];
  return { ...state, asked: null, tries, endedAt: at };
}

/** A compaction is done: by the summary, or where none could be had, without. */
export function summaryUsed(state: SummaryState): SummaryState {
  const { made, tries, failedInARow } = state;
  const isFailed = made === null && tries.length > 0;
  return { ...bare(state), failedInARow: made !== null ? 0 : failedInARow + (isFailed ? 1 : 0) };
}

/** What was made was of no use, or nothing was asked for yet; asked for again and again it would never end (law 10). */
export function summaryRefused(state: SummaryState): SummaryState {
  const { tries, failedInARow } = state;
  return { ...bare(state), failedInARow: failedInARow + (tries.length > 0 ? 1 : 0) };
}

/** What is known of the provider outlives a compaction. */
function bare({ endedAt, unsupported }: SummaryState): SummaryState {
  return { ...noSummary, endedAt, ...(unsupported === undefined ? {} : { unsupported }) };
}

/** Another provider may be asked again. */
export function withAnotherModel(state: SummaryState): SummaryState {
  const { unsupported: _, ...rest } = breakerClosed(state);
  return state.unsupported === undefined ? breakerClosed(state) : rest;
}

/** The turn is over, and with it its ladder. What was made is used by the next. */
export function ladderEnded(state: SummaryState): SummaryState {
  return state.tries.length === 0 ? state : { ...state, tries: [] };
}

/** The user stopped the turn, and with it what was asked for by hand. */
export function summaryStopped(state: SummaryState): SummaryState {
  return state.wanted === null ? state : { ...state, wanted: null };
}

/** What it would stand for is not what the prompt shows any more. */
export function afresh(state: SummaryState): SummaryState {
  return state.made === null ? ladderEnded(state) : { ...state, tries: [], made: null };
}

/** The user acted: what failed may be tried again (CASES C-001). */
export function breakerClosed(state: SummaryState): SummaryState {
  return state.failedInARow === 0 ? state : { ...state, failedInARow: 0 };
}
