import { watch } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Entry } from "../log/entry.ts";
import type { Damage, Position } from "../ports/store.ts";
import { readNumberOf } from "./store-chain.ts";
import { nullIfAbsent } from "./store-fault.ts";
import type { StreamPaths } from "./store-file-path.ts";
import { type Cursor, cursorAt, isTorn, startCursor, walk } from "./store-file-walk.ts";

/** The end of a log as somebody has read it, so that an append need not read it again. */
export type Tail = { readonly cursor: Cursor; readonly position: Position };

export const emptyTail: Tail = { cursor: startCursor, position: { seq: 0, hash: "" } };

export type ReadCall = {
  readonly paths: StreamPaths;
  readonly from: Position | null;
  readonly follow: AbortSignal | null;
  readonly onDamage: (damage: Damage) => void;
  readonly onPosition: (position: Position) => void;
  readonly onTail: (tail: Tail) => void;
  /** Hears of appends in this process; returns how to stop hearing. */
  readonly listen: (ring: () => void) => () => void;
};

/** A log that does not exist reads as empty: a session folder may stand before its first entry does. */
export async function* readEntries(call: ReadCall): AsyncGenerator<Entry> {
  const bell = call.follow === null ? null : bellOf(call);
  let file: FileHandle | null = null;
  try {
    let tail: Tail | null = null;
    do {
      file ??= await openLog(call.paths.log);
      if (file !== null) tail = yield* readOn(file, tail ?? (await begin(file, call)), call);
    } while (await bell?.wait());
  } finally {
    bell?.close();
    await file?.close();
  }
}

async function* readOn(file: FileHandle, from: Tail, call: ReadCall): AsyncGenerator<Entry, Tail> {
  let tail = from;
  for await (const step of walk(file, from.cursor, call.paths.log)) {
    // Whoever follows meets lines that are still being written; only one that stays is torn.
    if (isTorn(step) && call.follow !== null) break;
    if (step.damage !== null) call.onDamage(step.damage);
    if (isTorn(step)) break;
    tail = { cursor: step.cursor, position: step.position };
    if (step.entry === null) continue;
    call.onPosition(step.position);
    yield step.entry;
  }
  call.onTail(tail);
  return tail;
}

/** By the hint when it leads to the very line, else by looking for that line, else by its number. */
async function begin(file: FileHandle, call: ReadCall): Promise<Tail> {
  const { from } = call;
  if (from === null || from.seq === 0) return emptyTail;
  const hinted = await cursorAt(file, from);
  if (hinted !== null) return { cursor: hinted, position: from };
  let byNumber = emptyTail;
  for await (const step of walk(file, startCursor, call.paths.log)) {
    if (isTorn(step)) break;
    const tail = { cursor: step.cursor, position: step.position };
    if (step.position.hash === from.hash) return tail;
    if (readNumberOf(step.cursor.chain) <= from.seq) byNumber = tail;
  }
  if (from.hash !== "") {
    const detail = `no line here is the one that was read as number ${from.seq}; reading goes on behind that number`;
    call.onDamage({ line: byNumber.cursor.line, type: "broken-chain", detail });
  }
  return byNumber;
}

async function openLog(path: string): Promise<FileHandle | null> {
  return open(path, "r").catch(nullIfAbsent);
}

/** Between two looks at the file when nothing says that it changed: some file systems never do. */
const pollMs = 250;

/** Rings on an append of this process, on a change the system tells of, and from time to time. */
function bellOf(call: ReadCall) {
  let rung = false;
  let wake: () => void = () => undefined;
  const ring = (): void => {
    rung = true;
    wake();
  };
  const stopListening = call.listen(ring);
  const stopWatching = watchFolder(call.paths.folder, ring);
  call.follow?.addEventListener("abort", ring);
  /** False once the signal has aborted. */
  const wait = async (): Promise<boolean> => {
    if (!rung && call.follow?.aborted === false) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const timer = setTimeout(resolve, pollMs);
      await promise;
      clearTimeout(timer);
    }
    rung = false;
    return call.follow?.aborted === false;
  };
  const close = (): void => {
    stopListening();
    stopWatching();
    call.follow?.removeEventListener("abort", ring);
  };
  return { wait, close };
}

function watchFolder(folder: string, ring: () => void): () => void {
  try {
    const watcher = watch(folder, { persistent: false }, ring);
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    // No folder yet, or no watches left: the poll alone is slower and as right.
    return () => undefined;
  }
}
