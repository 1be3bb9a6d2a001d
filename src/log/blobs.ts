import { isRecord } from "../kernel/canonical.ts";
import type { Hash } from "../kernel/ids.ts";
import { blobHash } from "./codec-check.ts";
import type { Entry } from "./entry.ts";

/** Every blob that an entry names, for whoever checks that all of a session is still there. */
export function blobsNamedBy(entry: Entry): readonly Hash[] {
  const head = entry.type === "epoch-opened" ? [entry.head.tools, entry.head.system] : [];
  return [...head, ...refsIn(entry)];
}

function refsIn(value: unknown): readonly Hash[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isRecord(value)) return [];
  const { blob, chars } = value;
  const inside = Object.values(value).flatMap(refsIn);
  return isHash(blob) && typeof chars === "number" ? [blob, ...inside] : inside;
}

function isHash(value: unknown): value is Hash {
  return blobHash(value) === null;
}
