import { isRecord, type Json } from "../kernel/canonical.ts";
import { own } from "../kernel/own.ts";

export type JsonRecord = { readonly [key: string]: Json | undefined };

/** `isRecord` for what is JSON: its members are JSON too. */
export function isJsonRecord(value: Json | undefined): value is JsonRecord {
  return isRecord(value);
}

/**
 * What a `$ref` stands for in the schema it is written in; undefined: nowhere in it. Only pointers of this document
 * (`#`, `#/$defs/x`) are followed: nothing is ever fetched.
 */
export function referenced(root: Json, ref: string): Json | undefined {
  if (ref !== "#" && !ref.startsWith("#/")) return undefined;
  let place: Json | undefined = root;
  for (const part of ref.split("/").slice(1)) {
    const key = keyOf(part);
    if (key === null) return undefined;
    if (Array.isArray(place)) place = /^\d{1,6}$/.test(key) ? place[Number(key)] : undefined;
    else place = isJsonRecord(place) ? own(place, key) : undefined;
  }
  return place;
}

function keyOf(part: string): string | null {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    // Expected: a % that begins no character; then it names nothing.
    return null;
  }
}
