import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";

/** Reading what a vendor sent: a member of the wrong type counts as absent, never as an error. */
type Raw = Readonly<Record<string, unknown>>;

export function recordOf(value: unknown): Raw {
  return isRecord(value) ? value : {};
}

export function recordAt(raw: Raw, key: string): Raw {
  return recordOf(raw[key]);
}

export function listAt(raw: Raw, key: string): readonly unknown[] {
  const value = raw[key];
  return Array.isArray(value) ? value : [];
}

export function stringAt(raw: Raw, key: string): string {
  const value = raw[key];
  return typeof value === "string" ? value : "";
}

export function numberAt(raw: Raw, key: string): number | null {
  const value = raw[key];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A count of tokens: what no request can have (negative, or beyond every window) says nothing. */
export function countAt(raw: Raw, key: string): number | null {
  const value = numberAt(raw, key);
  return value === null || value < 0 || value > bounds.reportedTokensMax ? null : Math.round(value);
}

/** JSON of those members that are there, or null when none is. */
export function reportOf(sources: readonly Raw[], keys: readonly string[]): string | null {
  const found: Record<string, unknown> = {};
  for (const raw of sources)
    for (const key of keys) if (raw[key] !== undefined && raw[key] !== null) found[key] = raw[key];
  return Object.keys(found).length === 0 ? null : JSON.stringify(found);
}
