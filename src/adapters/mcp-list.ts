import { bounds } from "../kernel/bounds.ts";
import { isRecord, type Json } from "../kernel/canonical.ts";
import { isTooDeep, tooDeep } from "../kernel/json.ts";
import type { ServerPrompt, ServerResource, ServerTool } from "../ports/servers.ts";
import type { Connection } from "./mcp-connection.ts";

type Asking = {
  readonly connection: Connection;
  readonly signal: AbortSignal;
  /** What is wrong with the list, once each: a sentence's part behind the server's name. */
  readonly onNote: (text: string) => void;
};

export async function listTools(asking: Asking): Promise<readonly ServerTool[]> {
  const items = await allPages(asking, "tools/list", "tools");
  return readAll(items, toolOf, () => asking.onNote("lists a tool without a name, which is left out"));
}

export async function listPrompts(asking: Asking): Promise<readonly ServerPrompt[]> {
  const items = await allPages(asking, "prompts/list", "prompts");
  return readAll(items, promptOf, () => asking.onNote("lists a prompt without a name, which is left out"));
}

export async function listResources(asking: Asking): Promise<readonly ServerResource[]> {
  if (!asking.connection.has.resources) throw new Error("it has no resources");
  const resources = await allPages(asking, "resources/list", "resources");
  const templates = await allPages(asking, "resources/templates/list", "resourceTemplates").catch((error: unknown) => {
    // Many servers have resources and do not know templates.
    if (isRecord(error) && error.code === methodNotFound) return [];
    throw error;
  });
  const leave = (): void => asking.onNote("lists a resource without an address, which is left out");
  return [...readAll(resources, resourceOf, leave), ...readAll(templates, templateOf, leave)];
}

const methodNotFound = -32_601;

/** Cursors are the server's own and any text, an empty one too; one that comes again would lead in a circle (CASES C-049). */
async function allPages({ connection, signal, onNote }: Asking, method: string, member: string) {
  const items: unknown[] = [];
  let chars = 0;
  const seen = new Set<string>();
  for (let cursor: string | null = null, page = 1; ; page += 1) {
    const result = await connection.request(method, cursor === null ? {} : { cursor }, { signal });
    const listed = result[member];
    if (!Array.isArray(listed)) throw new Error(`its answer to ${method} holds no list of ${member}`);
    const found: readonly unknown[] = listed;
    const isFull = items.length + found.length > bounds.serverItemsMax;
    for (const item of found.slice(0, bounds.serverItemsMax - items.length)) {
      const size = isTooDeep(item) ? null : JSON.stringify(item).length;
      const isRoom = size !== null && chars + size <= bounds.serverListCharsMax;
      if (size === null) onNote(`answers ${method} with an item that is ${tooDeep}; it is left out`);
      else if (!isRoom) onNote(`answers ${method} with ${tooMuch}`);
      if (!isRoom) continue;
      items.push(item);
      chars += size;
    }
    const next = result.nextCursor;
    if (isFull) onNote(`answers ${method} with more than ${bounds.serverItemsMax} items; the others are left out`);
    if (isFull || typeof next !== "string") return items;
    const endless = endlessAt(next, seen, page);
    if (endless !== null) {
      onNote(`answers ${method} with ${endless}; what came until then is used`);
      return items;
    }
    cursor = next;
  }
}

const tooMuch = `more than ${bounds.serverListCharsMax} characters; what goes beyond is left out`;

function endlessAt(next: string, seen: Set<string>, page: number): string | null {
  if (seen.has(next)) return "a cursor that it gave before";
  seen.add(next);
  return page >= bounds.serverPagesMax ? `more than ${bounds.serverPagesMax} pages` : null;
}

function readAll<T>(items: readonly unknown[], read: (item: unknown) => T | null, leave: () => void): readonly T[] {
  return items.flatMap((item) => {
    const one = read(item);
    if (one === null) leave();
    return one ?? [];
  });
}

function toolOf(item: unknown): ServerTool | null {
  if (!isRecord(item) || typeof item.name !== "string" || item.name === "") return null;
  const hints = isRecord(item.annotations) ? item.annotations : {};
  const meta = isRecord(item._meta) ? item._meta : {};
  return {
    name: item.name,
    title: textOr(item.title, textOr(hints.title, null)),
    description: textOr(item.description, ""),
    inputSchema: jsonOf(item.inputSchema),
    outputSchema: jsonOf(item.outputSchema),
    readOnlyHint: hints.readOnlyHint === true,
    destructiveHint: hints.destructiveHint === true,
    alwaysLoad: meta["anthropic/alwaysLoad"] === true,
  };
}

function promptOf(item: unknown): ServerPrompt | null {
  if (!isRecord(item) || typeof item.name !== "string" || item.name === "") return null;
  const given: readonly unknown[] = Array.isArray(item.arguments) ? item.arguments : [];
  const named = given.flatMap((one) =>
    isRecord(one) && typeof one.name === "string"
      ? { name: one.name, description: textOr(one.description, ""), required: one.required === true }
      : [],
  );
  return { name: item.name, description: textOr(item.description, ""), arguments: named };
}

/** A link in a result has the same members as an item of the list. */
export function resourceOf(item: unknown): ServerResource | null {
  return isRecord(item) && typeof item.uri === "string" ? described("resource", item.uri, item) : null;
}

function templateOf(item: unknown): ServerResource | null {
  return isRecord(item) && typeof item.uriTemplate === "string" ? described("template", item.uriTemplate, item) : null;
}

function described(kind: ServerResource["kind"], uri: string, item: Record<string, unknown>): ServerResource {
  const { name, description, mimeType, size } = item;
  return {
    kind,
    uri,
    name: textOr(name, uri),
    description: textOr(description, ""),
    mimeType: textOr(mimeType, null),
    size: typeof size === "number" && size >= 0 ? size : null,
  };
}

function textOr<T>(value: unknown, other: T): string | T {
  return typeof value === "string" ? value : other;
}

/** What came out of a parser of JSON, or is not there. */
export function jsonOf(value: unknown): Json | undefined {
  // The proof: every message comes from JSON.parse, whose values are all of this type.
  return value as Json | undefined;
}
