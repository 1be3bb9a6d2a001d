import type { Usage } from "../../kernel/usage.ts";
import { countAt } from "../lenient.ts";

/**
 * `promptTokenCount` includes what was read from the cache; what tools of the service's own put into the prompt and the
 * thoughts are counted apart (PROTOCOLS C.1). The service reports no writes.
 */
export function geminiUsage(raw: Readonly<Record<string, unknown>>): Usage | null {
  const prompt = countAt(raw, "promptTokenCount");
  const candidates = countAt(raw, "candidatesTokenCount");
  const thoughts = countAt(raw, "thoughtsTokenCount");
  if (prompt === null && candidates === null && thoughts === null) return null;
  const cacheRead = countAt(raw, "cachedContentTokenCount") ?? 0;
  return {
    uncached: Math.max(0, (prompt ?? 0) - cacheRead) + (countAt(raw, "toolUsePromptTokenCount") ?? 0),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    cacheWriteOther: 0,
    output: (candidates ?? 0) + (thoughts ?? 0),
    reasoning: thoughts ?? 0,
  };
}
