import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, type FileHandle, lstat, mkdir, open, rename, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { FileWritten } from "../ports/fs.ts";
import { codeOf, explain } from "./fs-error.ts";
import { kindOf } from "./fs-locate.ts";
import { moved, openedPath } from "./fs-read.ts";

/** A new file beside the old one, then a rename: readers see the old bytes or the new ones, never a part. */
export async function writeFile(path: string, bytes: Uint8Array): Promise<FileWritten> {
  try {
    const folder = await openFolder(dirname(path));
    try {
      if ((await openedPath(folder, dirname(path))) !== dirname(path)) return { type: "failed", why: moved };
      return await replace(await anchorOf(folder, dirname(path)), basename(path), bytes);
    } finally {
      await folder.close();
    }
  } catch (error) {
    return { type: "failed", why: explain(error) };
  }
}

async function openFolder(path: string): Promise<FileHandle> {
  await makeFolder(path);
  return open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/** Missing parents one by one, through the open folder above each, so that none is made behind a link. */
async function makeFolder(path: string): Promise<void> {
  if (path === dirname(path) || (await statOrNull(path)) !== null) return;
  const above = await openFolder(dirname(path));
  try {
    if ((await openedPath(above, dirname(path))) !== dirname(path)) throw new Error(moved);
    await mkdir(`${await anchorOf(above, dirname(path))}/${basename(path)}`);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    await above.close();
  }
}

/** A name for the open folder itself: what is swapped on its path from here on does not matter (Linux). */
async function anchorOf(folder: FileHandle, path: string): Promise<string> {
  const anchor = `/proc/self/fd/${folder.fd}`;
  return (await statOrNull(anchor)) === null ? path : anchor;
}

async function replace(folder: string, name: string, bytes: Uint8Array): Promise<FileWritten> {
  const target = `${folder}/${name}`;
  const old = await statOrNull(target);
  if (old !== null) {
    if (!old.isFile()) return { type: "failed", why: `it is not a regular file but a ${kindOf(old)}` };
    // A rename would replace a write-protected file without asking it.
    await access(target, constants.W_OK);
  }
  const temporary = `${folder}/.${name.slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeNew(temporary, bytes, old);
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch((reason: unknown) => {
      if (codeOf(reason) !== "ENOENT") throw reason;
    });
    throw error;
  }
  return { type: "written" };
}

async function writeNew(path: string, bytes: Uint8Array, old: Stats | null): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(path, flags, old === null ? 0o666 : old.mode & 0o777);
  try {
    await file.writeFile(bytes);
    if (old !== null) await keepOwnerAndMode(file, old);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The owner first: changing it clears set-user bits. Only root may give files away; others keep their own. */
async function keepOwnerAndMode(file: FileHandle, old: Stats): Promise<void> {
  const own = await file.stat();
  if (own.uid !== old.uid || own.gid !== old.gid) {
    await file.chown(old.uid, old.gid).catch((error: unknown) => {
      if (codeOf(error) !== "EPERM") throw error;
    });
  }
  await file.chmod(old.mode & 0o7777);
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}
