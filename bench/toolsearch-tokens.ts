import { estimate } from "../src/budget/count.ts";
import { catalogueOf } from "../src/mcp/catalogue.ts";
import { serverRoom, serverText } from "../src/mcp/stub.ts";
import type { Searchable } from "../src/mcp/tool-search.ts";
import type { ServerState } from "../src/ports/servers.ts";

/** What every definition costs in the first request, and what stands there in their place: the names, per server. */
export function definitionTokens(tools: readonly Searchable[]): { readonly full: number; readonly deferred: number } {
  const states = [...Map.groupBy(tools, ({ server }) => server)].map(([name, own]) => stateOf(name, own));
  const catalogue = catalogueOf(states).tools;
  const stubs = states.map((state) => serverText(state, catalogue, serverRoom(states.length))?.text ?? "");
  return { full: sum(tools.map(definitionOf)), deferred: sum(stubs) };
}

function definitionOf({ name, description, parameters }: Searchable): string {
  return `{"name":${JSON.stringify(name)},"description":${JSON.stringify(description)},"input_schema":${parameters}}`;
}

function sum(texts: readonly string[]): number {
  return texts.reduce((total, text) => total + estimate(text), 0);
}

/** Only names are wanted of it: a schema that no provider takes is no reason to leave one out. */
function stateOf(name: string, tools: readonly Searchable[]): ServerState {
  return {
    name,
    source: "",
    status: { type: "ready", revision: "" },
    limits: { callMs: 0, resultTokens: null, allowed: null, denied: [], alwaysLoad: false },
    instructions: tools[0]?.instructions ?? "",
    tools: tools.map(({ tool, title, description }) => ({
      name: tool,
      title,
      description,
      inputSchema: { type: "object" },
      outputSchema: undefined,
      readOnlyHint: false,
      destructiveHint: false,
      alwaysLoad: false,
    })),
    hasResources: false,
    prompts: [],
  };
}
