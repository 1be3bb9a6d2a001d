import { isRecord } from "../kernel/canonical.ts";
import { documentFormats, lineFormats } from "./formats.ts";
import { plain } from "./plain.ts";
import type { Raw } from "./record.ts";

/** Why bytes can be no document of a known format; null: they may be one. `records` are those of its first lines. */
export function foreignBytes(bytes: Uint8Array, records: readonly Raw[]): string | null {
  if (bytes.length === 0) return "the file is empty";
  const magic = magics.find(([first]) => first.every((byte, at) => bytes[at] === byte));
  if (magic !== undefined) return `${expected()}; found ${magic[1]}`;
  const at = firstWritten(bytes);
  if (at === -1) return "the file holds nothing but white space and zero bytes";
  const first = bytes[at];
  if (first === brace || first === bracket) return records.length > 1 ? foreignRecords(records) : null;
  return records.length > 0
    ? foreignRecords(records)
    : `${expected()}; found ${beginning(bytes.subarray(at, at + 80))}`;
}

/** Why a value is of no known format. */
export function foreignValue(value: unknown): string {
  if (Array.isArray(value)) {
    const [first] = value;
    const of = isRecord(first) ? `, the first with ${fieldsOf([first])}` : "";
    return `${expected()}; found a JSON list of ${value.length}${of}`;
  }
  return `${expected()}; found ${isRecord(value) ? `one JSON object with ${fieldsOf([value])}` : "a bare JSON value"}`;
}

/** Text that begins as JSON and is none. */
export function foreignText(text: string, why: string): string {
  const isCut = /end of JSON|Unterminated/i.test(why);
  const found = isCut ? "JSON that is cut off" : "what begins as JSON and is none";
  return `${expected()}; found ${found} (${plain(why, 120)}; ${text.length} characters)`;
}

function foreignRecords(records: readonly Raw[]): string {
  return `${expected()}; found lines of JSON with ${fieldsOf(records)}`;
}

function expected(): string {
  const names = new Set([...lineFormats, ...documentFormats].map((one) => one.format));
  return `no session of a known format (${[...names].join(", ")})`;
}

const magics: readonly (readonly [readonly number[], string])[] = [
  [[0xff, 0xfe], "UTF-16 text"],
  [[0xfe, 0xff], "UTF-16 text"],
  [[0x1f, 0x8b], "gzip data: unpack it first"],
  [[0x28, 0xb5, 0x2f, 0xfd], "zstd data: unpack it first"],
  [[0x50, 0x4b, 0x03, 0x04], "a zip archive"],
  [[0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20], "an SQLite database"],
];
const brace = 0x7b;
const bracket = 0x5b;
const blanks: ReadonlySet<number> = new Set([0, 0x09, 0x0a, 0x0d, 0x20]);

/** Behind a byte order mark, white space and zeros. */
function firstWritten(bytes: Uint8Array): number {
  const from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.findIndex((byte, at) => at >= from && !blanks.has(byte));
}

function fieldsOf(records: readonly Raw[]): string {
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const named = keys.slice(0, 8).map((key) => plain(key, 40));
  const kinds = [...new Set(records.map(({ type }) => type))].filter((type) => typeof type === "string");
  const types =
    kinds.length === 0
      ? ""
      : ` (type ${kinds
          .slice(0, 4)
          .map((kind) => plain(kind, 40))
          .join(", ")})`;
  if (keys.length === 0) return "no fields";
  return `the fields ${named.join(", ")}${keys.length > named.length ? " and more" : ""}${types}`;
}

function beginning(bytes: Uint8Array): string {
  const isBinary = bytes.some((byte) => byte === 0 || (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d));
  if (isBinary) return "binary data";
  return `text that begins with "${plain(new TextDecoder("utf-8").decode(bytes), 40)}"`;
}
