import { rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import { type InitRecord, parseRecord, type RecordedFile } from "../workspace/init-record.ts";
import { isInside } from "../workspace/path.ts";
import { codeOf, explain } from "./fs-error.ts";
import { locate } from "./fs-locate.ts";
import { readFile } from "./fs-read.ts";
import { writeFile } from "./fs-write.ts";
import { namesIn } from "./store-folder.ts";

export type InitUndone =
  | { readonly type: "none" }
  | {
      readonly type: "undone";
      readonly at: string;
      /** Brought back, and taken away again. */
      readonly restored: readonly string[];
      readonly removed: readonly string[];
      /** Changed since, or not to be written: each is as it is now. */
      readonly left: readonly LeftFile[];
    };

type LeftFile = { readonly path: string; readonly why: string };

export const recordName = "record.json";
const doneName = "undone";

export function backupsIn(home: string): string {
  return join(home, "backups");
}

/** Takes back the newest `varve init` of a folder that was not taken back yet. */
export async function undoInit(place: { readonly folder: string; readonly home: string }): Promise<InitUndone> {
  const names = (await namesIn(backupsIn(place.home))).toSorted().toReversed();
  for (const name of names.slice(0, bounds.initBackupsMax)) {
    const backup = join(backupsIn(place.home), name);
    const record = await recordIn(backup);
    if (record?.folder !== place.folder || (await locate(join(backup, doneName))).type === "found") continue;
    return await undoRecord(backup);
  }
  return { type: "none" };
}

/** What was changed since stays; all that is as it was written goes back to what it was. */
export async function undoRecord(backup: string): Promise<InitUndone> {
  const record = await recordIn(backup);
  if (record === null) return { type: "none" };
  const [restored, removed, left]: [string[], string[], LeftFile[]] = [[], [], []];
  for (const file of record.files.toReversed()) {
    const why = await takenBack(record.folder, backup, file);
    if (why !== null) left.push({ path: file.path, why });
    else (file.copy === null ? removed : restored).push(file.path);
  }
  if (left.length === 0) await writeFile(join(backup, doneName), new Uint8Array());
  return { type: "undone", at: record.at, restored, removed, left };
}

async function recordIn(backup: string): Promise<InitRecord | null> {
  const at = await locate(join(backup, recordName));
  if (at.type !== "found") return null;
  const read = await readFile(at.path, bounds.instructionFileBytesMax);
  return read.type === "read" ? parseRecord(new TextDecoder().decode(read.bytes)) : null;
}

/** null: it is as it was before. */
async function takenBack(folder: string, backup: string, file: RecordedFile): Promise<string | null> {
  const at = await locate(join(folder, file.path));
  if (at.type === "unusable") return at.why;
  if (!isInside(folder, at.path)) return `it leads out of the project now, to ${at.path}`;
  if (at.type === "absent" && file.copy === null) return null;
  const now = at.type === "found" ? await readFile(at.path, bounds.instructionFileBytesMax) : null;
  if (now?.type === "failed") return now.why;
  const hash = now === null ? null : hashOf(now.bytes);
  if (hash === file.before) return null;
  const copy = file.copy === null ? null : join(backup, file.copy);
  if (hash !== file.after || now?.more === true)
    return `it was changed since${copy === null ? "" : `; what it was before is in ${copy}`}`;
  return copy === null ? await removed(folder, at.path, file) : await restored(at.path, copy, file);
}

async function restored(path: string, copy: string, file: RecordedFile): Promise<string | null> {
  const at = await locate(copy);
  const kept = at.type === "found" ? await readFile(at.path, bounds.instructionFileBytesMax) : null;
  if (kept?.type !== "read" || hashOf(kept.bytes) !== file.before) return `its copy ${copy} is gone or damaged`;
  const done = await writeFile(path, kept.bytes);
  return done.type === "written" ? null : done.why;
}

/** With the folders that were made for it, where nothing else lies in them. */
async function removed(folder: string, path: string, { folders }: RecordedFile): Promise<string | null> {
  try {
    await unlink(path);
    for (const name of folders) await rmdir(join(folder, name));
    return null;
  } catch (error) {
    return ["ENOTEMPTY", "EEXIST", "ENOENT"].includes(codeOf(error)) ? null : explain(error);
  }
}
