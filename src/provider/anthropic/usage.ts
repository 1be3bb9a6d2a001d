import { addUsage, type Usage } from "../../kernel/usage.ts";
import { countAt, listAt, recordAt, recordOf, stringAt } from "../lenient.ts";

type Raw = Readonly<Record<string, unknown>>;

/**
 * The service's counts are disjoint as ours are; only the split of the writes by lifetime is taken apart (A.2). What a summary
 * of its own took is billed, and stands in its iterations only.
 */
export function anthropicUsage(raw: Raw): Usage | null {
  const passes = listAt(raw, "iterations").map(recordOf);
  const summaries = passes.filter((pass) => stringAt(pass, "type") === "compaction").map(countsOf);
  return [countsOf(raw), ...summaries].reduce((sum, one) =>
    sum === null || one === null ? (sum ?? one) : addUsage(sum, one),
  );
}

function countsOf(raw: Raw): Usage | null {
  const uncached = countAt(raw, "input_tokens");
  const output = countAt(raw, "output_tokens");
  const cacheRead = countAt(raw, "cache_read_input_tokens");
  const written = countAt(raw, "cache_creation_input_tokens");
  if ([uncached, output, cacheRead, written].every((count) => count === null)) return null;
  const split = recordAt(raw, "cache_creation");
  const cacheWrite5m = countAt(split, "ephemeral_5m_input_tokens") ?? 0;
  const cacheWrite1h = countAt(split, "ephemeral_1h_input_tokens") ?? 0;
  return {
    uncached: uncached ?? 0,
    cacheRead: cacheRead ?? 0,
    cacheWrite5m,
    cacheWrite1h,
    cacheWriteOther: Math.max(0, (written ?? 0) - cacheWrite5m - cacheWrite1h),
    output: output ?? 0,
    reasoning: countAt(recordAt(raw, "output_tokens_details"), "thinking_tokens") ?? 0,
  };
}
