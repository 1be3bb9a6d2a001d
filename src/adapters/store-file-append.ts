import { type FileHandle, open } from "node:fs/promises";
import { bounds } from "../kernel/bounds.ts";
import type { Hash } from "../kernel/ids.ts";
import { decodeLine, encodeLine } from "../log/codec.ts";
import type { Entry, EntryBody } from "../log/entry.ts";
import type { AppendResult, Damage, Fence } from "../ports/store.ts";
import { linkOf } from "./store-chain.ts";
import { faultText } from "./store-fault.ts";
import type { StreamPaths } from "./store-file-path.ts";
import { emptyTail, type Tail } from "./store-file-read.ts";
import { cursorAt, isTorn, walk } from "./store-file-walk.ts";
import { makeFolder, syncFolder } from "./store-folder.ts";

/** Writes all bytes at the end of the file or throws; what it left behind when it threw is cut away again. */
export type WriteAll = (file: FileHandle, bytes: Buffer) => Promise<void>;

export type AppendCall = {
  readonly paths: StreamPaths;
  readonly known: Tail | null;
  readonly expectedSeq: number;
  readonly fence: Fence | null;
  readonly entries: readonly EntryBody[];
  readonly at: number;
  readonly sync: boolean;
  readonly write: WriteAll;
  readonly onDamage: (damage: Damage) => void;
};

/** The caller holds whatever keeps other writers out. `tail` is null when the end of the log is no longer known. */
export async function appendEntries(
  call: AppendCall,
): Promise<{ readonly result: AppendResult; readonly tail: Tail | null }> {
  const { paths } = call;
  let file: FileHandle | null = null;
  try {
    await makeFolder(paths.folder);
    // Appending is the system's: even a writer that lost its lease in its sleep cannot write over others' lines.
    file = await open(paths.log, "a+", 0o600);
    const end = await endOf(file, call);
    const { position } = end.tail;
    if (Math.floor(call.expectedSeq) !== end.tail.cursor.chain.seq) {
      return { result: { type: "conflict", head: position }, tail: end.tail };
    }
    if (call.entries.length === 0) {
      return { result: { type: "appended", head: position, entries: [] }, tail: end.tail };
    }
    const built = build(call, end);
    if (built.type === "refused") return { result: built, tail: end.tail };
    const failure = await writeOrUndo(file, end.bytes, built.bytes, call);
    if (failure !== null) return { result: { type: "refused", why: failure }, tail: null };
    if (end.bytes === 0 && call.sync) await syncFolder(paths.folder);
    return {
      result: { type: "appended", head: built.tail.position, entries: built.entries },
      tail: built.tail,
    };
  } catch (error) {
    return { result: { type: "refused", why: faultText(error, paths.log) }, tail: null };
  } finally {
    await file?.close();
  }
}

type End = { readonly tail: Tail; readonly bytes: number; readonly ended: boolean };

/** Reads only what is behind the known end; a torn last line is cut off here, where no one else can be writing it. */
async function endOf(file: FileHandle, call: AppendCall): Promise<End> {
  const { size } = await file.stat();
  const start = call.known !== null && (await stillThere(file, call.known)) ? call.known : emptyTail;
  let tail = start;
  let bytes = size;
  if (start.cursor.offset < size || size === 0) {
    for await (const step of walk(file, start.cursor, call.paths.log)) {
      if (!isTorn(step)) {
        tail = { cursor: step.cursor, position: step.position };
        continue;
      }
      bytes = step.cursor.offset;
      await file.truncate(bytes);
      if (step.damage !== null) call.onDamage(step.damage);
      break;
    }
  }
  const last = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, bytes - 1));
  return { tail, bytes, ended: bytes === 0 || last.buffer[0] === 0x0a };
}

/** A file that was put back from a copy, or edited, while we had it open is read anew. */
async function stillThere(file: FileHandle, known: Tail): Promise<boolean> {
  return known.position.seq === 0 || (await cursorAt(file, known.position)) !== null;
}

type Built =
  | { readonly type: "built"; readonly bytes: Buffer; readonly entries: readonly Entry[]; readonly tail: Tail }
  | { readonly type: "refused"; readonly why: string };

/** What cannot be read back is not written: each line goes through the decoder, and its entry is what is returned. */
function build(call: AppendCall, end: End): Built {
  let { seq } = end.tail.cursor.chain;
  let prev: Hash | "" = linkOf(end.tail.cursor.chain);
  let { line, at } = end.tail.cursor;
  let start = end.bytes + (end.ended ? 0 : 1);
  let position = end.tail.position;
  const parts: string[] = end.ended ? [] : ["\n"];
  const entries: Entry[] = [];
  for (const body of call.entries) {
    const text = encodeLine({ seq: seq + 1, at: call.at, fence: call.fence, prev, body });
    const decoded = decodeLine(text);
    const bytes = Buffer.byteLength(text);
    if (decoded.type === "bad")
      return { type: "refused", why: `an entry that could not be read again: ${decoded.why}` };
    if (bytes > bounds.lineBytesMax) {
      return { type: "refused", why: `a ${body.type} entry of ${bytes} bytes; a line holds ${bounds.lineBytesMax}` };
    }
    parts.push(text, "\n");
    entries.push(decoded.entry);
    prev = decoded.hash;
    position = { seq: seq + 1, hash: prev, hint: `${line}:${start}:${start + bytes + 1}:${call.at}` };
    seq += 1;
    line += 1;
    start += bytes + 1;
    at = call.at;
  }
  const chain = { seq, bad: 0, kept: prev, raw: prev, forgiven: false, other: null };
  const tail = { cursor: { offset: start, line, chain, at }, position };
  return { type: "built", bytes: Buffer.from(parts.join("")), entries, tail };
}

async function writeOrUndo(file: FileHandle, end: number, bytes: Buffer, call: AppendCall): Promise<string | null> {
  try {
    await call.write(file, bytes);
    if (call.sync) await file.datasync();
    return null;
  } catch (error) {
    const why = faultText(error, call.paths.log);
    const undone = await undo(file, end, bytes).catch((fault: unknown) => faultText(fault, call.paths.log));
    return undone === null ? why : `${why}; ${undone}`;
  }
}

/** Cuts off what is ours and nothing else; bytes of anyone else stay, and the next reader names them. */
async function undo(file: FileHandle, end: number, bytes: Buffer): Promise<string | null> {
  const left = (await file.stat()).size - end;
  if (left <= 0) return null;
  const found = await file.read(Buffer.alloc(Math.min(left, bytes.length)), 0, Math.min(left, bytes.length), end);
  if (left > bytes.length || !found.buffer.equals(bytes.subarray(0, left))) return "others wrote behind it";
  await file.truncate(end);
  return null;
}

export const writeAll: WriteAll = async (file, bytes) => {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written);
    written += bytesWritten;
  }
};
