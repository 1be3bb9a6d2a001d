import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import {
  firstLine,
  holds,
  type MemoryType,
  memoryName,
  newMemoryText,
  topicFile,
  topicOf,
  withParagraph,
} from "../memory/memory-file.ts";
import { locked } from "./file-lock.ts";
import { codeOf, explain } from "./fs-error.ts";
import { locate } from "./fs-locate.ts";
import { writeFile } from "./fs-write.ts";
import type { MemoryPlace } from "./memory-places.ts";
import { indexName, textOf } from "./memory-read.ts";
import { makeFolder } from "./store-folder.ts";

/** What is put into a memory folder: `text` is checked. */
export type NewMemory = { readonly text: string; readonly topic: string | null; readonly type: MemoryType | null };

export type Written =
  /** `isNew`: it was not there already. */
  | { readonly type: "written"; readonly name: string; readonly path: string; readonly isNew: boolean }
  | { readonly type: "refused"; readonly why: string };

/** Into the file of its topic, a new one or one more paragraph; each file is whole at any moment, whoever writes beside. */
export async function writeMemory(place: MemoryPlace, memory: NewMemory): Promise<Written> {
  return await inFolder(place, async (folder) => {
    const file = topicFile(memory.topic ?? topicOf(memory.text)) || "notes.md";
    const path = join(folder, file);
    const name = memoryName({ scope: place.scope, file });
    const before = await there(path);
    if (before !== null && before.type === "unread") return refused(`${path}: ${before.why}`);
    if (before?.isCut === true) return refused(full(name));
    if (before !== null && holds(before.text, memory.text)) return { type: "written", name, path, isNew: false };
    const text = before === null ? newText(file, memory) : withParagraph(before.text, memory.text);
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > bounds.memoryBytesMax) return refused(full(name));
    if (before === null && (await countIn(folder)) >= bounds.memoryFilesMax)
      return refused(`${folder} holds ${bounds.memoryFilesMax} memories, and that is the most there may be`);
    const written = await writeFile(path, bytes);
    if (written.type === "failed") return refused(`${path} cannot be written: ${written.why}`);
    if (before === null) await addToIndex(folder, file, memory);
    return { type: "written", name, path, isNew: true };
  });
}

/** The file goes, and with it the lines of the index that lead to it. */
export async function removeMemory(place: MemoryPlace, file: string): Promise<Written> {
  return await inFolder(place, async (folder) => {
    const path = join(folder, file);
    try {
      await unlink(path);
    } catch (error) {
      return refused(`${path} cannot be removed: ${explain(error)}`);
    }
    await removeFromIndex(folder, file);
    return { type: "written", name: memoryName({ scope: place.scope, file }), path, isNew: false };
  });
}

/** Where the folder really is, made where it is missing, while nobody else writes in it. */
export async function inFolder({ folder }: MemoryPlace, work: (located: string) => Promise<Written>): Promise<Written> {
  try {
    await makeFolder(folder);
    const found = await locate(folder);
    if (found.type !== "found" || found.kind !== "folder") return refused(`${folder} is no folder`);
    const place = { prefix: join(found.path, ".lock."), procRoot: "/proc", now: Date.now };
    const held = await locked(place, { work: "another writer", place: folder }, () => work(found.path));
    return held.type === "done" ? held.value : held;
  } catch (error) {
    return refused(`${folder} cannot be written: ${explain(error)}`);
  }
}

function newText(file: string, { text, topic, type }: NewMemory): string {
  const name = (topic ?? "").trim() === "" ? file.replace(/\.md$/, "") : (topic ?? "").trim();
  return newMemoryText({ name, description: firstLine(text), type, body: text });
}

async function there(path: string) {
  return (await locate(path)).type === "absent" ? null : await textOf(path, bounds.memoryBytesMax);
}

async function countIn(folder: string): Promise<number> {
  return (await readdir(folder)).filter((name) => /\.md$/i.test(name) && name !== indexName).length;
}

/** A convenience for readers of the folder: what the model is shown names each file, whether it stands here or not. */
async function addToIndex(folder: string, file: string, { text, topic }: NewMemory): Promise<void> {
  const title = (topic ?? "").trim() || file.replace(/\.md$/, "");
  const line = `- [${title.replaceAll(/[[\]\n]/g, " ")}](${file}): ${firstLine(text)}`;
  await changeIndex(folder, (index) => (index.includes(`(${file})`) ? index : `${ended(index)}${line}\n`));
}

async function removeFromIndex(folder: string, file: string): Promise<void> {
  await changeIndex(folder, (index) => {
    const lines = index.split("\n");
    return lines.filter((line) => !line.includes(`(${file})`)).join("\n");
  });
}

/** One that is no whole text of ours to change (a folder, a link, too large) stays as it is. */
async function changeIndex(folder: string, change: (index: string) => string): Promise<void> {
  const path = join(folder, indexName);
  const before = await there(path);
  if (before !== null && (before.type === "unread" || before.isCut)) return;
  const [old, text] = [before?.text ?? "", change(before?.text ?? "")];
  if (text !== old) await writeFile(path, new TextEncoder().encode(text));
}

function ended(index: string): string {
  if (index === "") return "# Memory\n\n";
  return index.endsWith("\n") ? index : `${index}\n`;
}

function full(name: string): string {
  return `${name} has no room for more (${bounds.memoryBytesMax / 1024} KiB): name another topic`;
}

export function refused(why: string): Extract<Written, { readonly type: "refused" }> {
  return { type: "refused", why };
}

export async function unlinkIfThere(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
}
