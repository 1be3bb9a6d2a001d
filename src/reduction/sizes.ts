import { isHead, type Segment } from "../prompt/segment.ts";
import { newestAnswerStart, startsAnswer } from "./answers.ts";
import type { KeptReasoning } from "./fold-goal.ts";
import type { Memo } from "./memo.ts";

export type Sizes = {
  readonly totalTokens: number;
  /** Without tools and system. */
  readonly historyTokens: number;
  /** By which the history has grown with each answer. */
  readonly stepTokens: number;
  /** From a place on: what was sent before, and the reasoning in it that a change at that place makes worthless. */
  readonly behind: (at: number) => { readonly behindTokens: number; readonly reasoningTokens: number };
};

/** What stands from the newest answer on was never sent: it is written in any case. */
export function sizesOf(segments: readonly Segment[], memo: Memo, reasoning: KeptReasoning): Sizes {
  const tokens = new Float64Array(segments.length + 1);
  const thought = new Float64Array(segments.length + 1);
  const sentEnd = newestAnswerStart(segments);
  let [total, head, sent, steps] = [0, 0, 0, 0];
  for (let at = segments.length - 1; at >= 0; at--) {
    const segment = segments[at];
    if (segment === undefined) continue;
    const size = memo.tokensOf(segment);
    const { kind } = segment;
    total += size;
    if (isHead(segment)) head += size;
    if (startsAnswer(segments, at)) steps++;
    if (at < sentEnd) sent += size;
    tokens[at] = sent;
    thought[at] = (thought[at + 1] ?? 0) + (at < sentEnd && kind === "reasoning" && reasoning !== "free" ? size : 0);
  }
  const historyTokens = total - head;
  return {
    totalTokens: total,
    historyTokens,
    stepTokens: Math.max(1, historyTokens / Math.max(1, steps)),
    behind: (at) => ({ behindTokens: tokens[at] ?? 0, reasoningTokens: thought[at] ?? 0 }),
  };
}
