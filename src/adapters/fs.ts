import type { Fs } from "../ports/fs.ts";
import { locate } from "./fs-locate.ts";
import { readFile } from "./fs-read.ts";
import { writeFile } from "./fs-write.ts";

export function nodeFs(): Fs {
  return { locate, read: readFile, write: writeFile };
}

/** Whatever it is. */
export async function standsThere(path: string): Promise<boolean> {
  return (await locate(path)).type === "found";
}

/** An absolute path that leads to a folder. */
export async function isFolder(path: string): Promise<boolean> {
  const found = path.startsWith("/") ? await locate(path) : null;
  return found?.type === "found" && found.kind === "folder";
}
