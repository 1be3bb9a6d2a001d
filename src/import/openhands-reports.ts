import { noUsage, type Usage } from "../kernel/usage.ts";
import { countAt, recordAt, stringAt } from "../provider/lenient.ts";
import type { Raw } from "./record.ts";

export type Report = { readonly usage: Usage; readonly model: string | null; readonly id: string };

/** Reports of tokens, each given out once. */
export type Reports = {
  readonly of: (response: string) => Report | null;
  /** For an answer that names no response: the next report after the one given out last that no other answer names. */
  readonly next: () => Report | null;
  /** Those whose answers are not in the history: of a condenser, or of an answer that could not be read. */
  readonly rest: () => readonly Report[];
};

/** `list` is the metrics' own, in the order of the calls. */
export function openhandsReports(list: readonly Raw[], events: readonly Raw[]): Reports {
  const named = new Set(events.map(responseIdOf).filter((id) => id !== ""));
  const open = new Map<number, Raw>(list.entries());
  let last = -1;
  const take = (isWanted: (at: number, id: string) => boolean): Report | null => {
    for (const [at, raw] of open) {
      if (!isWanted(at, stringAt(raw, "response_id"))) continue;
      open.delete(at);
      last = at;
      return reportOf(raw);
    }
    return null;
  };
  return {
    of: (response) => take((_at, id) => id === response),
    next: () => take((at, id) => at > last && !named.has(id)),
    rest: () => [...open.values()].flatMap((raw) => reportOf(raw) ?? []),
  };
}

export function responseIdOf(event: Raw): string {
  return stringAt(recordAt(recordAt(event, "tool_call_metadata"), "model_response"), "id");
}

/** In the program's own words. Prompts hold what was read from the cache; what was written, only where they have room for it. */
export function reportOf(raw: Raw): Report | null {
  return report(
    raw,
    countAt(raw, "cache_read_tokens"),
    countAt(raw, "cache_write_tokens"),
    countAt(raw, "reasoning_tokens"),
  );
}

/** In the words of the response that an event carries. */
export function responseReport(response: Raw): Report | null {
  const usage = recordAt(response, "usage");
  const read =
    countAt(usage, "cache_read_input_tokens") ?? countAt(recordAt(usage, "prompt_tokens_details"), "cached_tokens");
  const reasoning = countAt(recordAt(usage, "completion_tokens_details"), "reasoning_tokens");
  const found = report(usage, read, countAt(usage, "cache_creation_input_tokens"), reasoning);
  return found === null ? null : { ...found, model: stringAt(response, "model") || null };
}

/** What a running total grew by; null where it did not. */
export function grownReport(before: Raw, now: Raw): Report | null {
  const grown = Object.entries(now).map(([key, value]) => {
    const old = before[key];
    return [key, typeof value === "number" && typeof old === "number" ? value - old : value] as const;
  });
  return reportOf(Object.fromEntries(grown));
}

function report(
  raw: Raw,
  cacheReads: number | null,
  cacheWrites: number | null,
  thoughts: number | null,
): Report | null {
  const prompt = countAt(raw, "prompt_tokens") ?? 0;
  const output = countAt(raw, "completion_tokens") ?? 0;
  if (prompt + output === 0) return null;
  const cacheRead = Math.min(cacheReads ?? 0, prompt);
  const writes = cacheWrites ?? 0;
  const room = prompt - cacheRead;
  const uncached = writes <= room ? room - writes : room;
  const usage = {
    ...noUsage,
    uncached,
    cacheRead,
    cacheWriteOther: writes,
    output,
    reasoning: Math.min(thoughts ?? 0, output),
  };
  return { usage, model: stringAt(raw, "model") || null, id: stringAt(raw, "response_id") };
}
