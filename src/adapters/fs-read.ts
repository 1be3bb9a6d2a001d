import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import type { FileRead } from "../ports/fs.ts";
import { codeOf, explain } from "./fs-error.ts";
import { kindOf } from "./fs-locate.ts";

export async function readFile(path: string, bytesMax: number): Promise<FileRead> {
  try {
    // Looked at before it is opened (opening a device can have effects), and again after, on the handle.
    const before = kindOf(await lstat(path));
    if (before !== "file") return notAFile(before);
    // Not blocking: a pipe put here in between opens at once and is then refused.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const kind = kindOf(await file.stat());
      if (kind !== "file") return notAFile(kind);
      if ((await openedPath(file, path)) !== path) return { type: "failed", why: moved };
      return await readAll(file, bytesMax);
    } finally {
      await file.close();
    }
  } catch (error) {
    return { type: "failed", why: explain(error) };
  }
}

export const moved = "a folder on its path has just been replaced by a link";

/** Where the open handle really is. Linux knows; elsewhere the name is looked up again, which leaves a short gap. */
export async function openedPath(file: FileHandle, path: string): Promise<string> {
  try {
    return await readlink(`/proc/self/fd/${file.fd}`);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return realpath(path);
    throw error;
  }
}

function notAFile(kind: string): FileRead {
  return { type: "failed", why: `it is not a regular file but a ${kind}` };
}

/** Up to the end, not up to the size: files of `/proc` say 0. One byte more is asked for, to know whether it goes on. */
async function readAll(file: FileHandle, bytesMax: number): Promise<FileRead> {
  const size = (await file.stat()).size;
  let buffer = new Uint8Array(Math.min(bytesMax, Math.max(size, firstRead)) + 1);
  let used = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, used, buffer.length - used, used);
    used += bytesRead;
    if (bytesRead === 0 || used > bytesMax) break;
    if (used === buffer.length) buffer = grown(buffer, bytesMax + 1);
  }
  return { type: "read", bytes: buffer.subarray(0, Math.min(used, bytesMax)), more: used > bytesMax };
}

const firstRead = 4_096;

function grown(buffer: Uint8Array, lengthMax: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(lengthMax, buffer.length * 2));
  larger.set(buffer);
  return larger;
}
