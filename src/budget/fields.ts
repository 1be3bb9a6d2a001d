import { isRecord } from "../kernel/canonical.ts";

/** Marks a wrong field of a file, so that other errors are not mistaken for the author's. `place` is said as in `models[0].id`. */
export class FieldError extends Error {}

export function record(value: unknown, place: string): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : fail(place, "an object");
}

export function list(value: unknown, place: string): readonly unknown[] {
  return Array.isArray(value) ? value : fail(place, "a list");
}

export function text(value: unknown, place: string, what: string): string {
  return typeof value === "string" && value.trim() !== "" ? value : fail(place, what);
}

export function rate(value: unknown, place: string): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : fail(place, "a number from 0 up");
}

/** A whole number of a range. */
export function whole(value: unknown, place: string, min: number, max: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
  if (max !== Number.MAX_SAFE_INTEGER) return fail(place, `a whole number from ${min} to ${max}`);
  return fail(place, min === 1 ? "a whole number above 0" : `a whole number from ${min} up`);
}

/** A day of the calendar: the 30th of February is none. */
export function day(value: unknown, place: string): string {
  if (typeof value === "string" && isDay(value)) return value;
  return fail(place, 'a day like "2026-11-29"');
}

export function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

export function onlyKeys(value: Readonly<Record<string, unknown>>, known: readonly string[], place: string): void {
  const other = Object.keys(value).find((key) => !known.includes(key));
  if (other !== undefined)
    throw new FieldError(`${place} has an unknown field "${other}"; known are ${known.join(", ")}`);
}

export function fail(place: string, expected: string): never {
  throw new FieldError(`${place} should be ${expected}`);
}
