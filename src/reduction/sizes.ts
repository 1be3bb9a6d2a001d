import type { Segment } from "../prompt/segment.ts";
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
  let before: Segment["role"] = "user";
  for (let at = segments.length - 1; at >= 0; at--) {
    const segment = segments[at];
    if (segment === undefined) continue;
    const size = memo.tokensOf(segment);
    const { role, kind } = segment;
    total += size;
    if (role === "tools" || role === "system") head += size;
    if (role === "assistant" && before !== "assistant") steps++;
    before = role;
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

export function newestAnswerStart(segments: readonly Segment[]): number {
  let at = segments.findLastIndex(({ role }) => role === "assistant");
  while (at > 0 && segments[at - 1]?.role === "assistant") at--;
  return Math.max(0, at);
}
