import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import { brand, type ProjectId, type SessionId } from "../kernel/ids.ts";
import type { Text } from "../log/block.ts";
import { decodeLine, formatOf, type Line } from "../log/codec.ts";
import type { Entry, EntryOf } from "../log/entry.ts";
import type { SessionSummary } from "../ports/store.ts";
import { nullIfAbsent } from "./store-fault.ts";
import { blobPath } from "./store-file-blobs.ts";
import { contentOf } from "./store-file-lines.ts";
import { isName, sessionFolder } from "./store-file-path.ts";
import { namesIn } from "./store-folder.ts";
import { newestFirst, titleOf } from "./store-summary.ts";

export type ListCall = { readonly project: ProjectId | null; readonly after?: SessionId; readonly limit: number };

/** Only `main.jsonl` of each session folder is looked at, and of it only both ends (CASES C-091). */
export async function listSessions(root: string, call: ListCall): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  for (const name of await namesIn(join(root, "sessions"))) {
    if (!isName(name)) continue;
    // One that cannot be read must not hide the others; opening it says what is wrong.
    const summary = await summaryOf(sessionFolder(root, name), brand(name)).catch(() => null);
    if (summary !== null && (call.project === null || summary.project === call.project)) found.push(summary);
  }
  found.sort(newestFirst);
  const { after } = call;
  if (after === undefined) return found.slice(0, call.limit);
  const at = found.findIndex((summary) => summary.session === after);
  return at === -1 ? [] : found.slice(at + 1, at + 1 + call.limit);
}

/** null for what is not a session that could be opened: nothing in it yet, or a first line that would be refused. */
async function summaryOf(folder: string, session: SessionId): Promise<SessionSummary | null> {
  const file = await open(join(folder, "main.jsonl"), "r").catch(nullIfAbsent);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    const head = await headOf(file, size);
    if (head === null) return null;
    const { first, message } = head;
    const started = first.type === "session-started" ? first : null;
    return {
      session,
      project: started?.project ?? null,
      cwd: started?.cwd ?? "",
      startedAt: first.at,
      updatedAt: (await lastLine(file, size))?.entry.at ?? first.at,
      title: message === null ? "" : titleOf(await beginning(folder, message.text)),
    };
  } finally {
    await file.close();
  }
}

const headBytes = [32 * 1024, 512 * 1024] as const;
const tailBytes = [16 * 1024, 256 * 1024, 4 * 1024 * 1024] as const;

type Head = { readonly first: Entry; readonly message: EntryOf<"message-added"> | null };

/** The first entry and the first message, as far as they stand near the beginning; null when the first is refused. */
async function headOf(file: FileHandle, size: number): Promise<Head | null> {
  let head: Head | null = null;
  for (const length of headBytes) {
    head = headIn(linesIn(await slice(file, 0, Math.min(size, length)), size > length));
    if (head?.message != null || length >= size) break;
  }
  return head;
}

function headIn(texts: readonly string[]): Head | null {
  const top = texts.find((text) => text !== "") ?? "";
  const format = formatOf(top);
  if (format.type === "refused") return null;
  let first: Entry | null = null;
  for (const text of texts) {
    const line = decodeLine(text, format.format);
    if (line.type === "bad") continue;
    first ??= line.entry;
    if (line.entry.type === "message-added") return { first, message: line.entry };
  }
  return first === null ? null : { first, message: null };
}

/** Newest entry: from ever longer stretches of the tail, until one holds a whole readable line. */
export async function lastLine(file: FileHandle, size: number): Promise<Line | null> {
  for (const length of tailBytes) {
    const start = Math.max(0, size - length);
    const texts = linesIn(await slice(file, start, size), false);
    for (const text of (start === 0 ? texts : texts.slice(1)).toReversed()) {
      const line = decodeLine(text);
      if (line.type === "ok") return line;
    }
    if (start === 0) break;
  }
  return null;
}

/** A line cut by the end of the stretch is left out; one that is merely torn does not decode anyway. */
function linesIn(bytes: Buffer, cut: boolean): readonly string[] {
  const texts = contentOf(bytes, 0).toString("utf8").split(/\r?\n/);
  return cut ? texts.slice(0, -1) : texts;
}

async function beginning(folder: string, text: Text): Promise<string> {
  if (typeof text === "string") return text;
  const blob = await open(blobPath(join(folder, "blobs"), text.blob), "r").catch(() => null);
  if (blob === null) return "";
  try {
    return (await slice(blob, 0, 8 * bounds.titleCharsMax)).toString("utf8");
  } finally {
    await blob.close();
  }
}

async function slice(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
  return buffer.subarray(0, bytesRead);
}
