import { isDay } from "../budget/fields.ts";
import { UsageError } from "./exit.ts";
import { positive } from "./settings.ts";

export type AuditFlags = {
  readonly json?: boolean;
  readonly svg?: string;
  readonly session?: string;
  readonly since?: string;
  readonly days?: string;
  readonly top?: string;
  readonly quiet?: boolean;
};

/** The same, checked. */
export type AuditWish = {
  readonly json: boolean;
  readonly svg: string | null;
  /** What a session's id or its file's path must hold. */
  readonly session: string | null;
  /** Sessions whose last word is older are left out. */
  readonly sinceMs: number | null;
  readonly top: number;
  readonly quiet: boolean;
};

export function auditWish(flags: AuditFlags, nowMs: number): AuditWish {
  return {
    json: flags.json === true,
    svg: named("--svg", flags.svg),
    session: named("--session", flags.session),
    sinceMs: sinceOf(flags, nowMs),
    top: positive("--top", flags.top) ?? topDefault,
    quiet: flags.quiet === true,
  };
}

const topDefault = 10;
const dayMs = 24 * 60 * 60_000;

function named(flag: string, text: string | undefined): string | null {
  if (text?.trim() === "") throw new UsageError(`${flag}: expected a name, got nothing`);
  return text ?? null;
}

function sinceOf({ since, days }: AuditFlags, nowMs: number): number | null {
  const count = positive("--days", days);
  if (count !== undefined && since !== undefined) throw new UsageError("--since and --days say the same: give one");
  if (count !== undefined) return nowMs - count * dayMs;
  if (since === undefined) return null;
  // A day begins where the user is.
  const at = isDay(since) ? new Date(`${since}T00:00:00`).getTime() : isTime(since) ? Date.parse(since) : Number.NaN;
  if (Number.isNaN(at)) throw new UsageError(`--since: expected a day such as 2026-11-30, got "${since}"`);
  return at;
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && isDay(text.slice(0, 10));
}
