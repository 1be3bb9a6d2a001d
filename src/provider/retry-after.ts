import { listAt, numberAt, recordOf, stringAt } from "./lenient.ts";

/**
 * How long the provider asks us to wait: `retry-after-ms`, else `retry-after` in seconds or as a date. A date is counted
 * from the answer's own `date` header, so neither clock of ours nor its error comes in; without that header it needs
 * `nowMs`. null: not said. Never negative.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number | null): number | null {
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  const ms = numeric(named.get("retry-after-ms"));
  if (ms !== null) return ms;
  const after = named.get("retry-after");
  const seconds = numeric(after);
  if (seconds !== null) return Math.round(seconds * 1000);
  const until = Date.parse(after ?? "");
  const from = Date.parse(named.get("date") ?? "");
  const start = Number.isNaN(from) ? nowMs : from;
  return Number.isNaN(until) || start === null ? null : Math.max(0, until - start);
}

/** Some servers say it in the body: `{"error": {"retry_after": 20}}`, or Google's `{"details": [{"retryDelay": "12.5s"}]}`. */
export function retryAfterInBody(error: unknown): number | null {
  const raw = recordOf(error);
  const delays = listAt(raw, "details").map((detail) => stringAt(recordOf(detail), "retryDelay"));
  const delay = delays.find((text) => /^[0-9.]+s$/.test(text))?.slice(0, -1);
  const seconds = numberAt(raw, "retry_after") ?? numeric(delay);
  return seconds === null ? null : Math.max(0, Math.round(seconds * 1000));
}

function numeric(text: string | undefined): number | null {
  return text !== undefined && /^[0-9]+(?:\.[0-9]+)?$/.test(text) ? Number(text) : null;
}
