import { writePicture } from "../adapters/picture-file.ts";
import type { FoundTranscripts } from "../adapters/transcript-files.ts";
import type { AuditReport } from "../audit/report.ts";
import { pictureMark, windowSvg } from "../audit/svg.ts";
import { auditText } from "../audit/text.ts";
import { createMask } from "../secrets/mask.ts";
import { secretValues } from "../secrets/secret-values.ts";
import type { AuditWish } from "./audit-flags.ts";
import { lookedIn, lookedText } from "./audit-looked.ts";
import type { Place } from "./audit-places.ts";
import type { ReadFiles } from "./audit-read.ts";
import { maskedReport, oneLine, safeJson, shortPath, shownReport } from "./audit-show.ts";
import { CommandError } from "./exit.ts";
import { printable, say } from "./terminal.ts";

/** What a report is shown with. */
export type Shown = {
  readonly found: FoundTranscripts;
  readonly places: readonly Place[];
  readonly wish: AuditWish;
  readonly home: string;
};

/** Results on stdout, as text or JSON, warnings on stderr, the picture in its file. */
export async function printAudit({ report: whole, warnings, leftOut }: ReadFiles, given: Shown): Promise<void> {
  const { found, places, wish, home } = given;
  const mask = createMask({ values: secretValues(process.env, []), shapes: "masked" });
  const report = { ...maskedReport(whole, mask), warnings: warnings.length };
  if (!wish.quiet)
    for (const { file, why } of warnings) say(mask.text(`varve: ${oneLine(shortPath(file, home))}: ${oneLine(why)}`));
  const looked = lookedIn(places, found.files);
  if (wish.json) process.stdout.write(`${safeJson({ ...report, looked, leftOut, others: found.others })}\n`);
  else writeText(shownReport(report, home), [lookedText(looked, home), ...leftLines(leftOut, found, places)], wish);
  if (wish.svg !== null) {
    refuseFault(wish.svg, await writePicture(wish.svg, windowSvg(shownReport(report, home)), pictureMark));
    if (!wish.quiet) say(`varve: the picture is in ${wish.svg}`);
  }
}

function writeText(report: AuditReport, head: readonly string[], { top }: AuditWish): void {
  const color = process.stdout.isTTY && (process.env.NO_COLOR === undefined || process.env.NO_COLOR === "");
  const text = auditText(report, { width: process.stdout.columns || 80, color, top });
  const lines = head.filter((line) => line !== "").map((line) => `${printable(line)}\n`);
  process.stdout.write(`${lines.join("")}${lines.length === 0 ? "" : "\n"}${text}`);
}

function leftLines(leftOut: number, { others }: FoundTranscripts, places: readonly Place[]): readonly string[] {
  const isUsual = places.some(({ program }) => program !== null);
  const files = (count: number, kind: string) =>
    `${count.toLocaleString("en-US")} ${kind}file${count === 1 ? "" : "s"}`;
  return [
    leftOut === 0 ? "" : `${files(leftOut, "")} left out: older, or of other sessions`,
    others === 0 || isUsual ? "" : `${files(others, "other ")} passed over: not named like sessions`,
  ];
}

export function refuseFault(path: string, why: string | null): void {
  if (why !== null) throw new CommandError(`--svg ${path}: ${why}`);
}
