import { isHead } from "../prompt/segment.ts";
import { answerMarks, answerOf, carriedAnswerTokens, leftOutTokens } from "./answer.ts";
import { asSentWhole } from "./cleared.ts";
import {
  chainsOf,
  type LaneMemo,
  type NotedSegment,
  readableIndex,
  type Seen,
  type SentAttempt,
  sharedLength,
} from "./lane.ts";
import { runningSums } from "./leave.ts";
import { cacheRuleOf, markedSegments } from "./rules.ts";

/** What of a prompt is known from reports, and which segments are left to be counted (budget/learn.ts `predict`). */
export type Basis = {
  /** Tokens reported for just this beginning of the prompt; null: nothing of this prompt was ever reported. */
  readonly carried: number | null;
  /** Marks around a carried answer, which no report covers yet. Join `Counts.marks`. */
  readonly marks: number;
  /** Tokens of parts that were reported in another prompt: near, but not exact. Joins `Counts.fixed`. */
  readonly measured: number;
  /** Indexes of the segments that nobody has reported yet. */
  readonly added: readonly number[];
};

/**
 * For a prompt that only grew: the last report, with the answer as it was reported. After a break: the segments that
 * stay have the tokens they were measured to have, wherever they stand now; so only new text is estimated. `headTokens`: what
 * the log says of the head, for a ledger that has seen nothing yet.
 */
export function basisOf(
  memo: LaneMemo,
  model: string,
  segments: readonly Pick<NotedSegment, "hash" | "role" | "tokens" | "markTokens" | "kind">[],
  headTokens: number | null = null,
): Basis {
  const { previous } = memo;
  if (previous === null && headTokens !== null) {
    const head = segments.filter(isHead).length;
    return { carried: 0, marks: 0, measured: headTokens, added: indexes(segments, head) };
  }
  if (previous === null || !previous.measured || previous.model !== model)
    return { carried: null, marks: 0, measured: 0, added: indexes(segments, 0) };
  const shared = sharedLength(previous.segments, segments);
  if (shared === previous.segments.length && previous.usage !== null) {
    const grown = segments.slice(shared);
    const answer = answerOf(previous, grown);
    const stays = previous.promptTokens + carriedAnswerTokens(previous, answer);
    const carried = stays + clearedAgain(previous, stays, leftOutTokens(previous, grown));
    const added = indexes(segments, shared + answer.length);
    return { carried: Math.round(carried), marks: answerMarks(previous, answer), measured: 0, added };
  }
  const known = new Map(asSentWhole(previous.segments).map((segment) => [segment.hash, segment.tokens]));
  const measured = segments.reduce((sum, segment) => sum + (known.get(segment.hash) ?? 0), 0);
  const added = indexes(segments, 0).filter((at) => !known.has(hashAt(segments, at)));
  return { carried: measured === 0 ? null : 0, marks: 0, measured: Math.round(measured), added };
}

/**
 * What changes in a prompt that only grew: reasoning may be left out. What the provider cleared it clears again, unless that
 * brings the whole below its trigger: then it is shown again.
 */
function clearedAgain({ cleared }: Seen, stays: number, leftOut: number): number {
  if (cleared === null || leftOut === 0) return -leftOut;
  const whole = stays + cleared.tokens - leftOut;
  return whole > (cleared.asked?.triggerTokens ?? 0) * triggerSure ? -leftOut : cleared.tokens - leftOut;
}

/** How much of what is left out is partly an estimate. */
const triggerSure = 1.05;

/** What the next request should read and write, by the provider's rules, before it is sent. */
export function predictCache(
  memo: LaneMemo,
  sent: Pick<SentAttempt, "at" | "wire" | "model" | "cacheKey" | "segments" | "marks">,
): { readonly readTokens: number; readonly writeTokens: number } {
  const rule = cacheRuleOf(sent.wire, sent.model);
  const chains = chainsOf(memo.previous, sent);
  const readAt = readableIndex(memo, sent, chains, rule);
  const known = memo.previous?.measured === true && memo.previous.model === sent.model ? memo.previous.segments : [];
  const shared = sharedLength(known, sent.segments);
  const sums = runningSums([...known.slice(0, shared), ...sent.segments.slice(shared)]);
  const exact = memo.previous?.left.find((prefix) => prefix.chain === chains[readAt]);
  const read = readAt < 0 ? 0 : (exact?.tokens ?? Math.round(sums[readAt] ?? 0));
  if (rule.type === "automatic")
    return { readTokens: Math.floor(read / rule.stepTokens) * rule.stepTokens, writeTokens: 0 };
  const marked = Math.max(0, ...markedSegments(rule, sent).map((segment) => Math.round(sums[segment] ?? 0)));
  return { readTokens: read, writeTokens: marked >= rule.tokensMin ? Math.max(0, marked - read) : 0 };
}

function indexes(segments: readonly unknown[], from: number): readonly number[] {
  return segments.slice(from).map((_, at) => from + at);
}

function hashAt(segments: readonly Pick<NotedSegment, "hash">[], at: number): NotedSegment["hash"] {
  const segment = segments[at];
  if (segment === undefined) throw new Error(`no segment ${at} of ${segments.length}`);
  return segment.hash;
}
