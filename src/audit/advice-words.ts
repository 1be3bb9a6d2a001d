import { bareFile, usdText } from "./figures.ts";
import type { Advice, AuditTotals, Example } from "./report.ts";

/** An advice before its share is known. */
export type Found = Omit<Advice, "share">;

export type Rule = (totals: AuditTotals) => readonly Found[];

/** The largest of a finding and where it stands. */
export function place(example: Example | undefined): string {
  if (example === undefined) return "none";
  const what = [example.tool ?? "", bareFile(example.what)].filter((part) => part !== "").join(" ");
  const money = example.usd === null ? "" : `, ${usdText(example.usd)}`;
  return `${what}${example.count > 1 ? ` (${example.count} times)` : ""}, line ${example.line} of ${bareFile(example.file)}${money}`;
}

export function named(names: readonly string[]): string {
  const shown = names.slice(0, namesShownMax).join(", ");
  return names.length > namesShownMax ? `${shown} and ${names.length - namesShownMax} more` : shown;
}

const namesShownMax = 5;

export function times(count: number): string {
  return count === 1 ? "once" : `${count.toLocaleString("en-US")} times`;
}
