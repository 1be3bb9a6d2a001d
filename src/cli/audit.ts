import { homedir } from "node:os";
import { resolve } from "node:path";
import { keepHeapLean } from "../adapters/lean-heap.ts";
import { pictureFault } from "../adapters/picture-file.ts";
import { type FoundTranscripts, findTranscripts } from "../adapters/transcript-files.ts";
import { withVarve } from "../audit/report.ts";
import { pictureMark } from "../audit/svg.ts";
import { type AuditFlags, type AuditWish, auditWish } from "./audit-flags.ts";
import { nothingFound } from "./audit-looked.ts";
import { type Place, placesOf } from "./audit-places.ts";
import { printAudit, refuseFault } from "./audit-print.ts";
import { noProgress, progressBar } from "./audit-progress.ts";
import { type ReadFiles, readFiles } from "./audit-read.ts";
import { replayNewest } from "./audit-varve.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";

/** `varve audit`: what sessions of any agent held and cost. Reads logs, sends nothing, writes only the picture. */
export async function runAudit(paths: readonly string[], flags: AuditFlags): Promise<number> {
  const wish = auditWish(flags, Date.now());
  if (paths.includes("")) throw new UsageError("a path is empty: name a file or a folder, or nothing at all");
  const home = homedir();
  keepHeapLean();
  if (wish.svg !== null) refuseFault(wish.svg, await pictureFault(wish.svg, pictureMark));
  const places = paths.length === 0 ? placesOf(process.env, home) : paths.map(namedPlace);
  const { signal, end } = untilInterrupt();
  try {
    const found = await findTranscripts(
      places.map(({ root }) => root),
      signal,
    );
    if (paths.length === 0 && found.files.length + found.skipped.length === 0 && !signal.aborted)
      throw new CommandError(nothingFound(places, home));
    const read = await readWithProgress(found, wish, signal);
    await printAudit(read, { found, places, wish, home });
    if (signal.aborted) return exitCodes.interrupted;
    return read.report.sessions.length === 0 ? exitCodes.failed : exitCodes.done;
  } finally {
    end();
  }
}

function namedPlace(path: string): Place {
  return { program: null, root: { type: "named", path: resolve(path) } };
}

/** The first interrupt stops the reading, and what was read is shown; the second ends the process at once. */
function untilInterrupt(): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const handle = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  process.on("SIGINT", handle).on("SIGTERM", handle);
  return { signal: controller.signal, end: () => process.off("SIGINT", handle).off("SIGTERM", handle) };
}

async function readWithProgress(found: FoundTranscripts, wish: AuditWish, signal: AbortSignal): Promise<ReadFiles> {
  const stream = process.stderr;
  const isShown = stream.isTTY && !wish.quiet && process.env.TERM !== "dumb";
  const bytesAll = found.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const color = process.env.NO_COLOR === undefined || process.env.NO_COLOR === "";
  const progress = isShown ? progressBar({ stream, bytesAll, now: Date.now, color }) : noProgress;
  try {
    const files = await readFiles(found, { wish, signal, progress });
    return { ...files, report: withVarve(files.report, await replayNewest(files.read, { signal, progress })) };
  } finally {
    progress.end();
  }
}
