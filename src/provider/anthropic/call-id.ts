import { hashOf } from "../../kernel/hash.ts";

/**
 * A call id as the Messages API takes it (letters, digits, `_`, `-`, at most 64). Ids of other providers are rewritten;
 * a piece of the hash keeps two of them apart. A legal id stays as it is, so call and result always agree.
 */
export function legalCallId(id: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return id;
  return `${id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 51)}_${hashOf(id).slice(0, 12)}`;
}

/** Longest tool name of the Messages API. */
export const toolNameCharsMax = 128;
