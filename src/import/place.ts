import type { Item, ItemBody, ItemPlace } from "./transcript.ts";

/**
 * Milliseconds since 1970 of a time as formats write it: ISO text, or a number of milliseconds or seconds.
 * Without a zone it is read as UTC, so that a file says the same on every machine.
 */
export function timeOf(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) && value > 0 ? Math.round(inMs(value)) : null;
  if (typeof value !== "string") return null;
  const isLocal = /[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(value);
  const at = Date.parse(isLocal ? `${value}Z` : value);
  return Number.isFinite(at) ? at : null;
}

/** No session is older than 1973: a smaller number is of seconds. */
function inMs(value: number): number {
  return value < 1e11 ? value * 1000 : value;
}

export function placed(place: ItemPlace, bodies: readonly ItemBody[]): readonly Item[] {
  return bodies.map((body) => ({ ...place, ...body }));
}
