import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { brand, type LaneId, type ProjectId, type SessionId } from "../kernel/ids.ts";
import { parseJson } from "../kernel/json.ts";
import type { Text } from "../log/block.ts";
import { decodeLine, type Line, lineStart } from "../log/codec.ts";
import type { SessionSummary } from "../ports/store.ts";
import { nullIfAbsent } from "./store-fault.ts";
import { blobPath } from "./store-file-blobs.ts";
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

/** By the names of their logs alone. */
export async function lanesOf(root: string, session: SessionId): Promise<readonly LaneId[]> {
  const folder = sessionFolder(root, session);
  const logs = [...(await namesIn(folder)), ...(await namesIn(join(folder, "lanes")))];
  const names = logs.flatMap((name) => /^(.+)\.jsonl$/.exec(name)?.[1] ?? []);
  return [...new Set(names)]
    .filter(isName)
    .sort()
    .map((name) => brand(name));
}

/**
 * null for a log without a whole line. One that will be refused is listed with what it lets us read, for else "the
 * newest" would silently be another one; opening it says why it is refused.
 */
async function summaryOf(folder: string, session: SessionId): Promise<SessionSummary | null> {
  // Without waiting: a pipe of that name would hold the whole list up for a writer that never comes.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const file = await open(join(folder, "main.jsonl"), flags).catch(nullIfAbsent);
  if (file === null) return null;
  try {
    const info = await file.stat();
    if (!info.isFile()) return null;
    const { size, mtimeMs } = info;
    const head = await headOf(file, size);
    if (head === null) return null;
    const { project, cwd, at, message } = head;
    return {
      session,
      project,
      cwd,
      startedAt: at ?? mtimeMs,
      updatedAt: (await lastLine(file, size))?.entry.at ?? mtimeMs,
      title: message === null ? "" : titleOf(await beginning(folder, message)),
    };
  } finally {
    await file.close();
  }
}

const headBytes = [32 * 1024, 512 * 1024] as const;
const tailBytes = [16 * 1024, 256 * 1024, 4 * 1024 * 1024] as const;

type Head = {
  readonly project: ProjectId | null;
  readonly cwd: string;
  readonly at: number | null;
  /** Text of the first message, as far as it stands near the beginning. */
  readonly message: Text | null;
};

async function headOf(file: FileHandle, size: number): Promise<Head | null> {
  let found: Head | null = null;
  for (const length of headBytes) {
    const lines = linesIn(await slice(file, 0, Math.min(size, length)), size > length);
    found = headIn(lines) ?? found;
    if (found?.message != null || length >= size) break;
  }
  return found;
}

function headIn(lines: readonly string[]): Head | null {
  const start = lines.findIndex(startsSession);
  // Junk may stand before it; a log that lost it is listed with what its first line says.
  const at = start >= 0 ? start : lines.findIndex((line) => line.trim() !== "");
  const top = lines[at];
  // The last piece has no line end: as the first line it is one that was never finished.
  if (top === undefined || (at === lines.length - 1 && decodeLine(top).type === "bad")) return null;
  const parsed = parseJson(top.slice(Math.max(0, top.indexOf(lineStart))));
  const first = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
  return {
    project: typeof first.project === "string" ? brand(first.project) : null,
    cwd: typeof first.cwd === "string" ? first.cwd : "",
    at: typeof first.at === "number" ? first.at : null,
    message: messageIn(lines),
  };
}

function startsSession(text: string): boolean {
  const line = text.includes('"session-started"') ? decodeLine(text) : null;
  return line?.type === "ok" && line.entry.type === "session-started";
}

function messageIn(lines: readonly string[]): Text | null {
  for (const text of lines) {
    const line = decodeLine(text);
    if (line.type === "ok" && line.entry.type === "message-added") return line.entry.text;
  }
  return null;
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
  const texts = withoutMark(bytes.toString("utf8")).split(/\r?\n/);
  return cut ? [...texts.slice(0, -1), ""] : texts;
}

function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
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
