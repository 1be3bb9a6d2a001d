import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import { windowAround } from "./window.ts";

export type GrepLine = {
  readonly path: string;
  readonly number: number;
  readonly text: string;
  readonly isMatch: boolean;
};

/** Reads `rg --json`: lines up to the limit of matches, and how many matching lines there are in all. */
export function grepLines(
  stdout: string,
  limit: number,
  isWanted: ((path: string) => boolean) | null,
  masked: (text: string) => string = (text) => text,
): { readonly lines: readonly GrepLine[]; readonly shown: number; readonly total: number } {
  const lines: GrepLine[] = [];
  let total = 0;
  for (const row of rowsOf(stdout)) {
    const isMatch = row.startsWith('{"type":"match"');
    if (!isMatch && !row.startsWith('{"type":"context"')) continue;
    const isFull = total >= limit && (isMatch || total > limit);
    // Rows can be as long as their lines: what is only counted is not read.
    const line = isFull && isWanted === null ? null : lineOf(row, isMatch, masked);
    if (line !== null && isWanted?.(line.path) === false) continue;
    if (isMatch && (line !== null || isFull)) total++;
    if (line !== null && total <= limit) lines.push(line);
  }
  return { lines, shown: Math.min(total, limit), total };
}

function* rowsOf(text: string): Iterable<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    yield text.slice(at, end < 0 ? text.length : end);
    at = end < 0 ? text.length : end + 1;
  }
}

/** null: a row that was cut where output was left out. */
function lineOf(row: string, isMatch: boolean, masked: (text: string) => string): GrepLine | null {
  const parsed = parseJson(row);
  const data = parsed.type === "ok" ? memberOf(parsed.value, "data") : undefined;
  const path = bytesOf(memberOf(data, "path"));
  const line = bytesOf(memberOf(data, "lines"));
  const number = memberOf(data, "line_number");
  if (path === null || line === null || typeof number !== "number") return null;
  const [from, to] = isMatch ? spanOf(memberOf(data, "submatches")) : [0, 0];
  const before = decode(line.subarray(0, from));
  const match = decode(line.subarray(from, to));
  const text = `${before}${match}${decode(line.subarray(to))}`.replace(/\r?\n$/, "");
  // Before the window is cut out: half of a secret would not be known for one.
  const safe = masked(text);
  const start = safe === text ? before.length : Math.min(masked(before).length, safe.length);
  const shown = windowAround(safe, start, Math.min(start + match.length, safe.length));
  return { path: decode(path).replace(/^\.\//, ""), number, text: shown, isMatch };
}

function spanOf(submatches: unknown): readonly [number, number] {
  const first: unknown = Array.isArray(submatches) ? submatches[0] : undefined;
  const from = memberOf(first, "start");
  const to = memberOf(first, "end");
  return typeof from === "number" && typeof to === "number" ? [from, to] : [0, 0];
}

/** ripgrep gives `{text}`, or `{bytes}` in base64 where it is no UTF-8. Offsets count its bytes. */
function bytesOf(value: unknown): Uint8Array | null {
  const text = memberOf(value, "text");
  if (typeof text === "string") return new TextEncoder().encode(text);
  const base64 = memberOf(value, "bytes");
  return typeof base64 === "string" ? Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)) : null;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function memberOf(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}
