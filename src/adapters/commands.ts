import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import { decodeText } from "../tools/encoding.ts";
import { type CommandPlace, type CommandRead, parseCommandFile } from "../workspace/command-file.ts";
import { isInside } from "../workspace/path.ts";
import { codeOf, explain } from "./fs-error.ts";
import { locate } from "./fs-locate.ts";
import { readFile } from "./fs-read.ts";
import { foldersUp, repositoryRoot } from "./repository.ts";

/** Where commands are looked for: the project's folders from its root down to `cwd`, and the user's own. */
export type CommandFolders = {
  readonly cwd: string;
  /** The user's home folder; null: nothing of the user's own is looked at. */
  readonly user: string | null;
  /** Holds sessions and projects (`~/.varve`). */
  readonly home: string;
};

/** `root`: links do not lead out of it; null: wherever they lead. */
type FoundCommand = CommandPlace & { readonly root: string | null };

/** Of one name the nearest. `notes`: what the user should know. */
export type CommandsFound = { readonly commands: readonly FoundCommand[]; readonly notes: readonly string[] };

/** Names of files alone: nothing in them is read. Never fails: what cannot be looked at is a note. */
export async function findCommands({ cwd, user, home }: CommandFolders): Promise<CommandsFound> {
  const folders = foldersUp(cwd, await repositoryRoot(cwd));
  const root = await realPath(folders.at(-1) ?? cwd);
  const limits = { left: bounds.commandFilesMax, namesLeft: bounds.commandNamesMax };
  const look: Look = { found: new Map(), folders: new Set(), notes: [], ...limits };
  const own = user === null ? [] : [join(home, "commands"), join(user, ".claude", "commands")];
  const inProject = folders.flatMap((folder) => [".varve", ".claude"].map((name) => join(folder, name, "commands")));
  for (const folder of inProject.filter((one) => !own.includes(one)))
    await lookIn(folder, { scope: "project", root, names: [] }, look);
  // A project with a flood of them does not hide the user's.
  Object.assign(look, limits);
  for (const folder of own) await lookIn(folder, { scope: "user", root: null, names: [] }, look);
  return { commands: [...look.found.values()], notes: look.notes };
}

export async function readCommand(place: FoundCommand): Promise<CommandRead> {
  const bad = (why: string): CommandRead => ({ type: "bad", why: [`${place.file}: ${why}`] });
  const found = await locate(place.file);
  if (found.type !== "found") return bad(found.type === "absent" ? "it is there no more" : found.why);
  // It may lead elsewhere by now than when it was listed.
  if (!isOpen(found.path, place)) return bad(`it leads out of the project, to ${found.path}`);
  const read = await readFile(found.path, bounds.commandFileBytesMax);
  if (read.type === "failed") return bad(read.why);
  if (read.more) return bad(`it is larger than ${bounds.commandFileBytesMax / 1024} KiB`);
  const decoded = decodeText(read.bytes);
  return decoded.type === "binary" ? bad(`it is no text: ${decoded.why}`) : await parseCommandFile(decoded.text, place);
}

/** All of them, a few at a time: a process may have so many files open and no more. */
export async function readCommands(places: readonly FoundCommand[]): Promise<readonly CommandRead[]> {
  const reads: CommandRead[] = [];
  for (let at = 0; at < places.length; at += atOnce)
    reads.push(...(await Promise.all(places.slice(at, at + atOnce).map(readCommand))));
  return reads;
}

const atOnce = 32;

/** `folders`: looked into already, so that no link leads in a circle. */
type Look = {
  readonly found: Map<string, FoundCommand>;
  readonly folders: Set<string>;
  readonly notes: string[];
  left: number;
  namesLeft: number;
};
type Where = Pick<FoundCommand, "scope" | "root"> & { readonly names: readonly string[] };

async function lookIn(folder: string, where: Where, look: Look): Promise<void> {
  const real = await realPath(folder);
  if (look.folders.has(real)) return;
  look.folders.add(real);
  const entries = await namesIn(folder, look);
  for (const name of entries) {
    if (!name.endsWith(".md") && !isStep(name)) continue;
    if (look.namesLeft <= 0) return;
    look.namesLeft -= 1;
    if (look.namesLeft === 0) look.notes.push(`more than ${bounds.commandNamesMax} names: the rest is not looked at`);
    const path = join(folder, name);
    const found = await locate(path);
    if (found.type !== "found") continue;
    if (found.kind === "folder" && where.names.length < bounds.commandDepthMax && isStep(name)) {
      if (isOpen(found.path, where)) await lookIn(path, { ...where, names: [...where.names, name] }, look);
      else look.notes.push(`${path} leads out of the project, to ${found.path}: not looked into`);
    } else if (found.kind === "file" && name.endsWith(".md")) {
      if (look.left <= 0) return;
      look.left -= 1;
      if (look.left === 0) look.notes.push(`more than ${bounds.commandFilesMax} command files: the rest is not known`);
      take(path, found.path, where, look);
    }
  }
}

function take(file: string, located: string, where: Where, { found, notes }: Look): void {
  const own = file.slice(file.lastIndexOf("/") + 1, -".md".length);
  const name = [...where.names, own].join(":");
  const before = found.get(name);
  if (!isStep(own)) notes.push(`${file}: a command's name is made of letters, digits, - and _`);
  else if (!isOpen(located, where)) notes.push(`${file} leads out of the project, to ${located}: not read`);
  else if (before !== undefined) notes.push(`/${name} is ${before.file}; ${file} is hidden by it`);
  else found.set(name, { file, name, scope: where.scope, root: where.root });
}

function isStep(name: string): boolean {
  return /^[\p{L}\p{N}_-]+$/u.test(name);
}

function isOpen(located: string, { root }: Pick<Where, "root">): boolean {
  return root === null || isInside(root, located);
}

/** In code-unit order, so that what is found first does not depend on the disk. */
async function namesIn(folder: string, { notes }: Look): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") notes.push(`${folder}: ${explain(error)}`);
    return [];
  }
}

async function realPath(path: string): Promise<string> {
  const found = await locate(path);
  return found.type === "found" ? found.path : path;
}
