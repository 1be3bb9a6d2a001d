import type { Handle, SessionId } from "../kernel/ids.ts";
import type { Found } from "./index-port.ts";

/** Where a fragment stands: lines of a file, or of an original that a session archived. Lines are numbered from 1. */
export type FragmentPlace =
  | { readonly type: "file"; readonly path: string }
  | {
      readonly type: "session";
      readonly session: SessionId;
      /** Whether it is the session that asks: its handles are the ones `recall` takes. */
      readonly isOwn: boolean;
      readonly seq: number;
      readonly handle: Handle;
      readonly tool: string;
    };

export type Fragment = {
  readonly source: "docs" | "code" | "sessions";
  readonly place: FragmentPlace;
  readonly startLine: number;
  readonly endLine: number;
  /** What it is part of: headings, names that are defined, what a call was about. */
  readonly title: string;
  readonly text: string;
  /** Estimated tokens of the whole file or original. */
  readonly wholeTokens: number;
  /** Share of the query's words that it holds, the rare ones weighing more; and the words it lacks, as they were asked. */
  readonly held: number;
  readonly lacks: readonly string[];
};

export type ProjectQuery = {
  readonly words: string;
  /** Where to look. */
  readonly within: readonly Fragment["source"][];
  readonly limit: number;
};

export type ProjectFound = {
  /** Best first; only such as hold enough of the query. */
  readonly fragments: readonly Fragment[];
  /** The nearest that hold too little, where nothing holds enough. */
  readonly near: readonly Fragment[];
  readonly searched: { readonly files: number; readonly pieces: number; readonly sessions: number };
  /** Files and sessions that were to be indexed and are not yet: another search goes on with them. */
  readonly left: number;
  /** What is not in it and why: not indexed yet, left out, no index to be had. */
  readonly notes: readonly string[];
};

/**
 * Everything of a project that can be found by words: its files and what its sessions archived. An index and never the
 * truth: fragments are read from the files and logs themselves. Looked at by `Search` only, never on the path of a request.
 */
export interface ProjectIndex {
  search(query: ProjectQuery, signal: AbortSignal): Promise<ProjectFound>;
  /** An original of any session, by its whole handle, once a search has found it; null: none is known. */
  original(handle: string): Promise<Extract<Found, { readonly type: "found" }> | null>;
}
