import type { RevealedTool } from "../log/revealed.ts";
import { type CatalogueTool, catalogueOf } from "../mcp/catalogue.ts";
import type { NotedCall } from "../mcp/measured.ts";
import { serverPrefix } from "../mcp/names.ts";
import type { ServerState } from "../ports/servers.ts";
import type { Tool } from "../tools/tool.ts";
import { callTool } from "./call-tool.ts";
import { revealedOf } from "./revealed-of.ts";
import { goneText } from "./server-gone.ts";
import type { ServerParts } from "./server-parts.ts";
import { resourceTool } from "./server-resource.ts";
import { isChanged, serverTool } from "./server-tool.ts";
import { toolSearch } from "./tool-search.ts";

/** Tools of MCP servers. They come and go; what is declared of them does not (M-20, M-22). */
export type ServerTools = {
  /** The few that are declared from the start: to search, to call, to read resources. */
  readonly declared: readonly Tool[];
  /** By the name that the model calls it by, whether it was found before or not. */
  find(name: string): Tool | undefined;
  /** What is to be declared with the next epoch though nobody searched for it; not before it is allowed, where it changed. */
  always(): readonly RevealedTool[];
  isAlways(name: string): boolean;
  /** Why a name that stands for a server's tool cannot be called; null: it stands for none. `shown`: it was found once. */
  whyMissing(name: string, shown: RevealedTool | undefined): string | null;
  /** A result has its first form. */
  noted(call: NotedCall): void;
};

export function serverTools(parts: ServerParts): ServerTools {
  const { servers } = parts;
  const made = new WeakMap<CatalogueTool, Tool>();
  const byName = indexed();
  const find = (name: string): Tool | undefined => {
    const found = byName(servers.now()).get(name);
    if (found === undefined) return undefined;
    const tool = made.get(found) ?? serverTool(found, parts);
    made.set(found, tool);
    return tool;
  };
  const always = () => catalogueOf(servers.now()).tools.filter(({ alwaysLoad }) => alwaysLoad);
  const whyMissing: ServerTools["whyMissing"] = (name, shown) => missing(name, shown, servers.now());
  return {
    declared: [
      callTool({ find, whyMissing: (name) => whyMissing(name, undefined) }),
      resourceTool(servers),
      toolSearch(servers),
    ],
    find,
    always: () =>
      always()
        .filter((tool) => !isChanged(tool, parts))
        .map(revealedOf),
    isAlways: (name) => always().some((tool) => tool.name === name),
    whyMissing,
    noted: parts.onResult,
  };
}

/** The catalogue is the same object while nothing changed. */
function indexed(): (states: readonly ServerState[]) => ReadonlyMap<string, CatalogueTool> {
  let known: { readonly of: readonly CatalogueTool[]; readonly map: ReadonlyMap<string, CatalogueTool> } | null = null;
  return (states) => {
    const { tools } = catalogueOf(states);
    if (known?.of !== tools) known = { of: tools, map: new Map(tools.map((tool) => [tool.name, tool])) };
    return known.map;
  };
}

function missing(name: string, shown: RevealedTool | undefined, states: readonly ServerState[]): string | null {
  const state = states.find((one) =>
    shown === undefined ? name.startsWith(serverPrefix(one.name)) : one.name === shown.server,
  );
  if (shown === undefined && state === undefined)
    return name.startsWith("mcp__")
      ? `No MCP server that is configured has a tool named "${name}". Find tools with ToolSearch.`
      : null;
  const server = state?.name ?? shown?.server ?? "";
  const tool = shown?.tool ?? name;
  if (state === undefined) return goneText({ server, tool });
  if (state.status.type === "off")
    return `The MCP server "${server}" is off (${state.status.why}), so its tool "${tool}" cannot be called.`;
  if (state.status.type === "failed")
    return `The MCP server "${server}" is down (${state.status.why}), so its tool "${tool}" cannot be called.`;
  if (state.status.type === "starting")
    return `The MCP server "${server}" is still starting: try "${tool}" again in a moment.`;
  return `The MCP server "${server}" has no tool "${tool}"${shown === undefined ? "" : " any more"}. Find what it has with ToolSearch.`;
}
