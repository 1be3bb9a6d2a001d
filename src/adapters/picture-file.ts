import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { codeOf, explain } from "./fs-error.ts";

/**
 * Why a picture cannot be written there, or null. A file that is there already is only written over when it begins with
 * `mark`, as our own pictures do: a mistyped name must not cost somebody a file.
 */
export async function pictureFault(path: string, mark: string): Promise<string | null> {
  const file = await opened(path);
  if (file === "absent") return null;
  if (typeof file === "string") return file;
  try {
    return await foreign(file, mark);
  } finally {
    await file.close();
  }
}

/** Null when it was written. */
export async function writePicture(path: string, picture: string, mark: string): Promise<string | null> {
  const found = await opened(path);
  const file = found === "absent" ? await open(path, "wx").catch((error: unknown) => explain(error)) : found;
  if (typeof file === "string") return file;
  try {
    const why = found === "absent" ? null : await foreign(file, mark);
    if (why !== null) return why;
    await file.truncate(0);
    // All of it or an error; a single write may stop short on a full disk. Nothing moved the place it begins at.
    await file.writeFile(picture);
    return null;
  } catch (error) {
    return explain(error);
  } finally {
    await file.close();
  }
}

async function opened(path: string): Promise<FileHandle | "absent" | string> {
  return await open(path, "r+").catch((error: unknown) => (codeOf(error) === "ENOENT" ? "absent" : explain(error)));
}

async function foreign(file: FileHandle, mark: string): Promise<string | null> {
  const info = await file.stat();
  if (!info.isFile()) return "it is not a file";
  const wanted = Buffer.from(mark);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted.length), 0, wanted.length, 0);
  if (info.size === 0 || buffer.subarray(0, bytesRead).equals(wanted)) return null;
  return "a file of that name is there, and it is no picture of Varve's: it is not written over";
}
