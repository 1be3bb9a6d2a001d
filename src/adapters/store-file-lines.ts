import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import { brand, type Hash } from "../kernel/ids.ts";

/**
 * A line as it stands in the file, from byte `start` to `next`. `content` leaves out the line end (LF or CRLF) and a
 * byte-order mark, so that a log that went through such an editor keeps its chain; null when longer than a line may be.
 */
export type RawLine = {
  readonly line: number;
  readonly start: number;
  readonly next: number;
  readonly ended: boolean;
  readonly content: Buffer | null;
  /** Of the content, however long; asked for only where the decoder has not made it already. */
  readonly hash: () => Hash;
};

const newline = 0x0a;

/** Lines from a byte on, read piece by piece: a log of any size takes the memory of its longest line. */
export async function* rawLines(
  file: FileHandle,
  offset: number,
  line: number,
  chunkBytes: number = 256 * 1024,
): AsyncGenerator<RawLine> {
  let position = offset;
  let open = openLine(line, offset);
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      open.add(chunk.subarray(from, end));
      yield open.close(true);
      from = end + 1;
      open = openLine(open.line + 1, position + from);
    }
    open.add(chunk.subarray(from));
    position += bytesRead;
  }
  if (position > open.start) yield open.close(false);
}

function openLine(line: number, start: number) {
  let parts: Buffer[] = [];
  let bytes = 0;
  /** Set once the line is too long: from then on its bytes are only hashed. */
  let digest: ReturnType<typeof createHash> | null = null;
  const add = (part: Buffer): void => {
    if (part.length === 0) return;
    bytes += part.length;
    if (digest !== null) {
      digest.update(part);
      return;
    }
    parts.push(part);
    if (bytes <= bounds.lineBytesMax) return;
    digest = createHash("sha256");
    for (const kept of parts) digest.update(kept);
    parts = [];
  };
  const close = (ended: boolean): RawLine => {
    const next = start + bytes + (ended ? 1 : 0);
    if (digest !== null) {
      const hash: Hash = brand(digest.digest("hex"));
      return { line, start, next, ended, content: null, hash: () => hash };
    }
    const content = contentOf(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts), start);
    return { line, start, next, ended, content, hash: () => hashOf(content) };
  };
  return { line, start, add, close };
}

/** The bytes that a line's hash is of. */
export function contentOf(bytes: Buffer, start: number): Buffer {
  const mark = start === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  let end = bytes.length;
  if (bytes[end - 1] === newline) end -= 1;
  if (bytes[end - 1] === 0x0d) end -= 1;
  return bytes.subarray(mark ? 3 : 0, Math.max(end, mark ? 3 : 0));
}

/** null for bytes that are not UTF-8: a lenient decode would let a damaged text pass as a text. */
export function textOf(content: Buffer): string | null {
  return isUtf8(content) ? content.toString("utf8") : null;
}

/**
 * Pieces of a line that cannot be read as one: an entry that lost its line end, or has a run of NUL bytes before or
 * behind it, is still there. Cut before each beginning of an entry and each run of NUL bytes.
 */
export function piecesOf(content: Buffer, start: string): readonly { readonly from: number; readonly to: number }[] {
  const cuts = new Set<number>([0]);
  for (
    let at = content.indexOf(start);
    at !== -1 && cuts.size <= bounds.linePiecesMax;
    at = content.indexOf(start, at + 1)
  ) {
    cuts.add(at);
  }
  for (let at = content.indexOf(0); at !== -1 && cuts.size <= bounds.linePiecesMax; at = content.indexOf(0, at)) {
    cuts.add(at);
    while (content[at] === 0) at += 1;
  }
  if (cuts.size > bounds.linePiecesMax) return [{ from: 0, to: content.length }];
  const sorted = [...cuts].sort((a, b) => a - b);
  return sorted.map((from, index) => ({ from, to: sorted[index + 1] ?? content.length }));
}
