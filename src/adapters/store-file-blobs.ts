import { randomBytes } from "node:crypto";
import { open, readFile, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hashOf } from "../kernel/hash.ts";
import type { Hash } from "../kernel/ids.ts";
import type { BlobStore, CheckpointStore, StreamId } from "../ports/store.ts";
import { faultText, nullIfAbsent } from "./store-fault.ts";
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
      const kept = await readOrNull(path);
      if (kept === null || hashOf(kept) !== hash) await writeWhole(path, bytes, sync);
      return hash;
    },
    has: async (scope, hash) => isHash(hash) && (await sizeOf(blobPath(paths(scope).blobs, hash))) !== null,
    get: async (scope, hash, from = 0, to) => {
      if (!isHash(hash)) return null;
      const path = blobPath(paths(scope).blobs, hash);
      const size = await sizeOf(path);
      if (size === null) return null;
      const end = Math.min(to ?? size, size);
      if (from > 0 || end < size) return readRange(path, Math.max(0, from), end);
      const bytes = await readOrNull(path);
      return bytes !== null && hashOf(bytes) === hash ? bytes : null;
    },
  };
}

export function fileCheckpoints(paths: Paths): CheckpointStore {
  return {
    // Not synced: it may be lost or old at any time, and its own hash says whether it is whole.
    save: async (stream, text) => writeWhole(paths(stream).checkpoint, Buffer.from(text), false),
    load: async (stream) => (await readOrNull(paths(stream).checkpoint))?.toString("utf8") ?? null,
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
    await rename(part, path);
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

async function readRange(path: string, from: number, to: number): Promise<Uint8Array | null> {
  const length = Math.max(0, to - from);
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
    return bytesRead === length ? buffer : null;
  } finally {
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number | null> {
  const file = await open(path, "r").catch(nullIfAbsent);
  if (file === null) return null;
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

async function readOrNull(path: string): Promise<Buffer | null> {
  return readFile(path).catch(nullIfAbsent);
}
