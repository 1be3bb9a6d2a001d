import { bounds } from "../kernel/bounds.ts";
import { canonicalJson, isRecord, type Json } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import { type JsonNode, memberOf, repeatedKey, scanJson } from "../kernel/json-spans.ts";
import { inLine } from "./path.ts";
import { entryIn, type ServersSource } from "./server-entry.ts";
import { kindOf } from "./server-fields.ts";
import type { ReadServer, ReadServers } from "./server-settings.ts";
import { doesOf, freesOf } from "./server-words.ts";

/** Reads `mcpServers` of a file; `servers`, as VS Code calls them, is the same. Each entry by itself: the others stand. */
export function parseServers(text: string, source: ServersSource): ReadServers {
  const json = text.replace(/^\ufeff/, "");
  const parsed = parseJson(json);
  if (parsed.type === "bad") return faulty(`${source.file}: not valid JSON: ${parsed.why}`);
  if (!isRecord(parsed.value)) return faulty(`${source.file}: expected an object, got ${kindOf(parsed.value)}`);
  const { value: top } = parsed;
  const keys = ["mcpServers", "servers"].filter((one) => Object.hasOwn(top, one));
  if (keys.length === 0) {
    const isEmpty = Object.keys(top).length === 0;
    return isEmpty ? noServers : faulty(`${source.file}: mcpServers: expected there, with an object of servers`);
  }
  const node = scanJson(new TextEncoder().encode(json));
  const reads = keys.map((key) =>
    membersOf(node, key) > 1
      ? faulty(`${source.file}: ${key}: stands there twice`)
      : serversIn(top[key], source, { field: key, node: memberOf(node, key) }),
  );
  return joined(reads);
}

export function joined(reads: readonly ReadServers[]): ReadServers {
  return {
    servers: reads.flatMap(({ servers }) => servers),
    faults: reads.flatMap(({ faults }) => faults),
    warnings: reads.flatMap(({ warnings }) => warnings),
  };
}

/** An object of servers, at `field` of its file; `node`: where its text is at hand, so that a key that stands there twice is seen. */
export function serversIn(
  value: unknown,
  source: ServersSource,
  { field, node }: { readonly field: string; readonly node: JsonNode | undefined },
): ReadServers {
  if (!isRecord(value)) return faulty(`${source.file}: ${field}: expected an object of servers, got ${kindOf(value)}`);
  const servers: ReadServer[] = [];
  const [faults, warnings]: [string[], string[]] = [[], []];
  for (const [name, entry] of Object.entries(value)) {
    const at = `${source.file}: ${field}.${inLine(name.slice(0, bounds.serverNameCharsMax))}`;
    const why = strangeName(name) ?? strangeEntry(entry, node, name);
    if (servers.length === bounds.serversMax) {
      faults.push(`${at}: at most ${bounds.serversMax} servers in one file; this one and those behind it are left out`);
      break;
    }
    if (why !== null || !isRecord(entry)) {
      faults.push(why === null ? at : `${at}: ${why}`);
      continue;
    }
    const read = entryIn(name, entry, source);
    faults.push(...read.faults.map((fault) => `${at}.${inLine(fault)}`));
    warnings.push(...read.warnings.map((warning) => `${at}.${inLine(warning)}`));
    // It came out of JSON.
    const written = canonicalJson(entry as Json);
    const words = { does: inLine(doesOf(entry)), frees: freesOf(entry) };
    servers.push({ entry: read.entry, use: read.use, written, ...words });
  }
  return { servers, faults, warnings };
}

/** Tools are called by it: `mcp__NAME__tool`. */
function strangeName(name: string): string | null {
  if (name.length > bounds.serverNameCharsMax) return `its name has more than ${bounds.serverNameCharsMax} characters`;
  if (/[\p{Cc}\u2028\u2029]/u.test(name)) return "its name has a line end or another character that is not shown";
  return /^[_\s]*$/.test(name) ? "its name is empty" : null;
}

function strangeEntry(entry: unknown, node: JsonNode | undefined, name: string): string | null {
  if (!isRecord(entry)) return `expected an object with command or url, got ${kindOf(entry)}`;
  if (membersOf(node, name) > 1) return "stands there twice";
  const repeated = node === undefined ? null : repeatedKey(memberOf(node, name));
  return repeated === null ? null : `${repeated}: stands there twice`;
}

function membersOf(node: JsonNode | undefined, key: string): number {
  return node?.type === "object" ? node.members.filter((one) => one.key === key).length : 0;
}

export const noServers: ReadServers = { servers: [], faults: [], warnings: [] };

export function faulty(why: string): ReadServers {
  return { ...noServers, faults: [why] };
}
