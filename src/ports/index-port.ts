import type { Handle } from "../kernel/ids.ts";

/** What is said of an original: what made it, and what it was asked. */
export type Named = { readonly handle: Handle; readonly tool: string; readonly title: string };

export type Found =
  | ({ readonly type: "found"; readonly text: string } & Named)
  /** The beginning of more than one handle. */
  | { readonly type: "several"; readonly handles: readonly Named[] }
  /** It was kept and is gone or damaged. */
  | ({ readonly type: "lost" } & Named)
  /** With those whose handles are most like it, or else the newest. */
  | { readonly type: "unknown"; readonly like: readonly Named[] };

export type Searched = {
  /** Best first. */
  readonly hits: readonly Named[];
  /** Originals that hold any of the words, those of them that hold all, and those that were searched. */
  readonly found: number;
  readonly foundAll: number;
  readonly searched: number;
  /** Why not everything was searched; null: it was. */
  readonly partial: string | null;
};

/**
 * All that is archived of one session, its lanes' included, by handle and by words. Nothing is kept in it that is not in the
 * logs: it may be deleted at any time. Looked at by `recall` only, never on the path of a request.
 */
export interface Index {
  /** By a whole handle, or by a beginning of at least `bounds.handleCharsMin` characters that only one has. */
  find(handle: string): Promise<Found>;
  /** `words` as `wordsOf` gives them; hits from that number (from 0) on. */
  search(
    words: readonly string[],
    range: { readonly from: number; readonly limit: number },
    signal: AbortSignal,
  ): Promise<Searched>;
}
