import type { CacheUse } from "./cache.ts";

export type CompactionBlock = { readonly type: "compaction"; readonly [member: string]: unknown };

/** A summary that the service made in an answer, and what making it took (PROTOCOLS A.5, B.4). */
export type Compacted = {
  /** As it is sent; where the summary failed at a threshold it has no content. */
  readonly block: CompactionBlock;
  /** Whether the model answers behind it. */
  readonly goesOn: boolean;
  readonly promptTokens: number;
  readonly use: CacheUse;
  readonly outputTokens: number;
};
