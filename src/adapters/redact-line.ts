import { isRecord } from "../kernel/canonical.ts";
import type { Hash } from "../kernel/ids.ts";
import type { BlobRef } from "../log/block.ts";

/** What is to be taken out: a text wherever it stands, or all that was kept of one result, by its handle. */
export type Leak =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "handle"; readonly handle: string };

/** Blobs that hold the text, and what takes their place. */
export type Replacements = ReadonlyMap<Hash, BlobRef>;

export const tombstone = "[redacted]";

/** A text without the leak, which may stand in it as it is or inside JSON, however deep; the same text when it does not. */
export function withoutLeak(text: string, leak: string): string {
  let clean = text;
  for (const form of formsOf(leak)) clean = clean.replaceAll(form, tombstone);
  return clean;
}

function formsOf(leak: string): readonly string[] {
  const once = JSON.stringify(leak).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  // The longest first: a shorter one may stand inside it.
  return [...new Set([twice, once, leak])];
}

/** An entry without the leak; the same object when there is none in it. Keys and their order stay. */
export function cleanEntry(entry: unknown, leak: Leak, replaced: Replacements): unknown {
  const clean = leak.type === "text" ? cleanValue(entry, leak.text, replaced) : withoutResult(entry, leak.handle);
  return JSON.stringify(clean) === JSON.stringify(entry) ? entry : clean;
}

function cleanValue(value: unknown, leak: string, replaced: Replacements): unknown {
  if (typeof value === "string") return withoutLeak(value, leak);
  if (Array.isArray(value)) return value.map((one) => cleanValue(one, leak, replaced));
  if (!isRecord(value)) return value;
  const moved = [...replaced].find(([hash]) => value.blob === hash);
  if (moved !== undefined) return moved[1];
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, movedHead(key, one, replaced) ?? cleanValue(one, leak, replaced)]),
  );
}

/** The head of an epoch names its blobs without their length. */
function movedHead(key: string, value: unknown, replaced: Replacements): Hash | null {
  if (key !== "tools" && key !== "system") return null;
  return [...replaced].find(([hash]) => value === hash)?.[1].blob ?? null;
}

/** All texts under the handle, and a reminder that quotes what stands under it. Its images go as well. */
function withoutResult(value: unknown, handle: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutResult(one, handle));
  if (!isRecord(value)) return value;
  const { type, text } = value;
  if (type === "reminder-added" && typeof text === "string" && text.includes(`handle=${handle}`))
    return { ...value, text: tombstone };
  const fields = Object.entries(value).map(([key, one]): readonly [string, unknown] => {
    if (value.handle !== handle) return [key, withoutResult(one, handle)];
    if (key === "images") return [key, []];
    return [key, key === "output" || key === "text" ? tombstone : one];
  });
  return Object.fromEntries(fields);
}
