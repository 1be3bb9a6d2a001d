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
  return isJsonObject(text) ? text.toWellFormed() : "{}";
}

export function isJsonObject(text: string): boolean {
  const parsed = parseJson(text);
  return parsed.type === "ok" && isRecord(parsed.value);
}
