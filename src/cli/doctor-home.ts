import { constants } from "node:fs";
import { access, lstat, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Check, failed, ok, warn } from "./doctor-check.ts";

/** The home: whether sessions can be kept in it, and whether anybody else can read them. Nothing is written. */
export async function homeChecks(root: string): Promise<readonly Check[]> {
  const found = await stat(root).catch(() => null);
  if (found === null) return [await absent(root)];
  if (!found.isDirectory()) return [failed("home", `${root} is no folder`, "move it away, or set VARVE_HOME")];
  const writable = await access(root, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!writable) return [failed("home", `${root} cannot be written`, "give yourself the right, or set VARVE_HOME")];
  return [ok("home", root), await modes(root)];
}

async function absent(root: string): Promise<Check> {
  const parent = dirname(root);
  if ((await stat(parent).catch(() => null)) === null && dirname(parent) !== parent) return await absent(parent);
  const writable = await access(parent, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (writable) return ok("home", `${root} is not there yet; the first session makes it`);
  return failed("home", `${root} cannot be made`, `it lies in ${parent}, which you cannot write; set VARVE_HOME`);
}

const looked = { filesMax: 20_000, depthMax: 8 } as const;

async function modes(root: string): Promise<Check> {
  if (process.platform === "win32") return ok("modes", "not looked at on this system");
  const open: string[] = [];
  const seen = { files: 0 };
  await walk(root, 0, seen, open);
  const [first] = open;
  if (first !== undefined)
    return warn(
      "modes",
      `others may look into ${open.length} files or folders, such as ${first}`,
      `chmod -R go-rwx '${root}'`,
    );
  return ok("modes", "nobody else can read what lies in it");
}

/** Links are somebody's own doing and lead elsewhere; a folder that went away meanwhile has nothing open. */
async function walk(path: string, depth: number, seen: { files: number }, open: string[]): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found === null || found.isSymbolicLink() || seen.files >= looked.filesMax) return;
  seen.files += 1;
  if ((found.mode & 0o077) !== 0) open.push(path);
  // What lies in a folder that is closed to others is closed as well.
  if (!found.isDirectory() || depth >= looked.depthMax || (found.mode & 0o077) === 0) return;
  for (const name of await readdir(path).catch(() => [])) await walk(join(path, name), depth + 1, seen, open);
}
