import { bounds } from "./bounds.ts";

export type Span = readonly [from: number, to: number];

/**
 * A JSON value and where it stands in its bytes (offsets, end exclusive). Nothing is converted: numbers, escapes, the
 * order of keys and repeated keys stay as they were written. `dense` means: no white space outside strings.
 */
export type JsonNode =
  | { readonly type: "object"; readonly span: Span; readonly dense: boolean; readonly members: readonly JsonMember[] }
  | { readonly type: "array"; readonly span: Span; readonly dense: boolean; readonly items: readonly JsonNode[] }
  | { readonly type: "string" | "number" | "true" | "false" | "null"; readonly span: Span };
export type JsonMember = { readonly key: string; readonly keySpan: Span; readonly value: JsonNode };

/** Bytes that are no strict JSON. `offset` is the byte at which that showed. */
export class JsonSpanError extends Error {
  readonly offset: number;
  constructor(what: string, offset: number) {
    super(`no JSON at byte ${offset}: ${what}`);
    this.name = "JsonSpanError";
    this.offset = offset;
  }
}

/** Scans one JSON value and nothing behind it. Throws `JsonSpanError`; depth is bounded by `bounds.jsonDepthMax`. */
export function scanJson(bytes: Uint8Array): JsonNode {
  const scan: Scan = { bytes, at: 0, spaces: 0 };
  skipSpace(scan);
  const node = value(scan, 0);
  skipSpace(scan);
  if (scan.at < bytes.length) throw new JsonSpanError("something stands behind the value", scan.at);
  return node;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function rawText(bytes: Uint8Array, [from, to]: Span): string {
  return decoder.decode(bytes.subarray(from, to));
}

/** The characters that a string literal stands for. */
export function stringAt(bytes: Uint8Array, span: Span): string {
  const parsed: unknown = JSON.parse(rawText(bytes, span));
  return String(parsed);
}

/** The value of the member with that key: the last one, as every JSON reader takes it. */
export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  if (node?.type !== "object") return undefined;
  return node.members.findLast((member) => member.key === key)?.value;
}

/** A key that stands twice in one object, anywhere in the value: of these every reader keeps one and loses the other. */
export function repeatedKey(node: JsonNode | undefined): string | null {
  if (node?.type === "array") return firstRepeated(node.items);
  if (node?.type !== "object") return null;
  const keys = new Set<string>();
  for (const { key } of node.members) {
    if (keys.has(key)) return key;
    keys.add(key);
  }
  return firstRepeated(node.members.map(({ value: inside }) => inside));
}

function firstRepeated(nodes: readonly JsonNode[]): string | null {
  for (const node of nodes) {
    const key = repeatedKey(node);
    if (key !== null) return key;
  }
  return null;
}

export function itemsAt(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.type === "array" ? node.items : [];
}

/** The text of a string member, or undefined where there is none or it is no string. */
export function stringMember(bytes: Uint8Array, node: JsonNode | undefined, key: string): string | undefined {
  const member = memberOf(node, key);
  return member?.type === "string" ? stringAt(bytes, member.span) : undefined;
}

/**
 * The value's text without white space outside strings. `instead` gives other text for single nodes; `null` leaves the
 * member or item out, its comma with it.
 */
export function compactText(
  bytes: Uint8Array,
  node: JsonNode,
  instead: ReadonlyMap<JsonNode, string | null> = nothing,
): string {
  const other = instead.get(node);
  if (typeof other === "string") return other;
  if (node.type !== "object" && node.type !== "array") return rawText(bytes, node.span);
  if (node.dense && instead.size === 0) return rawText(bytes, node.span);
  if (node.type === "array") {
    const items = node.items.filter((item) => instead.get(item) !== null);
    return `[${items.map((item) => compactText(bytes, item, instead)).join(",")}]`;
  }
  const members = node.members.filter((member) => instead.get(member.value) !== null);
  return `{${members.map((m) => `${rawText(bytes, m.keySpan)}:${compactText(bytes, m.value, instead)}`).join(",")}}`;
}

const nothing: ReadonlyMap<JsonNode, string | null> = new Map();

type Scan = { readonly bytes: Uint8Array; at: number; spaces: number };

