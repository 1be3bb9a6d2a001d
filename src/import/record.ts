import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { RawLine } from "./lines.ts";
import { plain } from "./plain.ts";

export type Raw = Readonly<Record<string, unknown>>;

/** What a line holds: a record, nothing, or no record. `lost` names what stood beside a record and is none. */
export type LineContent =
  | { readonly type: "record"; readonly record: Raw; readonly raw: string; readonly lost: string | null }
  | { readonly type: "blank" }
  | { readonly type: "bad"; readonly why: string };

/** Never throws: a file may have been cut, mixed with zero bytes by a crash, or written by two programs at once. */
export function contentOfLine(line: RawLine): LineContent {
  if (line.type === "too-long") return { type: "bad", why: `line ${line.line} is too long: ${line.bytes} bytes` };
  const raw = line.text.includes("\0") ? withoutZeros(line.text) : line.text;
  const zeros = line.text.length - raw.length;
  const lost = zeros === 0 ? null : `${zeros} zero bytes beside a record`;
  if (raw.trim() === "") return zeros === 0 ? { type: "blank" } : { type: "bad", why: `${zeros} zero bytes` };
  const parsed = parseJson(raw);
  if (parsed.type === "ok" && isRecord(parsed.value)) return { type: "record", record: parsed.value, raw, lost };
  if (parsed.type === "ok") return { type: "bad", why: `JSON, but ${nameOf(parsed.value)} in the place of a record` };
  const glued = line.type === "whole" ? afterTorn(raw) : null;
  if (glued !== null) return { type: "record", record: glued.record, raw: glued.raw, lost: glued.lost };
  const cut = line.type === "cut" ? "the file ends inside this record" : "no JSON";
  return { type: "bad", why: `${cut}: ${plain(parsed.why, 200)}` };
}

/** A crash leaves zeros where the system had promised room; what was written before and after is whole. */
function withoutZeros(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text[from] === "\0") from += 1;
  while (to > from && text[to - 1] === "\0") to -= 1;
  return text.slice(from, to);
}

/**
 * A record that was written behind the torn end of another, without a line end between them. Parts of a torn record are
 * no records: what is found must have what all formats give their lines, a time or a number.
 */
function afterTorn(raw: string): { readonly record: Raw; readonly raw: string; readonly lost: string } | null {
  for (const at of startsIn(raw).reverse()) {
    const tail = raw.slice(at);
    const parsed = at === 0 ? null : parseJson(tail);
    if (parsed?.type !== "ok" || !isRecord(parsed.value)) continue;
    const isLine = typeof parsed.value.type === "string" && ("timestamp" in parsed.value || "seq" in parsed.value);
    if (isLine) return { record: parsed.value, raw: tail, lost: `${at} characters of a torn record before this one` };
  }
  return null;
}

/** Where the last records of a line may begin. */
function startsIn(raw: string): number[] {
  let starts: number[] = [];
  for (const { index } of raw.matchAll(/\{"(?:type|timestamp|parentUuid|uuid|sessionId|id|seq)":/g)) {
    starts.push(index);
    // A long line has millions of them.
    if (starts.length > 2 * triesMax) starts = starts.slice(-triesMax);
  }
  return starts.slice(-triesMax);
}

const triesMax = 256;

function nameOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? `a list of ${value.length}` : `a ${typeof value}`;
}

/** A scalar as text, to name something by; `String` throws for an object that says it cannot be one. */
export function wordOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
