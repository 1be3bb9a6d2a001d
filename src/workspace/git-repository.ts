import { bounds } from "../kernel/bounds.ts";
import type { Fs } from "../ports/fs.ts";
import { doubtfulSetting } from "./git-settings.ts";
import { absolutePath } from "./path.ts";

type Look = Pick<Fs, "locate" | "read">;

/**
 * Why git must not run unasked in a folder: what lies there, perhaps unpacked from a stranger's archive, could start
 * programs even from `git status`. null: it cannot, or there is no repository. Looked for as git itself does, from the
 * folder upwards; anything that git may read in more than one way is a reason.
 */
export async function gitDoubt(cwd: string, fs: Look): Promise<string | null> {
  const start = await fs.locate(absolutePath("/", cwd));
  if (start.type !== "found") return `${cwd} cannot be looked at`;
  // From where the folder really is: above a link's name may stand another repository than above its target.
  for (let folder = start.path; ; folder = absolutePath(folder, "..")) {
    // Plain files of the workspace would be its settings: only `.git` is guarded against routine edits.
    if (await exists(`${folder}/HEAD`, fs)) return `${folder} may itself be taken for a repository`;
    const gitFolder = await gitFolderOf(folder, fs);
    if (gitFolder.type === "doubt") return gitFolder.why;
    if (gitFolder.type === "found") return await doubtOf(gitFolder.path, fs);
    if (folder === "/") return null;
  }
}

type GitFolder =
  | { readonly type: "found"; readonly path: string }
  | { readonly type: "none" }
  | { readonly type: "doubt"; readonly why: string };

/** `.git` itself, or where a linked work tree's `.git` file leads. A folder without `HEAD` is none, and git looks further up. */
async function gitFolderOf(folder: string, fs: Look): Promise<GitFolder> {
  const located = await fs.locate(`${folder}/.git`);
  if (located.type === "absent") return { type: "none" };
  if (located.type === "unusable") return { type: "doubt", why: `${folder}/.git cannot be looked at: ${located.why}` };
  if (located.kind === "folder") {
    const head = await exists(`${located.path}/HEAD`, fs);
    return head ? { type: "found", path: located.path } : { type: "none" };
  }
  const target = /^gitdir: ([^\n\r]+)\n?$/.exec((await textOf(located.path, fs)) ?? "")?.[1];
  if (target === undefined) return { type: "doubt", why: `${folder}/.git is no folder and leads nowhere known` };
  const led = await fs.locate(absolutePath(folder, target));
  if (led.type !== "found" || led.kind !== "folder")
    return { type: "doubt", why: `${folder}/.git leads to no folder: ${target}` };
  return { type: "found", path: led.path };
}

async function doubtOf(gitFolder: string, fs: Look): Promise<string | null> {
  const common = await commonFolderOf(gitFolder, fs);
  if (common === null) return `${gitFolder}/commondir cannot be followed`;
  for (const path of [`${common}/config`, `${gitFolder}/config.worktree`]) {
    const config = await textOf(path, fs);
    if (config === null) return `${path} cannot be read as settings`;
    const setting = doubtfulSetting(config);
    if (setting !== null) return `the repository's own setting ${setting.slice(0, 80)} may start a program (${path})`;
  }
  for (const path of [`${common}/hooks/post-index-change`, `${common}/modules`, `${gitFolder}/modules`])
    if (await exists(path, fs)) return `${path} can start programs`;
  return await indexDoubt(`${gitFolder}/index`, fs);
}

async function commonFolderOf(gitFolder: string, fs: Look): Promise<string | null> {
  if (!(await exists(`${gitFolder}/commondir`, fs))) return gitFolder;
  const target = /^([^\n\r]+)\n?$/.exec((await textOf(`${gitFolder}/commondir`, fs)) ?? "")?.[1];
  const located = target === undefined ? null : await fs.locate(absolutePath(gitFolder, target));
  return located?.type === "found" && located.kind === "folder" ? located.path : null;
}

/**
 * git looks into submodules with their own settings. Entries of them are found by their mode (0160000) anywhere in the
 * index, and an index that goes on in another file by its mark: at worst a question too many.
 */
async function indexDoubt(path: string, fs: Look): Promise<string | null> {
  const located = await fs.locate(path);
  if (located.type === "absent") return null;
  if (located.type === "unusable") return `${path} cannot be looked at: ${located.why}`;
  const read = await fs.read(located.path, bounds.gitIndexBytesMax);
  if (read.type === "failed" || read.more) return `${path} cannot be looked through`;
  const bytes = read.bytes;
  const isSplit = holds(bytes, [0x6c, 0x69, 0x6e, 0x6b, 0, 0]);
  if (isSplit) return `${path} may go on in another file`;
  return holds(bytes, [0, 0, 0xe0, 0]) ? "the repository has submodules, whose own settings count as well" : null;
}

function holds(bytes: Uint8Array, wanted: readonly [number, ...(readonly number[])]): boolean {
  for (let at = bytes.indexOf(wanted[0]); at >= 0; at = bytes.indexOf(wanted[0], at + 1))
    if (wanted.every((byte, offset) => bytes[at + offset] === byte)) return true;
  return false;
}

async function exists(path: string, fs: Look): Promise<boolean> {
  return (await fs.locate(path)).type !== "absent";
}

/** The text of a small file; empty when there is none, null when it cannot be read whole. */
async function textOf(path: string, fs: Look): Promise<string | null> {
  const located = await fs.locate(path);
  if (located.type === "absent") return "";
  if (located.type === "unusable") return null;
  const read = await fs.read(located.path, bounds.gitConfigBytesMax);
  if (read.type === "failed" || read.more) return null;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(read.bytes);
}