function value(scan: Scan, depth: number): JsonNode {
  if (depth > bounds.jsonDepthMax) throw new JsonSpanError(`deeper than ${bounds.jsonDepthMax} levels`, scan.at);
  const byte = scan.bytes[scan.at];
  if (byte === 0x7b) return object(scan, depth);
  if (byte === 0x5b) return array(scan, depth);
  if (byte === 0x22) return { type: "string", span: stringLiteral(scan) };
  if (byte === 0x74) return word(scan, "true");
  if (byte === 0x66) return word(scan, "false");
  if (byte === 0x6e) return word(scan, "null");
  return numberLiteral(scan);
}

function object(scan: Scan, depth: number): JsonNode {
  const from = scan.at;
  const spaces = scan.spaces;
  const members: JsonMember[] = [];
  scan.at++;
  skipSpace(scan);
  if (scan.bytes[scan.at] !== 0x7d) {
    for (;;) {
      if (scan.bytes[scan.at] !== 0x22) throw new JsonSpanError("expected a key in quotes", scan.at);
      const keySpan = stringLiteral(scan);
      skipSpace(scan);
      if (scan.bytes[scan.at] !== 0x3a) throw new JsonSpanError('expected ":"', scan.at);
      scan.at++;
      skipSpace(scan);
      members.push({ key: stringAt(scan.bytes, keySpan), keySpan, value: value(scan, depth + 1) });
      skipSpace(scan);
      if (!comma(scan, 0x7d, "}")) break;
    }
  }
  scan.at++;
  return { type: "object", span: [from, scan.at], dense: scan.spaces === spaces, members };
}

function array(scan: Scan, depth: number): JsonNode {
  const from = scan.at;
  const spaces = scan.spaces;
  const items: JsonNode[] = [];
  scan.at++;
  skipSpace(scan);
  if (scan.bytes[scan.at] !== 0x5d) {
    for (;;) {
      items.push(value(scan, depth + 1));
      skipSpace(scan);
      if (!comma(scan, 0x5d, "]")) break;
    }
  }
  scan.at++;
  return { type: "array", span: [from, scan.at], dense: scan.spaces === spaces, items };
}

/** True behind a comma, false before the closing byte (which is not passed). */
function comma(scan: Scan, closing: number, name: string): boolean {
  const byte = scan.bytes[scan.at];
  if (byte === closing) return false;
  if (byte !== 0x2c) throw new JsonSpanError(`expected "," or "${name}"`, scan.at);
  scan.at++;
  skipSpace(scan);
  return true;
}

function stringLiteral(scan: Scan): Span {
  const { bytes } = scan;
  const from = scan.at;
  let at = from + 1;
  for (;;) {
    const byte = bytes[at];
    if (byte === undefined) throw new JsonSpanError("a string without its end", from);
    if (byte === 0x22) break;
    if (byte < 0x20) throw new JsonSpanError("a control character in a string", at);
    if (byte === 0x5c) at = escapeEnd(bytes, at);
    else at++;
  }
  scan.at = at + 1;
  return [from, scan.at];
}

function escapeEnd(bytes: Uint8Array, at: number): number {
  const byte = bytes[at + 1];
  if (byte === 0x75) {
    for (let digit = at + 2; digit < at + 6; digit++) {
      if (!isHexDigit(bytes[digit])) throw new JsonSpanError("an escape without its four digits", at);
    }
    return at + 6;
  }
  if (byte === undefined || !escapable.has(byte)) throw new JsonSpanError("an unknown escape", at);
  return at + 2;
}

const escapable: ReadonlySet<number> = new Set([...'"\\/bfnrt'].map((char) => char.charCodeAt(0)));

function isHexDigit(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function word(scan: Scan, text: "true" | "false" | "null"): JsonNode {
  const span: Span = [scan.at, scan.at + text.length];
  if (rawText(scan.bytes, span) !== text) throw new JsonSpanError(`expected ${text}`, scan.at);
  scan.at = span[1];
  return { type: text, span };
}

const numberPattern = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function numberLiteral(scan: Scan): JsonNode {
  let to = scan.at;
  while (isNumberByte(scan.bytes[to])) to++;
  const span: Span = [scan.at, to];
  if (!numberPattern.test(rawText(scan.bytes, span))) throw new JsonSpanError("expected a value", scan.at);
  scan.at = to;
  return { type: "number", span };
}

function isNumberByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (
    (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2b || byte === 0x2e || byte === 0x65 || byte === 0x45
  );
}

function skipSpace(scan: Scan): void {
  for (;;) {
    const byte = scan.bytes[scan.at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
    scan.at++;
    scan.spaces++;
  }
}
