import type { FileHandle } from "node:fs/promises";
import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import type { Hash } from "../kernel/ids.ts";
import { parseJson } from "../kernel/json.ts";
import { decodeLine, type FormatResult, formatOf, type Line, lineStart } from "../log/codec.ts";
import { type Entry, logFormat } from "../log/entry.ts";
import type { Damage, Position } from "../ports/store.ts";
import {
  afterBad,
  afterEntry,
  afterOther,
  type Chain,
  chainAt,
  emptyChain,
  isTooFar,
  readNumberOf,
} from "./store-chain.ts";
import { contentOf, piecesOf, type RawLine, rawLines, textOf } from "./store-file-lines.ts";

/** Where walking stands: the next byte, its line, what the chain needs, and the time of the last entry. */
export type Cursor = { readonly offset: number; readonly line: number; readonly chain: Chain; readonly at: number };

export const startCursor: Cursor = { offset: 0, line: 1, chain: emptyChain, at: 0 };

/** One step over the file. `entry` is null for what is left out; a torn tail does not move the cursor. */
export type Step = {
  readonly entry: Entry | null;
  readonly damage: Damage | null;
  readonly position: Position;
  readonly cursor: Cursor;
};

export function isTorn(step: Step): boolean {
  return step.damage?.type === "torn-tail";
}

/** All steps from the cursor to the end of the file. Damage is named once and walked over. */
export async function* walk(file: FileHandle, from: Cursor, path: string): AsyncGenerator<Step> {
  const { format, session } = await beginningOf(file, path);
  const seen = repeats(file);
  let cursor = from;
  for await (const raw of rawLines(file, from.offset, from.line)) {
    if (raw.content !== null && isBlank(raw.content)) {
      cursor = { ...cursor, offset: raw.next, line: raw.line + 1 };
      continue;
    }
    for (const part of partsOf(raw, format)) {
      const step = await stepOver(cursor, raw, part, { seen, session });
      cursor = step.cursor;
      yield step;
    }
  }
}

/** A stretch of a line that is one entry, or cannot be read. */
type Part = { readonly start: number; readonly next: number; readonly hash: Hash; readonly read: Line | string };

function partsOf(raw: RawLine, format: number): readonly Part[] {
  const { content, start, next } = raw;
  if (content === null) return [{ start, next, hash: raw.hash(), read: `longer than ${bounds.lineBytesMax} bytes` }];
  const read = readContent(content, format);
  if (typeof read !== "string") return [{ start, next, hash: read.hash, read }];
  const parts = piecesIn(raw, content, format);
  return parts.length > 1 ? parts : [{ start, next, hash: raw.hash(), read }];
}

function piecesIn(raw: RawLine, content: Buffer, format: number): readonly Part[] {
  const base = raw.start + (raw.start === 0 && raw.next - raw.start >= content.length + 3 ? 3 : 0);
  const parts: Part[] = [];
  for (const { from, to } of piecesOf(content, lineStart)) {
    const piece = content.subarray(from, to);
    const next = to === content.length ? raw.next : base + to;
    const part = { start: base + from, next, hash: hashOf(piece), read: readContent(piece, format) };
    const last = parts.at(-1);
    if (typeof part.read === "string" && typeof last?.read === "string") {
      // One stretch of junk is one report, however many pieces it fell into.
      parts[parts.length - 1] = { ...last, next, hash: hashOf(content.subarray(last.start - base, to)) };
    } else parts.push(part);
  }
  return parts;
}

function readContent(content: Buffer, format: number): Line | string {
  const text = textOf(content);
  if (text === null) return "not UTF-8 text";
  if (content[0] === 0) return "begins with NUL bytes";
  const line = decodeLine(text, format);
  return line.type === "ok" ? line : line.why;
}

/** What is known of the whole log: the lines that stood before, and whose it is. */
type Known = { readonly seen: Repeats; readonly session: string | null };

async function stepOver(cursor: Cursor, raw: RawLine, found: Part, { seen, session }: Known): Promise<Step> {
  const part = { ...found, read: withinReach(cursor.chain, found.read) };
  const moved = { offset: part.next, line: part.next === raw.next ? raw.line + 1 : raw.line };
  const atEnd = !raw.ended && part.next === raw.next;
  const bytes = part.next - part.start;
  if (typeof part.read === "string" && atEnd) {
    const detail = `the last line was cut off after ${bytes} bytes (${part.read}); the next write takes it away`;
    const damage: Damage = { line: raw.line, type: "torn-tail", detail };
    return { entry: null, damage, position: positionAt(cursor.chain, cursor, part, cursor.at), cursor };
  }
  if (typeof part.read === "string") {
    const chain = afterBad(cursor.chain, part.hash);
    const damage: Damage = { line: raw.line, type: "unreadable", detail: `${bytes} bytes: ${part.read}` };
    const entry: Entry = {
      seq: readNumberOf(chain),
      at: cursor.at,
      type: "line-unreadable",
      line: raw.line,
      bytes,
      why: part.read,
    };
    const next = { ...cursor, ...moved, chain };
    return { entry, damage, position: positionAt(chain, raw, part, cursor.at), cursor: next };
  }
  const { entry, prev, hash } = part.read;
  const line = { seq: entry.seq, prev, hash };
  const startsOther = session !== null && entry.type === "session-started" && entry.session !== session;
  const repeated = entry.seq <= cursor.chain.seq && (await seen.has(hash, part.start));
  const link = afterOther(cursor.chain, line, startsOther) ?? afterEntry(cursor.chain, line, repeated);
  await seen.add(hash);
  const at = link.keep ? entry.at : cursor.at;
  return {
    entry: link.keep ? { ...entry, seq: link.seq } : null,
    damage: link.damage === null ? null : { line: raw.line, ...link.damage },
    position: positionAt(link.chain, raw, part, at),
    cursor: { ...moved, chain: link.chain, at },
  };
}

