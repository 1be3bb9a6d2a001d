import type { Pointing } from "../digest/pointers.ts";
import type { Handle } from "../kernel/ids.ts";
import type { PieceKind } from "../log/block.ts";
import type { Segment } from "../prompt/segment.ts";

/** What is known of a segment beside its bytes: in the agent from the log, elsewhere from what was remembered. */
export type Memo = {
  readonly kindOf: (segment: Segment) => PieceKind | null;
  readonly handleOf: (callId: string) => Handle | null;
  /** Whether a result came as an error. Left out: only its text may say so. */
  readonly isFailed?: (segment: Segment) => boolean;
  /** Whether a result declares tools: what takes its place would take them away, so it stays. Left out: none does. */
  readonly showsTools?: (segment: Segment) => boolean;
  /** Of a text from outside that is no longer in force (a finished skill): its handle. Left out: there is none. */
  readonly overOf?: (segment: Segment) => Handle | null;
  readonly tokensOf: (segment: Segment) => number;
  /** Whether a segment has never been sent, so that its form is still free. By id. */
  readonly isUnsent: (segment: number) => boolean;
  /** Of a result that has pointers, what they stand for. Left out: none has any. */
  readonly pointersOf?: (segment: Segment) => Pointing | null;
  /** The name by which pointers know a result as their carrier. */
  readonly nameOf?: (segment: Segment) => string;
};

export function tokensIn(list: readonly Segment[], memo: Memo): number {
  return list.reduce((sum, segment) => sum + memo.tokensOf(segment), 0);
}
