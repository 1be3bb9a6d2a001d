import { hashOf } from "../kernel/hash.ts";
import type { NotedSegment } from "../ledger/lane.ts";
import type { EntryOf } from "../log/entry.ts";
import { chainHashes } from "../prompt/chain.ts";
import { isHead, type Segment } from "../prompt/segment.ts";
import { notedOf } from "../reduction/segment-tokens.ts";

/**
 * The segments of a request as it left, from its rendering now. Where lines of the log were lost, that rendering is not what
 * was sent, and the entry's chain tells. Then only the head is known; what followed stands as so many segments that are
 * like no others, so that nothing the provider did not see again is taken for unchanged.
 */
export function asSent(rendered: readonly Segment[], sent: EntryOf<"request-sent">): readonly NotedSegment[] {
  const noted = notedOf(rendered);
  if (chainHashes(rendered).at(-1) === sent.chain) return noted;
  const head = noted.filter(isHead).slice(0, sent.segments);
  const lost = sent.segments - head.length;
  const headTokens = head.reduce((sum, { tokens }) => sum + tokens, 0);
  const tokens = Math.max(1, (sent.predicted.promptTokens - headTokens) / Math.max(1, lost));
  const unknown = Array.from({ length: lost }, (_, at): NotedSegment => {
    return { hash: hashOf(`${sent.chain} ${at}`), kind: "other", role: "user", tokens };
  });
  return [...head, ...unknown];
}
