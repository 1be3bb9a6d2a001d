import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The nearest folder upwards that holds `.git`; outside git the folder itself. */
export async function repositoryRoot(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    // What cannot be looked at counts as not there.
    const found = await stat(join(at, ".git")).catch(() => null);
    if (found !== null) return at;
    if (dirname(at) === at) return folder;
  }
}

/** From a folder up to its root, the nearest first. */
export function foldersUp(from: string, root: string): readonly string[] {
  const folders = [from];
  for (let at = from; at !== root && dirname(at) !== at; ) {
    at = dirname(at);
    folders.push(at);
  }
  return folders;
}
