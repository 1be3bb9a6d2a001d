import type { Usage } from "../../kernel/usage.ts";
import { countAt, recordAt } from "../lenient.ts";

/**
 * `input_tokens` includes what was read from and written to the cache, so both are taken off (PROTOCOLS B.2). Writes of
 * either lifetime have one price. Counts that contradict each other never make a negative part.
 */
export function responsesUsage(raw: Readonly<Record<string, unknown>>): Usage | null {
  const input = countAt(raw, "input_tokens");
  const output = countAt(raw, "output_tokens");
  if (input === null && output === null) return null;
  const details = recordAt(raw, "input_tokens_details");
  const cacheRead = countAt(details, "cached_tokens") ?? 0;
  const written = countAt(details, "cache_write_tokens") ?? writtenByLifetime(details);
  return {
    uncached: Math.max(0, (input ?? 0) - cacheRead - written),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    cacheWriteOther: written,
    output: output ?? 0,
    reasoning: countAt(recordAt(raw, "output_tokens_details"), "reasoning_tokens") ?? 0,
  };
}

function writtenByLifetime(details: Readonly<Record<string, unknown>>): number {
  const split = recordAt(details, "cache_write_tokens_details");
  return (countAt(split, "ttl_30m_tokens") ?? 0) + (countAt(split, "ttl_12h_tokens") ?? 0);
}
