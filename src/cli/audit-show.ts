import { cutMark } from "../audit/excerpt.ts";
import type { AuditReport } from "../audit/report.ts";
import { parseJson } from "../kernel/json.ts";
import type { Mask } from "../secrets/mask.ts";
import { printable } from "./terminal.ts";

/** A report as it may leave the machine: what is in a log may hold keys, and nobody reads a report for them. */
export function maskedReport(report: AuditReport, mask: Mask): AuditReport {
  return changed(report, (text) => maskedExcerpts(mask.text(text), mask));
}

/** Excerpts are cut before they are masked: where one ends, what may be the beginning of a secret is left out. */
function maskedExcerpts(text: string, mask: Mask): string {
  const parts = text.split(cutMark);
  return parts.map((part, at) => (at === parts.length - 1 ? part : mask.stream().push(part))).join(cutMark);
}

/** For people: paths below the user's home begin with `~`, and no text acts on the terminal or breaks a line. */
export function shownReport(report: AuditReport, home: string): AuditReport {
  return changed(report, (text) => oneLine(shortPath(text, home)));
}

/** A name may hold a line end: what stands on one line stays there. */
export function oneLine(text: string): string {
  return printable(text).replaceAll(/\s+/g, " ");
}

export function shortPath(text: string, home: string): string {
  if (home.length < 2 || !text.includes(home)) return text;
  return text
    .split(/(?<=[\s"'=:,([])/)
    .map((part) => (part === home || part.startsWith(`${home}/`) ? `~${part.slice(home.length)}` : part))
    .join("");
}

/** JSON whose texts cannot act on a terminal: what `JSON.stringify` leaves as it is, but a terminal obeys, is escaped. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function changed(report: AuditReport, change: (text: string) => string): AuditReport {
  const parsed = parseJson(
    JSON.stringify(report, (_key, value) => (typeof value === "string" ? change(value) : value)),
  );
  if (parsed.type === "bad") throw new Error(`a report is plain values: ${parsed.why}`);
  // The proof: a report is plain values (report.ts), only texts were replaced, and those by texts.
  return parsed.value as AuditReport;
}
