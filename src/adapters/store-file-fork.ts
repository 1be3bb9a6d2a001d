import { copyFile, type FileHandle, link, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Position } from "../ports/store.ts";
import type { StreamPaths } from "./store-file-path.ts";
import { emptyTail, type Tail } from "./store-file-read.ts";
import { isTorn, startCursor, walk } from "./store-file-walk.ts";
import { makeFolder, namesIn, syncFolder } from "./store-folder.ts";

/** The lines as they stand, damage included, so that the copy has the same chain. The log's name comes last. */
export async function forkLog(from: StreamPaths, upTo: number, to: StreamPaths, sync: boolean): Promise<Position> {
  const source = await open(from.log, "r");
  try {
    const end = await endAt(source, upTo, from.log);
    await makeFolder(dirname(to.folder));
    // Not recursive: a session that is there already must not be added to.
    await mkdir(to.folder, { mode: 0o700 });
    await fill(source, end.cursor.offset, from, to, sync).catch(async (error: unknown) => {
      await rm(to.folder, { recursive: true, force: true });
      throw error;
    });
    return end.position;
  } finally {
    await source.close();
  }
}

async function fill(source: FileHandle, length: number, from: StreamPaths, to: StreamPaths, sync: boolean) {
  await shareBlobs(from.blobs, to.blobs);
  const part = `${to.log}.part`;
  await copyBytes(source, length, part, sync);
  await rename(part, to.log);
  if (sync) await syncFolder(to.folder);
}

async function endAt(source: FileHandle, upTo: number, path: string): Promise<Tail> {
  let tail = emptyTail;
  for await (const step of walk(source, startCursor, path)) {
    if (isTorn(step) || step.cursor.chain.seq > upTo) break;
    tail = { cursor: step.cursor, position: step.position };
  }
  return tail;
}

async function copyBytes(source: FileHandle, length: number, path: string, sync: boolean): Promise<void> {
  const target = await open(path, "wx", 0o600);
  try {
    let last = 0x0a;
    for (let at = 0; at < length; ) {
      const { buffer, bytesRead } = await source.read(Buffer.alloc(Math.min(1 << 20, length - at)), 0, undefined, at);
      if (bytesRead === 0) break;
      await target.writeFile(buffer.subarray(0, bytesRead));
      last = buffer[bytesRead - 1] ?? last;
      at += bytesRead;
    }
    if (last !== 0x0a) await target.writeFile("\n");
    if (sync) await target.datasync();
  } finally {
    await target.close();
  }
}

/** One content under two names; copied where the file system has no second names. */
async function shareBlobs(from: string, to: string): Promise<void> {
  for (const folder of await namesIn(from)) {
    await makeFolder(join(to, folder));
    for (const name of await namesIn(join(from, folder))) {
      if (name.endsWith(".part")) continue;
      const [source, target] = [join(from, folder, name), join(to, folder, name)];
      await link(source, target).catch(() => copyFile(source, target));
    }
  }
}
