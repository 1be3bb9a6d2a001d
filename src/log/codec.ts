import { isRecord } from "../kernel/canonical.ts";
import { hashOf } from "../kernel/hash.ts";
import type { Hash } from "../kernel/ids.ts";
import { parseJson } from "../kernel/json.ts";
import { bodyTable } from "./codec-body.ts";
import type { Check } from "./codec-check.ts";
import { type Entry, type EntryBody, logFormat } from "./entry.ts";

/** What a line says besides its entry: the lease it was written under, and the hash of the line before it. */
export type Line = {
  readonly type: "ok";
  readonly entry: Entry;
  readonly fence: number | null;
  readonly prev: Hash | "";
  /** SHA-256 of this line's bytes, without its end. */
  readonly hash: Hash;
};
export type DecodedLine = Line | { readonly type: "bad"; readonly why: string };

/** Every line begins so; inside a line these bytes cannot stand, for JSON escapes the quotes of a text. */
export const lineStart = '{"seq":';

/** One line of a log, without its line end. */
export function encodeLine(line: {
  readonly seq: number;
  readonly at: number;
  readonly fence: number | null;
  readonly prev: Hash | "";
  readonly body: EntryBody;
}): string {
  return JSON.stringify({ seq: line.seq, fence: line.fence, prev: line.prev, at: line.at, ...line.body });
}

/** `format` is what the log's first line said (`formatOf`). Never throws: a line is data until it is checked. */
export function decodeLine(text: string, format: number = logFormat): DecodedLine {
  const decode = Object.hasOwn(decoders, format) ? decoders[format] : undefined;
  return decode === undefined ? bad(`no decoder for format ${format}`) : decode(text);
}

export type FormatResult =
  | { readonly type: "format"; readonly format: number }
  | { readonly type: "refused"; readonly why: string };

/**
 * The format of a log by its first line. A log that lost its head (its first line is some other entry) is read as the
 * newest format: what is missing shows as a gap. Only an unreadable first line or a newer format is refused (DESIGN 5).
 */
export function formatOf(firstLine: string): FormatResult {
  const parsed = parseJson(firstLine);
  if (parsed.type === "bad") return { type: "refused", why: `it is not JSON (${parsed.why})` };
  const value = parsed.value;
  if (!isRecord(value)) return { type: "refused", why: "it is not an entry" };
  const starts = value.type === "session-started" || value.type === "project-started";
  const format = starts ? value.format : logFormat;
  if (typeof format === "number" && format > logFormat) {
    return { type: "refused", why: `it says format ${format}, and this version reads up to ${logFormat}` };
  }
  if (typeof format !== "number" || !Object.hasOwn(decoders, format)) {
    return { type: "refused", why: `it names no known format (${String(format).slice(0, 40)})` };
  }
  const line = decodeLine(firstLine, format);
  return line.type === "ok" ? { type: "format", format } : { type: "refused", why: line.why };
}

/** One decoder per format. A change of format adds one here; old logs are never rewritten. */
const decoders: Readonly<Record<number, (text: string) => DecodedLine>> = { 1: decodeFormat1 };

function decodeFormat1(text: string): DecodedLine {
  const parsed = parseJson(text);
  if (parsed.type === "bad") return bad(`not JSON: ${parsed.why}`);
  if (!isRecord(parsed.value)) return bad("not an object");
  const { fence, prev, ...rest } = parsed.value;
  if (fence !== null && !isCount(fence, 0)) return bad("`fence` is not a whole number");
  if (!isPrev(prev)) return bad("`prev` is not a hash");
  const fault = faultOf(rest);
  if (fault !== null) return bad(fault);
  // The proof is `faultOf`: the number, the time, and every field that the table names for this type were checked.
  const entry = rest as Entry;
  return { type: "ok", entry, fence, prev, hash: hashOf(text) };
}

function faultOf(entry: Record<string, unknown>): string | null {
  if (!isCount(entry.seq, 1)) return "`seq` is not a whole number above 0";
  if (!Number.isFinite(entry.at)) return "`at` is not a time";
  const type = entry.type;
  if (typeof type !== "string") return "no entry type";
  const check = Object.hasOwn(bodies, type) ? bodies[type] : undefined;
  if (check === undefined) return `unknown entry type ${type.slice(0, 60)}`;
  const fault = check(entry);
  return fault === null ? null : `${type}: ${fault}`;
}

const bodies: Readonly<Record<string, Check<unknown>>> = bodyTable;

function isCount(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= least;
}

function isPrev(value: unknown): value is Hash | "" {
  return typeof value === "string" && /^(?:[0-9a-f]{64})?$/.test(value);
}

function bad(why: string): DecodedLine {
  return { type: "bad", why };
}
