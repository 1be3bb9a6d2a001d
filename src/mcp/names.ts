import { hashOf } from "../kernel/hash.ts";

/**
 * `mcp__<server>__<tool>`, legal on every wire: letters, digits, `_` and `-`, 64 at most (CASES C-045). It follows from the
 * two names alone, so no order of connecting and no later tool can rename one that was there. A name that had to be cleaned
 * or cut, or could be read as another pair, ends in a hash of itself; one that ends like a hash gets one too. So two tools
 * share a name only if their hashes do.
 */
export function toolName(server: string, tool: string): string {
  const prefix = serverPrefix(server);
  return `${prefix}${partOf(tool, charsMax - prefix.length, /^[A-Za-z0-9_-]+$/)}`;
}

/** What the names of a server's tools begin with. A rule `mcp__<server>` can mean no other server: one `__` ends it. */
export function serverPrefix(server: string): string {
  return `mcp__${partOf(server, serverCharsMax, /^(?!.*__)[A-Za-z0-9_-]*[A-Za-z0-9-]$/)}__`;
}

const charsMax = 64;
/** Leaves 20 for the tool: a hash, and enough of its name to read. */
const serverCharsMax = charsMax - "mcp__".length - "__".length - 20;
const hashChars = 8;

function partOf(name: string, room: number, plain: RegExp): string {
  if (name.length <= room && plain.test(name) && !/_[0-9a-f]{8}$/.test(name)) return name;
  const stem = name
    .replaceAll(/[^A-Za-z0-9_-]/g, "_")
    .replaceAll(/_{2,}/g, "_")
    .slice(0, room - hashChars - 1)
    .replaceAll(/^_|_$/g, "");
  // As JSON, in which two names that are no well-formed text stay two.
  return `${stem === "" ? "x" : stem}_${hashOf(JSON.stringify(name)).slice(0, hashChars)}`;
}
