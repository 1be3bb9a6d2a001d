import type { Usage } from "../../kernel/usage.ts";
import { countAt, recordAt } from "../lenient.ts";

/**
 * `prompt_tokens` includes what was read from and written to the cache, so both are taken off. DeepSeek says hits and
 * misses instead. Counts that contradict each other never make a negative part (PROTOCOLS I).
 */
export function chatUsage(raw: Readonly<Record<string, unknown>>): Usage | null {
  const prompt = countAt(raw, "prompt_tokens");
  const output = countAt(raw, "completion_tokens");
  if (prompt === null && output === null) return null;
  const details = recordAt(raw, "prompt_tokens_details");
  const cacheRead =
    countAt(details, "cached_tokens") ?? countAt(raw, "prompt_cache_hit_tokens") ?? countAt(raw, "cached_tokens") ?? 0;
  const written = countAt(details, "cache_write_tokens") ?? 0;
  const missed = countAt(raw, "prompt_cache_miss_tokens");
  return {
    uncached: missed ?? Math.max(0, (prompt ?? 0) - cacheRead - written),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    cacheWriteOther: written,
    output: output ?? 0,
    reasoning: countAt(recordAt(raw, "completion_tokens_details"), "reasoning_tokens") ?? 0,
  };
}
