import type { BigIntStats } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import { parseMemory } from "../memory/memory-file.ts";
import type { MemoryFolder } from "../memory/memory-index.ts";
import { decodeText } from "../tools/encoding.ts";
import { codeOf, explain } from "./fs-error.ts";
import { locate } from "./fs-locate.ts";
import { readFile } from "./fs-read.ts";
import type { MemoryPlace } from "./memory-places.ts";

/** Memory folders as they stand now; `notes`: what in them is not read, or not all of it. */
export type MemoryLook = { readonly folders: readonly MemoryFolder[]; readonly notes: readonly string[] };

export const indexName = "MEMORY.md";

/** Looks at folders again and again: a file that has not changed since is not read again. */
export function memoryReader(): (places: readonly MemoryPlace[]) => Promise<MemoryLook> {
  const kept: Kept = new Map();
  return async (places) => {
    const looks = await Promise.all(places.map((place) => lookedAt(place, kept).catch(unreadable(place))));
    if (kept.size > keptMax) kept.clear();
    return { folders: looks.flatMap(({ folders }) => folders), notes: looks.flatMap(({ notes }) => notes) };
  };
}

type Kept = Map<string, { readonly stamp: string; readonly file: FileRead }>;
const keptMax = 4 * bounds.memoryFilesMax;

/** One folder's fault costs the others nothing. */
function unreadable({ folder }: MemoryPlace): (error: unknown) => MemoryLook {
  return (error) => ({ folders: [], notes: [`${folder} cannot be read: ${explain(error)}`] });
}

async function lookedAt({ scope, folder }: MemoryPlace, kept: Kept): Promise<MemoryLook> {
  const found = await locate(folder);
  if (found.type === "absent") return nothing;
  if (found.type === "unusable") return { folders: [], notes: [`${folder} cannot be read: ${found.why}`] };
  if (found.kind !== "folder") return { folders: [], notes: [`${folder} cannot be read: it is no folder`] };
  const named = await namesIn(found.path);
  if (typeof named === "string") return { folders: [], notes: [`${folder} cannot be read: ${named}`] };
  const topics = await Promise.all(named.names.filter((name) => name !== indexName).map(statOf(found.path)));
  const files = topics.filter((one) => one !== null).sort((a, b) => Number(b.stats.mtimeNs - a.stats.mtimeNs));
  const read: FileRead[] = [];
  for (let at = 0; at < Math.min(files.length, bounds.memoryFilesMax); at += atOnce) {
    const some = files.slice(at, Math.min(at + atOnce, bounds.memoryFilesMax));
    read.push(...(await Promise.all(some.map((file) => memoryIn(file, scope, kept)))));
  }
  const index = named.names.includes(indexName) ? await indexIn(found.path) : { text: null, notes: [] };
  const isMore = named.isMore || files.length > bounds.memoryFilesMax;
  const more = `${folder} holds more than ${bounds.memoryFilesMax} memories: the newest ${bounds.memoryFilesMax} are looked at`;
  const memories = read.flatMap(({ memory }) => (memory === null ? [] : [memory]));
  return {
    folders: [{ scope, folder, index: index.text, files: memories.sort((a, b) => (a.file < b.file ? -1 : 1)) }],
    notes: [...(isMore ? [more] : []), ...index.notes, ...read.flatMap(({ notes }) => notes)],
  };
}

const nothing: MemoryLook = { folders: [], notes: [] };
const atOnce = 32;

type Names = { readonly names: readonly string[]; readonly isMore: boolean };

/** Names of memories, one name at a time: a folder with millions of others is not read to its end. A text: why there are none. */
async function namesIn(folder: string): Promise<Names | string> {
  const names: string[] = [];
  let looked = 0;
  try {
    for await (const { name } of await opendir(folder)) {
      looked += 1;
      if (looked > bounds.memoryNamesMax) return { names, isMore: true };
      if (/\.md$/i.test(name) && !name.startsWith(".")) names.push(name);
    }
  } catch (error) {
    return explain(error);
  }
  return { names, isMore: false };
}

type Stated = { readonly name: string; readonly path: string; readonly stats: BigIntStats };

function statOf(folder: string): (name: string) => Promise<Stated | null> {
  return async (name) => {
    const path = join(folder, name);
    try {
      return { name, path, stats: await lstat(path, { bigint: true }) };
    } catch (error) {
      // Removed since it was named.
      if (codeOf(error) === "ENOENT") return null;
      throw error;
    }
  };
}

type FileRead = {
  readonly memory: MemoryFolder["files"][number] | null;
  readonly notes: readonly string[];
};

async function memoryIn({ name, path, stats }: Stated, scope: MemoryPlace["scope"], kept: Kept): Promise<FileRead> {
  const stamp = [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs, stats.mode].join(" ");
  const before = kept.get(path);
  if (before?.stamp === stamp) return before.file;
  const file = await readNow(path, name, scope, Number(stats.mtimeMs));
  // Clocks of file systems are coarse: what was written just now may be written again without a sign of it.
  if (Date.now() - Number(stats.mtimeMs) > settledMs) kept.set(path, { stamp, file });
  return file;
}

const settledMs = 100;

async function readNow(path: string, file: string, scope: MemoryPlace["scope"], writtenMs: number): Promise<FileRead> {
  const read = await textOf(path, bounds.memoryBytesMax);
  if (read.type === "unread") return { memory: null, notes: [`${path} is left out: ${read.why}`] };
  if (read.text.trim() === "") return { memory: null, notes: [] };
  const { memory, note } = await parseMemory(read.text, { scope, file, path, isCut: read.isCut, writtenMs });
  const long = `${path} is longer than ${bounds.memoryBytesMax / 1024} KiB: its beginning is read`;
  return { memory, notes: [...(note === null ? [] : [note]), ...(read.isCut ? [long] : [])] };
}

async function indexIn(folder: string): Promise<{ readonly text: string | null; readonly notes: readonly string[] }> {
  const path = join(folder, indexName);
  const read = await textOf(path, bounds.memoryBytesMax);
  if (read.type === "unread") return { text: null, notes: [`${path} is left out: ${read.why}`] };
  return { text: read.text, notes: [] };
}

export type TextRead =
  | { readonly type: "text"; readonly text: string; readonly isCut: boolean }
  | { readonly type: "unread"; readonly why: string };

/** A file's text, whole lines of it where it is longer. A link is not followed: a memory folder holds its own files. */
export async function textOf(path: string, bytesMax: number): Promise<TextRead> {
  const isLink = await lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
  if (isLink) return { type: "unread", why: "it is a link" };
  const read = await readFile(path, bytesMax);
  if (read.type === "failed") return { type: "unread", why: read.why };
  const bytes = read.more ? read.bytes.subarray(0, read.bytes.lastIndexOf(0x0a) + 1 || read.bytes.length) : read.bytes;
  const decoded = decodeText(bytes);
  if (decoded.type === "binary") return { type: "unread", why: `it is no text: ${decoded.why}` };
  return { type: "text", text: decoded.text, isCut: read.more };
}
