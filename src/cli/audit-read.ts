import { explain } from "../adapters/fs-error.ts";
import type { FoundTranscripts, TranscriptFile } from "../adapters/transcript-files.ts";
import { type FoundSession, sessionsIn } from "../adapters/transcripts.ts";
import { type Audit, openAudit } from "../audit/audit.ts";
import type { AuditReport } from "../audit/report.ts";
import type { AuditWish } from "./audit-flags.ts";
import type { Progress } from "./audit-progress.ts";

/** One file and everything that is wrong with it. */
export type Warning = { readonly file: string; readonly why: string };

export type ReadFiles = {
  readonly report: AuditReport;
  /** At most one of a file, in the order of reading. */
  readonly warnings: readonly Warning[];
  /** Files that were not asked for: too old, or other sessions. */
  readonly leftOut: number;
  /** Those of which something was asked for. */
  readonly read: readonly TranscriptFile[];
};

type Wish = Pick<AuditWish, "session" | "sinceMs">;

/** Audits one file after the other. The signal ends it early: the report then holds what was read, and says so. */
export async function readFiles(
  { files, skipped }: Pick<FoundTranscripts, "files" | "skipped">,
  given: { readonly wish: Wish; readonly signal: AbortSignal; readonly progress: Progress },
): Promise<ReadFiles> {
  const { wish, signal, progress } = given;
  const audit = openAudit();
  const warnings: Warning[] = skipped.map(({ path, why }) => ({ file: path, why }));
  for (const { file, why } of warnings) audit.skip(file, why);
  const read: TranscriptFile[] = [];
  let leftOut = 0;
  for (const file of files) {
    if (signal.aborted) break;
    progress.file(file.path);
    let bytesLeft = file.bytes;
    const onRead = (bytes: number): void => {
      bytesLeft -= bytes;
      progress.read(bytes);
    };
    const wanted = await wantedIn(file, wish, signal);
    if (wanted.size === 0) leftOut += 1;
    else {
      read.push(file);
      const faults = await auditFile(file, { audit, wanted, reading: { signal, onRead } });
      if (faults.length > 0) warnings.push({ file: file.path, why: faults.join("; ") });
    }
    progress.read(bytesLeft);
  }
  return { report: audit.report({ isPartial: signal.aborted }), warnings, leftOut, read };
}

/** Numbers of a file's sessions; `has` is true of every number where all are wanted. */
type Wanted = { readonly size: number; has(index: number): boolean };

const all: Wanted = { size: Number.POSITIVE_INFINITY, has: () => true };

/** Looks into a file, as far as it must, for sessions that are asked for; their reading begins anew after it. */
async function wantedIn(file: TranscriptFile, wish: Wish, signal: AbortSignal): Promise<Wanted> {
  // What is newest in a database may stand in the log beside it, and the file itself is old.
  const hasOwnTime = !file.path.endsWith(".db");
  if (wish.sinceMs !== null && hasOwnTime && file.modifiedAtMs < wish.sinceMs) return new Set();
  const isNamed = wish.session === null || file.path.includes(wish.session);
  if (isNamed && wish.sinceMs === null) return all;
  const found = new Set<number>();
  let index = 0;
  try {
    for await (const one of sessionsIn(file, { signal, onRead: () => undefined })) {
      // What cannot be read is named in its turn, whatever was asked for.
      if (one.type !== "session" || (await isWanted(one.items, isNamed ? { ...wish, session: null } : wish)))
        found.add(index);
      index += 1;
    }
  } catch {
    // Said when it is read.
    return all;
  }
  return found;
}

type Items = Extract<FoundSession, { readonly type: "session" }>["items"];

/** Whether it went on since then. Where nothing has a time, the file's own has been looked at. */
async function isWanted(items: Items, { session, sinceMs }: Wish): Promise<boolean> {
  let isNamed = session === null;
  let isLate = sinceMs === null;
  let isTimed = false;
  for await (const item of items) {
    if (session !== null && item.type === "session" && item.session?.includes(session)) isNamed = true;
    isTimed ||= item.at !== null;
    if (sinceMs !== null && item.at !== null && item.at >= sinceMs) isLate = true;
    if (isNamed && isLate) return true;
  }
  return isNamed && (isLate || !isTimed);
}

type Auditing = {
  readonly audit: Audit;
  readonly wanted: Wanted;
  readonly reading: Parameters<typeof sessionsIn>[1];
};

/** What is wrong with the file. */
async function auditFile(file: TranscriptFile, { audit, wanted, reading }: Auditing): Promise<readonly string[]> {
  const faults: string[] = [];
  let index = 0;
  try {
    for await (const found of sessionsIn(file, reading)) {
      if (found.type === "skipped") audit.skip(found.file, found.why);
      if (found.type !== "session") faults.push(found.why);
      else if (wanted.has(index)) faults.push(...(await auditSession(found, audit)));
      index += 1;
    }
  } catch (error) {
    const why = `it could not be read: ${explain(error)}`;
    audit.skip(file.path, why);
    faults.push(why);
  }
  return faults;
}

async function auditSession(
  { file, format, items }: Extract<FoundSession, { readonly type: "session" }>,
  audit: Audit,
): Promise<readonly string[]> {
  const auditor = audit.session({ file, format });
  let bad = 0;
  let first = "";
  try {
    for await (const item of items) {
      auditor.push(item);
      if (item.type !== "unreadable") continue;
      if (bad === 0) first = `line ${item.line}: ${item.why}`;
      bad += 1;
    }
  } finally {
    auditor.end();
  }
  return bad === 0 ? [] : [bad === 1 ? first : `${bad} records are damaged, the first is ${first}`];
}
