import { homedir } from "node:os";
import { resolve } from "node:path";
import { pictureFault, writePicture } from "../adapters/picture-file.ts";
import { type FoundTranscripts, findTranscripts } from "../adapters/transcript-files.ts";
import type { AuditReport } from "../audit/report.ts";
import { pictureMark, windowSvg } from "../audit/svg.ts";
import { auditText } from "../audit/text.ts";
import { createMask } from "../secrets/mask.ts";
import { secretValues } from "../secrets/secret-values.ts";
import { type AuditFlags, type AuditWish, auditWish } from "./audit-flags.ts";
import { lookedIn, lookedText, nothingFound } from "./audit-looked.ts";
import { type Place, placesOf } from "./audit-places.ts";
import { noProgress, progressBar } from "./audit-progress.ts";
import { type ReadFiles, readFiles } from "./audit-read.ts";
import { maskedReport, oneLine, safeJson, shortPath, shownReport } from "./audit-show.ts";
import { CommandError, exitCodes } from "./exit.ts";
import { printable, say } from "./terminal.ts";

/** `varve audit`: what sessions of any agent held and cost. Reads logs, sends nothing, writes only the picture. */
export async function runAudit(paths: readonly string[], flags: AuditFlags): Promise<number> {
  const wish = auditWish(flags, Date.now());
  const home = homedir();
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
    await show(read, { found, places, wish, home });
    if (signal.aborted) return exitCodes.interrupted;
    return read.report.sessions.length === 0 ? exitCodes.failed : exitCodes.done;
  } finally {
    end();
  }
}

function namedPlace(path: string): Place {
  return { program: null, root: { type: "named", path: resolve(path) } };
}

function refuseFault(path: string, why: string | null): void {
  if (why !== null) throw new CommandError(`--svg ${path}: ${why}`);
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
    return await readFiles(found, { wish, signal, progress });
  } finally {
    progress.end();
  }
}

type Shown = {
  readonly found: FoundTranscripts;
  readonly places: readonly Place[];
  readonly wish: AuditWish;
  readonly home: string;
};

async function show({ report: whole, warnings, leftOut }: ReadFiles, given: Shown): Promise<void> {
  const { found, places, wish, home } = given;
  const mask = createMask({ values: secretValues(process.env, []), shapes: "masked" });
  const report = { ...maskedReport(whole, mask), warnings: warnings.length };
  if (!wish.quiet)
    for (const { file, why } of warnings) say(mask.text(`varve: ${oneLine(shortPath(file, home))}: ${oneLine(why)}`));
  const looked = lookedIn(places, found.files);
  if (wish.json) process.stdout.write(`${safeJson({ ...report, looked, leftOut, others: found.others })}\n`);
  else writeText(shownReport(report, home), `${lookedText(looked, home)}\n${leftText(leftOut, found, places)}`, wish);
  if (wish.svg !== null) {
    refuseFault(wish.svg, await writePicture(wish.svg, windowSvg(shownReport(report, home)), pictureMark));
    if (!wish.quiet) say(`varve: the picture is in ${wish.svg}`);
  }
}

function writeText(report: AuditReport, head: string, { top }: AuditWish): void {
  const color = process.stdout.isTTY && process.env.NO_COLOR === undefined;
  const text = auditText(report, { width: process.stdout.columns ?? 80, color, top });
  process.stdout.write(`${printable(head)}\n${text}`);
}

function leftText(leftOut: number, { others }: FoundTranscripts, places: readonly Place[]): string {
  const lines = [
    leftOut === 0 ? "" : `${leftOut.toLocaleString("en-US")} files left out: older, or of other sessions\n`,
    others === 0 || places.some(({ program }) => program !== null)
      ? ""
      : `${others.toLocaleString("en-US")} other files passed over: their names are not those of sessions\n`,
  ];
  return lines.join("");
}
