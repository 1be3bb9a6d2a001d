import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, rename, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hashOf } from "../kernel/hash.ts";
import type { Hash } from "../kernel/ids.ts";
import type { BlobStore, CheckpointStore, StreamId } from "../ports/store.ts";
import { codeOf, faultText, isUnreadable } from "./store-fault.ts";
import type { StreamPaths } from "./store-file-path.ts";
import { makeFolder, syncFolder } from "./store-folder.ts";

type Paths = (stream: StreamId) => StreamPaths;

/** Content under its hash, in 256 folders. A put of damaged content heals it. */
export function fileBlobs(paths: Paths, sync: boolean): BlobStore {
  return {
    put: async (scope, content) => {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      const hash = hashOf(bytes);
      const path = blobPath(paths(scope).blobs, hash);
      const kept = await readPart(path, 0);
      if (kept === null || hashOf(kept.bytes) !== hash) await writeWhole(path, bytes, sync);
      return hash;
    },
    has: async (scope, hash) => isHash(hash) && (await readPart(blobPath(paths(scope).blobs, hash), 0, 0)) !== null,
    get: async (scope, hash, from = 0, to) => {
      const part = isHash(hash) ? await readPart(blobPath(paths(scope).blobs, hash), from, to) : null;
      if (part === null) return null;
      return part.isWhole && hashOf(part.bytes) !== hash ? null : part.bytes;
    },
  };
}

export function fileCheckpoints(paths: Paths): CheckpointStore {
  return {
    // Not synced: it may be lost or old at any time, and its own hash says whether it is whole.
    save: async (stream, text) => writeWhole(paths(stream).checkpoint, Buffer.from(text), false),
    load: async (stream) => {
      const found = await readPart(paths(stream).checkpoint, 0);
      return found === null ? null : Buffer.from(found.bytes).toString("utf8");
    },
  };
}

export function blobPath(folder: string, hash: Hash): string {
  return join(folder, hash.slice(0, 2), hash);
}

/** Under another name first, so that the name never stands for half of the content. */
export async function writeWhole(path: string, bytes: Uint8Array, sync: boolean): Promise<void> {
  const part = `${path}.${randomBytes(6).toString("hex")}.part`;
  try {
    await makeFolder(dirname(path));
    const file = await open(part, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      if (sync) await file.datasync();
    } finally {
      await file.close();
    }
    await rename(part, path).catch(async (error: unknown) => {
      if (codeOf(error) !== "EISDIR") throw error;
      // A folder in its place, of whatever origin: nothing of ours stands under such a name.
      await rm(path, { recursive: true });
      await rename(part, path);
    });
    if (sync) await syncFolder(dirname(path));
  } catch (error) {
    await unlink(part).catch(() => undefined);
    throw new Error(faultText(error, path), { cause: error });
  }
}

/** Hashes come from logs too, and from whoever asks to recall: one that could leave its folder names nothing. */
function isHash(hash: string): boolean {
  return /^[0-9a-f]{64}$/.test(hash);
}

type Part = { readonly bytes: Uint8Array; readonly isWhole: boolean };

/** null for what is not there, and for what stands in its place and cannot be read: a folder, a pipe, a link in a circle. */
async function readPart(path: string, from: number, to?: number): Promise<Part | null> {
  const file = await openFile(path);
  if (file === null) return null;
  try {
    const info = await file.stat();
    if (!info.isFile()) return null;
    const [start, end] = [Math.max(0, from), Math.min(to ?? info.size, info.size)];
    const length = Math.max(0, end - start);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
    return bytesRead === length ? { bytes: buffer, isWhole: length === info.size } : null;
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  } finally {
    await file.close();
  }
}

/** Without waiting: a pipe would hold us up for a writer that never comes. */
async function openFile(path: string): Promise<FileHandle | null> {
  return open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (isUnreadable(error)) return null;
    throw error;
  });
}
