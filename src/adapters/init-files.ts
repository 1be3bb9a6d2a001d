import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import type { FoundFile, FoundFiles } from "../workspace/init-plan.ts";
import { isInside } from "../workspace/path.ts";
import { explain } from "./fs-error.ts";
import { locate } from "./fs-locate.ts";
import { readFile } from "./fs-read.ts";
import { repositoryRoot } from "./repository.ts";

/** The folder that is set up, free of links, and the repository it lies in. */
export type InitFolder = { readonly folder: string; readonly repository: string | null };

export async function initFolder(cwd: string): Promise<InitFolder> {
  const folder = await realpath(cwd);
  const root = await repositoryRoot(folder);
  return { folder, repository: (await locate(join(root, ".git"))).type === "found" ? root : null };
}

/** Looks at the paths once; what is found of them is what the plan is made of. */
export async function lookAtFiles(folder: string, paths: readonly string[]): Promise<FoundFiles> {
  const found = new Map<string, FoundFile>();
  for (const path of paths) found.set(path, await lookAtFile(folder, path));
  return (path) => found.get(path) ?? { type: "absent" };
}

/** `text` is as it stands: written again it gives the same bytes, byte order mark included. */
export async function lookAtFile(folder: string, path: string): Promise<FoundFile> {
  const at = await locate(join(folder, path));
  if (at.type === "unusable") return at;
  if (!isInside(folder, at.path)) return { type: "unusable", why: `it leads out of the project, to ${at.path}` };
  if (at.type === "absent") return at;
  if (at.kind === "folder") return { type: "folder" };
  const read = await readFile(at.path, bounds.instructionFileBytesMax);
  if (read.type === "failed") return { type: "unusable", why: read.why };
  if (read.more) return { type: "unusable", why: `it holds more than ${bounds.instructionFileBytesMax} bytes` };
  const text = textIn(read.bytes);
  if (text === null) return { type: "unusable", why: "it is no UTF-8 text" };
  const locked = await isProtected(at.path);
  return locked === null ? { type: "text", place: at.path, text } : { type: "unusable", why: locked };
}

function textIn(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Bytes that are no UTF-8: the caller says so.
    return null;
  }
}

/** A file nobody may write is meant to stay, also where we may do anything. */
async function isProtected(path: string): Promise<string | null> {
  try {
    return ((await lstat(path)).mode & 0o222) === 0 ? "it is write-protected" : null;
  } catch (error) {
    return explain(error);
  }
}
