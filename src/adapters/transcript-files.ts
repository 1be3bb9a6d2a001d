import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import { codeOf, explain } from "./fs-error.ts";

/**
 * Where to look. In a folder that somebody named the ending of a name says what may be a transcript; in one where a program
 * is known to keep them, and which may not be there, `accepts` does, by the path below it.
 */
export type TranscriptRoot =
  | { readonly type: "named"; readonly path: string }
  | { readonly type: "usual"; readonly path: string; readonly accepts: (path: string) => boolean };

export type TranscriptFile = {
  readonly path: string;
  /** Path of the root it was found below. */
  readonly root: string;
  readonly bytes: number;
  readonly modifiedAtMs: number;
  /** Set where the path is a folder that is one session: its files, in their order. */
  readonly pieces: Pieces | null;
};

/** Files with one event each, as OpenHands keeps them, or with one message, as opencode did before its version 1.2. */
export type Pieces = { readonly type: "events" | "messages"; readonly names: readonly string[] };

export type SkippedFile = { readonly path: string; readonly why: string };

export type FoundTranscripts = {
  /** Newest first: whoever stops the reading has seen what is most like the next session. */
  readonly files: readonly TranscriptFile[];
  readonly skipped: readonly SkippedFile[];
  /** Files whose names are not those of transcripts. */
  readonly others: number;
};

export type WalkLimits = { readonly files: number; readonly entries: number; readonly depth: number };

/**
 * Files that may be transcripts: those that are named, and those below the folders that are named. Each is found once, by
 * whatever links. Nothing is opened. A folder that cannot be listed, or is beyond a limit, is named.
 */
export async function findTranscripts(
  roots: readonly TranscriptRoot[],
  signal: AbortSignal,
  limits: WalkLimits = walkLimits,
): Promise<FoundTranscripts> {
  const walk = startWalk(limits, signal);
  for (const root of roots) {
    const info = await statOf(root.path);
    if (typeof info !== "string" && info.isDirectory()) await walk.folder(root.path, root, 0, info);
    else if (typeof info !== "string") walk.add(root.path, root, info);
    else if (root.type === "named" || !(await isAbsent(root.path))) walk.skip(root.path, info);
  }
  return walk.found();
}

const walkLimits: WalkLimits = {
  files: bounds.transcriptFilesMax,
  entries: bounds.transcriptEntriesMax,
  depth: bounds.transcriptDepthMax,
};

type Info = Awaited<ReturnType<typeof stat>>;

function startWalk(limits: WalkLimits, signal: AbortSignal) {
  const finds = openFinds();
  let entries = 0;
  let isFull = false;

  const entry = async (parent: string, one: Dirent, root: TranscriptRoot, depth: number): Promise<void> => {
    const path = join(parent, one.name);
    if (one.isDirectory() && passedOver.has(one.name)) return;
    if (!one.isDirectory() && !one.isSymbolicLink() && !isCandidate(path, root)) return finds.passOver();
    const info = await statOf(path);
    if (typeof info !== "string" && info.isDirectory()) return await folder(path, root, depth + 1, info);
    // A link may lead to a folder, so its name is no reason to pass it over before it was followed.
    if (!isCandidate(path, root)) finds.passOver();
    else if (typeof info === "string") finds.skip(path, info);
    else finds.add(path, root, info);
  };
  const folder = async (path: string, root: TranscriptRoot, depth: number, info: Info): Promise<void> => {
    if (!finds.isNew(info)) return;
    if (depth > limits.depth) return finds.skip(path, `folders deeper than ${limits.depth} levels are not looked into`);
    const names = await readdir(path, { withFileTypes: true }).catch((error: unknown) => explain(error));
    if (typeof names === "string") return finds.skip(path, names);
    const isStorage = basename(path) === "storage" && names.some(({ name }) => name === "message");
    const wanted = isStorage ? names.filter(({ name }) => name === "message") : names;
    for (const one of wanted.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (signal.aborted || isFull) return;
      isFull = entries >= limits.entries || finds.count() >= limits.files;
      if (isFull) return finds.skip(path, `${full(limits)}; what is left in it and behind it was not looked at`);
      entries += 1;
      await entry(path, one, root, depth);
    }
  };
  return { skip: finds.skip, add: finds.add, folder, found: finds.found };
}

