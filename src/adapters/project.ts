import { randomBytes } from "node:crypto";
import { link, readFile, realpath, rename, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isRecord } from "../kernel/canonical.ts";
import { hashOf } from "../kernel/hash.ts";
import { brand, type ProjectId } from "../kernel/ids.ts";
import { parseJson } from "../kernel/json.ts";
import { codeOf, faultText } from "./store-fault.ts";
import { writeWhole } from "./store-file-blobs.ts";
import { isName } from "./store-file-path.ts";
import { makeFolder } from "./store-folder.ts";

/**
 * Which project a folder belongs to. `place` is the file that holds its id: in git's common directory, so that all
 * worktrees share it and a clone is another project; outside git in the folder itself. `note` is for the user, or null.
 */
export type ProjectFound =
  | {
      readonly type: "known" | "new";
      readonly project: ProjectId;
      readonly place: string;
      readonly note: string | null;
    }
  /** The same id stands at `first`, which still exists: ask which it is, and hand the answer to `answerCopied`. */
  | {
      readonly type: "copied";
      readonly project: ProjectId;
      readonly place: string;
      readonly first: string;
      readonly note: string;
    }
  /** The id could not be kept: it is made from the path, so a moved folder is another project. */
  | { readonly type: "unkept"; readonly project: ProjectId; readonly place: string; readonly note: string };

/** `root` is where the stores are; it remembers at which places each project was seen. Never throws for what it finds. */
export async function projectOf(at: { readonly root: string; readonly cwd: string }): Promise<ProjectFound> {
  const folder = await realpath(at.cwd);
  const place = await placeOf(folder);
  const kept = await idIn(place);
  if (kept === null) return begin(at.root, place);
  const places = await placesOf(at.root, kept);
  if (await isAmong(places, place)) return { type: "known", project: kept, place, note: null };
  for (const first of places) {
    if ((await idIn(first)) !== kept) continue;
    const note = `${ownerOf(place)} is a copy of ${ownerOf(first)}: both are taken for one project; to part them, remove ${place}`;
    return { type: "copied", project: kept, place, first, note };
  }
  // Seen nowhere else that still exists: the folder was moved, or this machine meets it for the first time.
  return { type: "known", project: kept, place, note: await remember(at.root, kept, [place]) };
}

/** For commands that only look: the id as it is kept, or as it would be made from the path; nothing is written. */
export async function peekProject(cwd: string): Promise<ProjectId> {
  const place = await placeOf(await realpath(cwd));
  return (await idIn(place)) ?? idFromPath(place);
}

/** `same`: both places are one project from now on. `separate`: this place gets an id of its own. */
export async function answerCopied(
  root: string,
  found: Extract<ProjectFound, { readonly type: "copied" }>,
  answer: "same" | "separate",
): Promise<ProjectFound> {
  const { project, place } = found;
  if (answer === "same") {
    const note = await remember(root, project, [...(await placesOf(root, project)), place]);
    return { type: "known", project, place, note };
  }
  return begin(root, place, project);
}

/** Makes an id and keeps it. `instead`: the id that may be overwritten; otherwise whoever was first here has won. */
async function begin(root: string, place: string, instead: ProjectId | null = null): Promise<ProjectFound> {
  const made: ProjectId = brand(randomBytes(8).toString("hex"));
  try {
    const project = await keep(place, made, instead);
    return { type: project === made ? "new" : "known", project, place, note: await remember(root, project, [place]) };
  } catch (error) {
    const project = idFromPath(place);
    const note = `the project's id could not be kept (${faultText(error, place)}); it is made from the folder's path instead`;
    return { type: "unkept", project, place, note };
  }
}

async function keep(place: string, made: ProjectId, instead: ProjectId | null): Promise<ProjectId> {
  await makeFolder(dirname(place));
  const part = `${place}.${made}.part`;
  // Readable for all who may read the repository: an id is no secret, and they share the project.
  await writeFile(part, `${made}\n`, { flag: "wx" });
  try {
    await link(part, place);
    return made;
  } catch (error) {
    const other = codeOf(error) === "EEXIST" ? await idIn(place) : null;
    if (other !== null && other !== instead) return other;
    // The one we replace, junk, or a file system without second names.
    await rename(part, place);
    return made;
  } finally {
    await unlink(part).catch(() => undefined);
  }
}

function idFromPath(place: string): ProjectId {
  return brand(hashOf(place).slice(0, 16));
}

async function idIn(place: string): Promise<ProjectId | null> {
  const text = (await textIn(place))?.trim() ?? "";
  return isName(text) && text.length >= 8 ? brand(text) : null;
}

async function isAmong(places: readonly string[], place: string): Promise<boolean> {
  if (places.includes(place)) return true;
  const here = await stat(place);
  for (const other of places) {
    const there = await stat(other).catch(() => null);
    if (there?.ino === here.ino && there.dev === here.dev) return true;
  }
  return false;
}

async function placesOf(root: string, project: ProjectId): Promise<readonly string[]> {
  const parsed = parseJson((await textIn(recordPath(root, project))) ?? "null");
  if (parsed.type === "bad" || !isRecord(parsed.value) || !Array.isArray(parsed.value.places)) return [];
  return parsed.value.places.filter((place) => typeof place === "string");
}

/** A note where it could not be remembered: only the question about copies depends on it. */
async function remember(root: string, project: ProjectId, places: readonly string[]): Promise<string | null> {
  const path = recordPath(root, project);
  try {
    await writeWhole(path, Buffer.from(`${JSON.stringify({ project, places })}\n`), false);
    return null;
  } catch (error) {
    return `the place of this project could not be remembered: ${error instanceof Error ? error.message : path}`;
  }
}

function recordPath(root: string, project: ProjectId): string {
  return join(root, "projects", `${project}.json`);
}

/** The folder that a place speaks for, as its user knows it. */
function ownerOf(place: string): string {
  return dirname(dirname(place));
}

async function placeOf(folder: string): Promise<string> {
  const common = await gitCommonOf(folder);
  return common === null ? join(folder, ".varve", "project") : join(common, "varve", "project");
}

/** By git's own rules, read from its files: `.git` is a folder, or a file that names one; `commondir` leads on. */
async function gitCommonOf(folder: string): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    for (const candidate of [await namedBy(at), at]) {
      if (candidate !== null && (await isGitFolder(candidate))) return commonOf(candidate);
    }
    if (dirname(at) === at) return null;
  }
}

async function namedBy(folder: string): Promise<string | null> {
  const git = join(folder, ".git");
  const named = /^gitdir: (.+?)\s*$/.exec((await textIn(git)) ?? "")?.[1];
  return named === undefined ? git : resolve(folder, named);
}

/** A worktree's own folder has `commondir` in the place of objects and references. */
async function isGitFolder(folder: string): Promise<boolean> {
  const has = (name: string) =>
    stat(join(folder, name)).then(
      () => true,
      () => false,
    );
  return (await has("HEAD")) && ((await has("commondir")) || ((await has("objects")) && (await has("refs"))));
}

async function commonOf(git: string): Promise<string> {
  const named = (await textIn(join(git, "commondir")))?.trim() ?? "";
  const common = resolve(git, named);
  return realpath(common).catch(() => common);
}

/** null for a file that is not there, is a folder, or is not ours to read. */
async function textIn(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(() => null);
}
