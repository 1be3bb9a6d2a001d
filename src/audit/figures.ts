import type { AuditMissCause } from "./report.ts";

/** `1,234,567`; a half-token is none. */
export function tokensText(tokens: number): string {
  return Math.round(tokens).toLocaleString("en-US");
}

/** `1 call`, `1,234 calls`. */
export function plural(count: number, name: string): string {
  return `${tokensText(count)} ${name}${count === 1 ? "" : "s"}`;
}

/** `$1,234.50`; less than a cent is said so, for `$0.00` would say that it was free. */
export function usdText(usd: number | null): string {
  if (usd === null) return "unknown";
  const size = Math.abs(usd);
  if (size > 0 && size < 0.005) return usd < 0 ? "-<$0.01" : "<$0.01";
  const text = size.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return `${usd < 0 ? "-" : ""}$${text}`;
}

/** The last part of a path, which tells enough in a sentence; a text with blanks is none. */
export function bareFile(path: string): string {
  return path.includes(" ") ? path : lastPart(path);
}

export function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== "") ?? "";
}

/** `31.0 %` */
export function sharesText(percent: number): string {
  return `${percent.toFixed(1)} %`;
}

/** Causes of a cache miss, for people. */
export const missCauses: Readonly<Record<AuditMissCause, string>> = {
  "cold-start": "cold start",
  expired: "after a pause",
  "model-changed": "model changed",
  "tools-changed": "tools changed",
  "system-changed": "system changed",
  "messages-changed": "messages changed",
  "break:compacted": "compacted",
  "break:cleared": "cleared",
  unknown: "cause unknown",
};