function openFinds() {
  const files: TranscriptFile[] = [];
  const skipped: SkippedFile[] = [];
  const seen = new Set<string>();
  let others = 0;

  const skip = (path: string, why: string): void => {
    skipped.push({ path, why });
  };
  const isNew = ({ dev, ino }: Info): boolean => {
    const id = `${dev}:${ino}`;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  };
  const add = (path: string, root: TranscriptRoot, info: Info): void => {
    const why = unreadableKind(path, info);
    if (!isNew(info)) return;
    const [bytes, modifiedAtMs] = [Number(info.size), Number(info.mtimeMs)];
    if (why === null) files.push({ path, root: root.path, bytes, modifiedAtMs, pieces: null });
    else skip(path, why);
  };
  return {
    skip,
    isNew,
    add,
    passOver: (): void => {
      others += 1;
    },
    count: () => files.length,
    found: (): FoundTranscripts => ({
      files: joined(files).sort((a, b) => b.modifiedAtMs - a.modifiedAtMs || (a.path < b.path ? -1 : 1)),
      skipped,
      others,
    }),
  };
}

/** Files that are pieces of one session become the folder they lie in. */
function joined(files: readonly TranscriptFile[]): TranscriptFile[] {
  const single: TranscriptFile[] = [];
  const folders = new Map<string, TranscriptFile[]>();
  for (const file of files) {
    if (pieceOf(file.path) === null) single.push(file);
    else if (folders.get(dirname(file.path))?.push(file) === undefined) folders.set(dirname(file.path), [file]);
  }
  return [...single, ...[...folders].map(([folder, pieces]) => joinedFolder(folder, pieces))];
}

function joinedFolder(path: string, files: readonly TranscriptFile[]): TranscriptFile {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const modifiedAtMs = files.reduce((newest, file) => Math.max(newest, file.modifiedAtMs), 0);
  const pieces = files.map((file) => ({ name: basename(file.path), number: pieceOf(file.path)?.number ?? 0 }));
  pieces.sort((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1));
  const type = basename(path) === "events" ? "events" : "messages";
  return {
    path,
    root: files[0]?.root ?? path,
    bytes,
    modifiedAtMs,
    pieces: { type, names: pieces.map(({ name }) => name) },
  };
}

/** null for a file that is a session, or sessions, by itself. */
function pieceOf(path: string): { readonly number: number } | null {
  const event = /\/events\/(?:event-)?(\d+)(?:-[\w-]+)?\.json$/.exec(path);
  if (event !== null) return { number: Number(event[1]) };
  return /\/storage\/message\/[^/]+\/[^/]+\.json$/.test(path) ? { number: 0 } : null;
}

function full({ files, entries }: WalkLimits): string {
  return `one search ends at ${entries} names or ${files} files`;
}

/** Links are followed. A text says why there is nothing to look at. */
async function statOf(path: string): Promise<Info | string> {
  return await stat(path).catch((error: unknown) =>
    // Bytes that are no UTF-8 came as U+FFFD, and by that name nothing is found.
    path.includes("\ufffd") && codeOf(error) === "ENOENT" ? "its name is not UTF-8" : explain(error),
  );
}

async function isAbsent(path: string): Promise<boolean> {
  return await stat(path).then(
    () => false,
    (error: unknown) => ["ENOENT", "ENOTDIR"].includes(codeOf(error)),
  );
}

function isCandidate(path: string, root: TranscriptRoot): boolean {
  return root.type === "named" ? transcriptName.test(path) : root.accepts(relative(root.path, path));
}

/** Whole trees of files that nobody keeps sessions in, and OpenHands' second copy of its events. */
const passedOver: ReadonlySet<string> = new Set(["node_modules", ".git", "event_cache"]);

const transcriptName = /\.(?:jsonl|ndjson|json|traj|db)(?:\.(?:gz|zst|xz|bz2|zip))?$/i;

/** null for what may be opened: a pipe would wait for its writer, and a device has no end. */
function unreadableKind(path: string, info: Info): string | null {
  if (info.isFIFO()) return "it is a pipe, not a file";
  if (info.isSocket()) return "it is a socket, not a file";
  if (!info.isFile()) return "it is a device, not a file";
  const packed = /\.(?:gz|zst|xz|bz2|zip)$/i.exec(basename(path));
  return packed === null ? null : `it is compressed (${packed[0]}): unpack it first`;
}
