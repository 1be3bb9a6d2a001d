import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hashOf } from "../kernel/hash.ts";
import type { InitStep } from "../workspace/init-plan.ts";
import { type InitRecord, type RecordedFile, recordText } from "../workspace/init-record.ts";
import { explain } from "./fs-error.ts";
import { locate } from "./fs-locate.ts";
import { writeFile } from "./fs-write.ts";
import { lookAtFile } from "./init-files.ts";
import { backupsIn, recordName, undoRecord } from "./init-undo.ts";
import { makeFolder } from "./store-folder.ts";

export type WriteStep = Extract<InitStep, { readonly type: "write" }>;

export type InitWritten =
  /** `backup`: the folder with what was there, and the record. */
  | { readonly type: "written"; readonly backup: string }
  /** Everything is as it was, but for what `left` names. */
  | { readonly type: "failed"; readonly why: string; readonly left: readonly string[] };

/** Copies and record first, then the files one by one, each whole at any moment. What fails takes back the ones before it. */
export async function writeInit(
  place: { readonly folder: string; readonly home: string; readonly now: Date },
  steps: readonly WriteStep[],
): Promise<InitWritten> {
  const at = place.now.toISOString();
  const backup = join(backupsIn(place.home), `${at.replaceAll(/[:.]/g, "-")}-${randomBytes(3).toString("hex")}`);
  try {
    const files: RecordedFile[] = [];
    for (const [index, step] of steps.entries()) files.push(await recorded(place.folder, step, String(index)));
    await keep(backup, { version: 1, folder: place.folder, at, files }, steps);
  } catch (error) {
    return { type: "failed", why: `no backup can be kept in ${backup}: ${explain(error)}`, left: [] };
  }
  for (const step of steps) {
    const why = await written(place.folder, step);
    if (why === null) continue;
    const undone = await undoRecord(backup);
    const left = undone.type === "undone" ? undone.left.map(({ path }) => path) : steps.map(({ path }) => path);
    return { type: "failed", why: `${step.path}: ${why}`, left };
  }
  return { type: "written", backup };
}

async function recorded(folder: string, { path, before, after }: WriteStep, name: string): Promise<RecordedFile> {
  const folders: string[] = [];
  for (let at = dirname(path); at !== "."; at = dirname(at)) {
    if ((await locate(join(folder, at))).type === "absent") folders.push(at);
  }
  const isNew = before === null;
  return { path, copy: isNew ? null : name, after: hashOf(after), before: isNew ? null : hashOf(before), folders };
}

async function keep(backup: string, record: InitRecord, steps: readonly WriteStep[]): Promise<void> {
  await makeFolder(dirname(backup));
  await mkdir(backup, { mode: 0o700 });
  for (const [index, { before }] of steps.entries()) {
    if (before !== null) await put(join(backup, String(index)), before);
  }
  await put(join(backup, recordName), recordText(record));
}

async function put(path: string, text: string): Promise<void> {
  const at = await locate(path);
  const done = at.type === "unusable" ? at : await writeFile(at.path, new TextEncoder().encode(text));
  if (done.type !== "written") throw new Error(done.why);
}

/** null: it is done. The file is looked at again: whoever wrote to it since the plan was shown is not overwritten. */
async function written(folder: string, { path, before, after }: WriteStep): Promise<string | null> {
  const now = await lookAtFile(folder, path);
  if (now.type === "unusable") return now.why;
  const text = now.type === "text" ? now.text : null;
  if (now.type === "folder" || text !== before) return "it has just been changed by somebody else";
  const at = await locate(join(folder, path));
  if (at.type === "unusable") return at.why;
  const done = await writeFile(at.path, new TextEncoder().encode(after));
  return done.type === "written" ? null : done.why;
}
