import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { Text } from "../log/block.ts";

/** The text itself. A `Doc` holds no references; one that does was built wrongly, and encoding cannot load blobs. */
export function plain(text: Text): string {
  if (typeof text === "string") return text;
  throw new Error(`encode: the text ${text.blob} was not loaded before rendering`);
}

export function isBlank(text: Text): boolean {
  return plain(text).trim() === "";
}

/** JSON text of a call's input as a provider takes it back: an object as it was written, else `{}` (CASES C-023). */
export function inputObject(input: Text): string {
  const text = plain(input);
  return isJsonObject(text) ? wellFormedRaw(text) : "{}";
}

export function isJsonObject(text: string): boolean {
  const parsed = parseJson(text);
  return parsed.type === "ok" && isRecord(parsed.value);
}

/**
 * `JSON.stringify` for what came from a provider, with half surrogate pairs made U+FFFD: a stream that was cut inside a
 * character leaves one, and no provider takes it back.
 */
export function wellFormedJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "string" ? member.toWellFormed() : member,
  );
}

/** JSON text as it was written, unless it holds half surrogate pairs: then its value's text without them. */
export function wellFormedRaw(json: string): string {
  if (!/\\u[dD][89abAB]|[\ud800-\udfff]/.test(json)) return json;
  const parsed = parseJson(json);
  if (parsed.type === "bad") return json;
  const clean = wellFormedJson(parsed.value);
  return clean === JSON.stringify(parsed.value) ? json : clean;
}