function withinReach(chain: Chain, read: Part["read"]): Part["read"] {
  if (typeof read === "string" || !isTooFar(chain, { seq: read.entry.seq, prev: read.prev })) return read;
  return `its number ${read.entry.seq} is far beyond ${chain.seq}`;
}

function positionAt(chain: Chain, at: { readonly line: number }, part: Part, time: number): Position {
  return { seq: readNumberOf(chain), hash: part.hash, hint: `${at.line}:${part.start}:${part.next}:${time}` };
}

type Repeats = { has(hash: Hash, before: number): Promise<boolean>; add(hash: Hash): Promise<void> };

/**
 * Hashes of the lines before, gathered only once a number comes back: a sound log never pays for them.
 * 48 bits of each are enough beside an equal number.
 */
function repeats(file: FileHandle): Repeats {
  let known: Set<number> | null = null;
  const keyOf = (hash: Hash) => Number.parseInt(hash.slice(0, 12), 16);
  return {
    has: async (hash, before) => {
      if (known === null) {
        known = new Set();
        for await (const raw of rawLines(file, 0, 1)) {
          if (raw.start >= before) break;
          known.add(keyOf(raw.hash()));
        }
      }
      return known.has(keyOf(hash));
    },
    add: async (hash) => {
      known?.add(keyOf(hash));
    },
  };
}

/** Most first lines fit: opening a log at a known place costs no more than this. */
const firstLineBytes = 4 * 1024;

type Beginning = { readonly format: number; readonly session: string | null };

/**
 * The log's format and session by its first line; a log that has no whole line yet is new. Junk before the line that starts
 * a log is walked over as elsewhere; where it stands in that line's place the log is refused: throws.
 */
async function beginningOf(file: FileHandle, path: string): Promise<Beginning> {
  let why: string | null = null;
  for await (const { content, ended } of rawLines(file, 0, 1, firstLineBytes)) {
    if (content !== null && isBlank(content)) continue;
    const found = content === null ? tooLong : firstFormat(content);
    if (found.type === "format") {
      const first = startOf(found.content, found.format);
      if (why === null || first !== null) return { format: found.format, session: first?.session ?? null };
      break;
    }
    // It was never finished, so nothing was ever in this log.
    if (why === null && !ended && parseJson(textOf(content ?? Buffer.of()) ?? "").type !== "ok") return newLog;
    why ??= found.why;
  }
  if (why === null) return newLog;
  throw logRefused(path, why);
}

const newLog: Beginning = { format: logFormat, session: null };
const tooLong = { type: "refused", why: "it is too long for a line" } as const;

/** null: the line is an entry that starts no log. A project has no session. */
function startOf(content: Buffer, format: number): { readonly session: string | null } | null {
  const line = readContent(content, format);
  if (typeof line === "string") return null;
  if (line.entry.type === "session-started") return { session: line.entry.session };
  return line.entry.type === "project-started" ? { session: null } : null;
}

type FirstFormat =
  | { readonly type: "format"; readonly format: number; readonly content: Buffer }
  | Extract<FormatResult, { readonly type: "refused" }>;

/** By the first piece that is an entry, so that NUL bytes around it do no harm. */
function firstFormat(content: Buffer): FirstFormat {
  const whole = formatOf(textOf(content) ?? "");
  if (whole.type === "format") return { ...whole, content };
  for (const { from, to } of piecesOf(content, lineStart)) {
    const piece = formatOf(textOf(content.subarray(from, to)) ?? "");
    if (piece.type === "format") return { ...piece, content: content.subarray(from, to) };
  }
  return whole;
}

/** Faults the session (STYLE 23): nothing that follows a first line we cannot read can be trusted to mean what it says. */
function logRefused(path: string, why: string): Error {
  const error = new Error(
    `${path}, line 1 cannot be read: ${why}. Expected an entry of log format ${logFormat} or older. ` +
      "Use the version of varve that wrote it, or put back the file from a copy; nothing was changed.",
  );
  error.name = "LogRefused";
  return error;
}

/** Where a position points to in this file, or null when its hint does not lead to the line it names. */
export async function cursorAt(file: FileHandle, position: Position): Promise<Cursor | null> {
  const hint = /^(\d{1,15}):(\d{1,15}):(\d{1,15}):(-?[\d.]{1,20})$/.exec(position.hint ?? "");
  if (hint === null) return null;
  const [line, start, next, at] = hint.slice(1).map(Number);
  if (line === undefined || start === undefined || next === undefined || at === undefined) return null;
  const length = next - start;
  if (length <= 0 || length > bounds.lineBytesMax + 2) return null;
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, start);
  if (bytesRead !== length || hashOf(contentOf(buffer, start)) !== position.hash) return null;
  const ended = buffer[length - 1] === 0x0a;
  return { offset: next, line: ended ? line + 1 : line, chain: chainAt(position), at };
}

function isBlank(content: Buffer): boolean {
  return content.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
