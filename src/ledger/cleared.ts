import type { ClearedHere, NotedSegment } from "./lane.ts";
import { sumOf } from "./noted.ts";

/**
 * Measured segments as the provider read them: it clears the oldest results first (PROTOCOLS A.4). What each lost is kept beside
 * it, since a request below the trigger shows all of it again.
 */
export function withCleared(segments: readonly NotedSegment[], cleared: ClearedHere | null): readonly NotedSegment[] {
  if (cleared === null) return segments;
  const gone = new Set(clearable(segments, cleared.asked?.excludedTools ?? []).slice(0, cleared.results));
  const goneTokens = sumOf([...gone]);
  const share = Math.min(1, cleared.tokens / Math.max(1, goneTokens));
  // Results are measured together with what stood beside them: where they seem smaller than what went, the rest is larger.
  const more = cleared.tokens - goneTokens * share;
  const moreShare = more <= 0 ? 0 : Math.min(1, more / Math.max(1, sumOf(segments) - goneTokens));
  return segments.map((segment) => {
    const lost = segment.tokens * (gone.has(segment) ? share : moreShare);
    return lost === 0 ? segment : { ...segment, tokens: segment.tokens - lost, goneTokens: lost };
  });
}

/** The last segment that was cleared; -1: none. */
export function lastCleared(segments: readonly Result[], results: number, excluded: readonly string[]): number {
  const last = clearable(segments, excluded).slice(0, results).at(-1);
  return last === undefined ? -1 : segments.indexOf(last);
}

/** The same segments as they were sent. */
export function asSentWhole(segments: readonly NotedSegment[]): readonly NotedSegment[] {
  if (!segments.some(({ goneTokens }) => goneTokens !== undefined)) return segments;
  return segments.map(({ goneTokens = 0, ...segment }) => ({ ...segment, tokens: segment.tokens + goneTokens }));
}

type Result = Pick<NotedSegment, "kind" | "callId" | "tool">;

/** Results in order, without those of tools that are left alone. */
function clearable<R extends Result>(segments: readonly R[], excluded: readonly string[]): readonly R[] {
  const results = segments.filter(({ kind }) => kind === "tool-result");
  if (excluded.length === 0) return results;
  const calls = segments.filter(({ kind, tool = "" }) => kind === "tool-call" && excluded.includes(tool));
  const left = new Set(calls.map(({ callId }) => callId));
  return results.filter(({ callId }) => callId === undefined || !left.has(callId));
}
