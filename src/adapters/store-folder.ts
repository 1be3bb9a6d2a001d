import { mkdir, open, readdir } from "node:fs/promises";
import { isAbsent } from "./store-fault.ts";

/** Ours only: what a session holds is nobody else's to read. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
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
