import { mkdir, open, readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, isAbsent } from "./store-fault.ts";

/**
 * Ours only: what a session holds is nobody else's to read. One folder at a time: on a read-only disk the recursive call
 * reports a missing folder instead of the reason.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeOne(folder);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    // Once: some file systems (`/proc`) say that a folder is missing which is there.
    await makeOne(folder);
  }
}

async function makeOne(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
}

/** A new file's name is on the disk only when its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** An absent folder has no names. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });
}
