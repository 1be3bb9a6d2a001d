import type { Stats } from "node:fs";
import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import type { FileKind, Located } from "../ports/fs.ts";
import { codeOf, explain } from "./fs-error.ts";

export async function locate(path: string): Promise<Located> {
  return follow(path, bounds.linksMax);
}

async function follow(path: string, linksLeft: number): Promise<Located> {
  try {
    const real = await realpath(path);
    const found = await lstat(real);
    return { type: "found", path: real, kind: kindOf(found), bytes: found.size };
  } catch (error) {
    return codeOf(error) === "ENOENT" ? absent(path, linksLeft) : unusable(error);
  }
}

/** Nothing is there: the parent decides where it would be, or the target of a link that dangles. */
async function absent(path: string, linksLeft: number): Promise<Located> {
  if (linksLeft <= 0) return { type: "unusable", why: "too many links lead on from it" };
  const folder = dirname(path);
  if (folder === path) return { type: "absent", path };
  const parent = await follow(folder, linksLeft - 1);
  if (parent.type === "unusable") return parent;
  if (parent.type === "found" && parent.kind !== "folder")
    return { type: "unusable", why: `${folder} is not a folder` };
  const own = join(parent.path, basename(path));
  const target = await linkTarget(own);
  if (target === null) return { type: "absent", path: own };
  return follow(isAbsolute(target) ? target : join(parent.path, target), linksLeft - 1);
}

async function linkTarget(path: string): Promise<string | null> {
  try {
    return await readlink(path);
  } catch {
    // Not a link, or not there at all: then it leads nowhere else, which is the answer.
    return null;
  }
}

function unusable(error: unknown): Located {
  return { type: "unusable", why: explain(error) };
}

export function kindOf(stats: Stats): FileKind {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  if (stats.isFIFO()) return "pipe";
  if (stats.isSocket()) return "socket";
  return stats.isCharacterDevice() || stats.isBlockDevice() ? "device" : "other";
}
