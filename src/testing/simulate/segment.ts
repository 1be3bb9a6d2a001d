import type { Hash } from "../../kernel/ids.ts";

export type SimKind = "tool" | "system" | "text" | "call" | "result" | "reasoning" | "image" | "summary" | "other";
export type SimRole = "tools" | "system" | "user" | "assistant";

/**
 * One piece of what the simulated provider renders, cut by its own code. Two requests share a prefix if their segments'
 * role, kind and hash are equal up to there; cache markers are no part of it.
 */
export type SimSegment = {
  readonly kind: SimKind;
  readonly role: SimRole;
  /** Over role, kind and the block's JSON without cache markers. */
  readonly hash: Hash;
  /** Before the model's rate; hidden overheads included. */
  readonly tokens: number;
  /** Where it stands: `tools.0`, `system.1`, `messages.3.content.0`. */
  readonly path: string;
  /** What the model reads of it, for counting and for token-wise caches. */
  readonly text: string;
  readonly mark: SimMark | null;
  /** Of a result that refers to tools, without what they are: the same with another hash, and a definition changed (A.7). */
  readonly bare?: Hash;
  /** A summary of the service's own: what kept turns behind it go on from, as if all still stood there (PROTOCOLS A.5, B.4). */
  readonly resumes?: Hash;
};

/** How long a breakpoint keeps what stands before it, in the provider's own words. */
export type SimMark = "5m" | "1h" | "30m" | "12h";

/** Text that is rendered behind everything, for this request only: no prefix, never cached, bound to nothing (PROTOCOLS B.3). */
export function isTurnScoped(segment: SimSegment): boolean {
  return segment.path === "instructions";
}

/** The three parts of a prompt in rendering order; a change in one costs those behind it as well (PROTOCOLS A.2). */
export type SimPart = "tools" | "system" | "messages";

export function partOf(segment: SimSegment): SimPart {
  if (segment.role === "tools") return "tools";
  return segment.path.startsWith("system") ? "system" : "messages";
}

/** How many segments two requests share from the start. */
export function sharedPrefix(a: readonly SimSegment[], b: readonly SimSegment[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count]?.hash === b[count]?.hash) count += 1;
  return count;
}
