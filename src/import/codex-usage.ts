import type { Usage } from "../kernel/usage.ts";
import { countAt, numberAt, recordAt, stringAt } from "../provider/lenient.ts";
import type { Raw } from "./record.ts";

/** A report of a call's tokens. `key` is equal in copies of it; `again`: it is of the call that was reported last. */
export type CodexReport = { readonly usage: Usage; readonly key: string; readonly again: boolean };

/**
 * Tells new reports from repeated ones. `token_count` events come again with the same running total whenever limits
 * change; `token_usage_record` lines say what a `token_count` beside them says, and more.
 */
export function codexReports() {
  const seenResponses = new Set<string>();
  let running: Raw | null = null;
  /** The newest report, until its other form has come. */
  let newest: { readonly from: "count" | "record"; readonly figures: string } | null = null;

  const isOtherForm = (from: "count" | "record", figures: string): boolean => {
    const isOther = newest !== null && newest.from !== from && newest.figures === figures;
    newest = isOther ? null : { from, figures };
    return isOther;
  };

  return {
    /** null: says nothing new. */
    count: (payload: Raw): CodexReport | null => {
      const info = recordAt(payload, "info");
      const last = recordAt(info, "last_token_usage");
      const before = running;
      const now = recordAt(info, "total_token_usage");
      const hasTotal = Object.keys(now).length > 0;
      // Of limits alone it says nothing of tokens, and what follows it may be the total that was there before.
      if (hasTotal) running = now;
      const usage = codexUsage(Object.keys(last).length === 0 ? grownBy(before ?? {}, now) : last);
      const isRepeat = hasTotal && before !== null && figuresOf(now) === figuresOf(before);
      if (usage === null || isRepeat || isNothing(usage)) return null;
      return isOtherForm("count", figuresOf(last)) ? null : { usage, key: figuresOf(now), again: false };
    },
    record: (payload: Raw): CodexReport | null => {
      const response = stringAt(payload, "response_id");
      const usage = codexUsage(recordAt(payload, "usage"));
      if (usage === null || isNothing(usage) || (response !== "" && seenResponses.has(response))) return null;
      if (response !== "") seenResponses.add(response);
      const figures = figuresOf(recordAt(payload, "usage"));
      return { usage, key: response === "" ? figures : response, again: isOtherForm("record", figures) };
    },
  };
}

/** Input includes what was read from the cache and written to it; output includes reasoning (PROTOCOLS I). */
function codexUsage(raw: Raw): Usage | null {
  const input = countAt(raw, "input_tokens");
  const output = countAt(raw, "output_tokens");
  if (input === null && output === null) return null;
  const cacheRead = Math.min(countAt(raw, "cached_input_tokens") ?? 0, input ?? 0);
  const written = Math.min(countAt(raw, "cache_write_input_tokens") ?? 0, (input ?? 0) - cacheRead);
  return {
    uncached: (input ?? 0) - cacheRead - written,
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    cacheWriteOther: written,
    output: output ?? 0,
    reasoning: countAt(raw, "reasoning_output_tokens") ?? 0,
  };
}

function isNothing({ uncached, cacheRead, cacheWriteOther, output }: Usage): boolean {
  return uncached + cacheRead + cacheWriteOther + output === 0;
}

/** What a running total grew by; one that went back began anew. */
function grownBy(before: Raw, now: Raw): Raw {
  const grown = figureNames.map((name) => (numberAt(now, name) ?? 0) - (numberAt(before, name) ?? 0));
  if (grown.some((figure) => figure < 0)) return now;
  return Object.fromEntries(figureNames.map((name, at) => [name, grown[at]]));
}

/** Totals may be larger than any report of one call. */
function figuresOf(raw: Raw): string {
  return figureNames.map((name) => numberAt(raw, name) ?? 0).join("/");
}

const figureNames = ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"];
