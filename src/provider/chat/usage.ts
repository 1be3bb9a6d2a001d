import type { Usage } from "../../kernel/usage.ts";
import { numberAt, recordAt } from "../lenient.ts";

/**
 * `prompt_tokens` includes what was read from and written to the cache, so both are taken off. DeepSeek says hits and
 * misses instead. Counts that contradict each other never make a negative part (PROTOCOLS I).
 */
export function chatUsage(raw: Readonly<Record<string, unknown>>): Usage | null {
  const prompt = numberAt(raw, "prompt_tokens");
  const output = numberAt(raw, "completion_tokens");
  if (prompt === null && output === null) return null;
  const details = recordAt(raw, "prompt_tokens_details");
  const cacheRead =
    numberAt(details, "cached_tokens") ??
    numberAt(raw, "prompt_cache_hit_tokens") ??
    numberAt(raw, "cached_tokens") ??
    0;
  const written = numberAt(details, "cache_write_tokens") ?? 0;
  const missed = numberAt(raw, "prompt_cache_miss_tokens");
  return {
    uncached: missed ?? Math.max(0, (prompt ?? 0) - cacheRead - written),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    cacheWriteOther: written,
    output: output ?? 0,
    reasoning: numberAt(recordAt(raw, "completion_tokens_details"), "reasoning_tokens") ?? 0,
  };
}
