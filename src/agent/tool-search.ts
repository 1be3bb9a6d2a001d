import { bounds } from "../kernel/bounds.ts";
import { type Catalogue, type CatalogueTool, catalogueOf } from "../mcp/catalogue.ts";
import { type Searchable, type ToolIndex, toolIndex } from "../mcp/tool-search.ts";
import { quotedName } from "../mcp/words.ts";
import type { ServerState, Servers } from "../ports/servers.ts";
import { defineTool } from "../tools/define.ts";
import { done } from "../tools/outcome.ts";
import type { Tool, ToolOutcome } from "../tools/tool.ts";
import { revealedOf } from "./revealed-of.ts";
import { toolRoom } from "./tool-room.ts";

/** Finds tools of servers. What it finds is shown by the result: the declared tools do not change (PROTOCOLS A.7, B.5). */
export function toolSearch(servers: Servers): Tool {
  const index = searched();
  const tool = defineTool({
    name: "ToolSearch",
    description:
      'Find tools of the MCP servers by words or by exact names (select:a,b). Only names are known before; a tool that was found can be called. {"$recall": "<handle>"} in its input passes a stored result on.',
    fields: {
      query: { type: "string", optional: false },
      limit: { type: "integer", optional: true, minimum: 1, maximum: bounds.toolsFoundMax },
    },
    readOnly: true,
    plan: ({ query, limit = bounds.toolsFoundDefault }) => ({
      access: { type: "none" },
      title: `ToolSearch ${query}`,
      run: async ({ windowTokens }, signal) => {
        await Promise.race([servers.settled(bounds.serverSearchMsMax), aborted(signal)]);
        const states = servers.now();
        const { hits, near } = index(catalogueOf(states), states).search(query, limit);
        if (hits.length === 0) return nothing(query, near, states);
        return found(withinCap(hits, toolRoom(windowTokens?.() ?? Number.POSITIVE_INFINITY)), states);
      },
    }),
  });
  return { ...tool, declaration: { ...tool.declaration, search: true } };
}

type Indexed = CatalogueTool & Searchable;

/** Made anew only when the catalogue changed. */
function searched(): (catalogue: Catalogue, states: readonly ServerState[]) => ToolIndex<Indexed> {
  let known: { readonly of: Catalogue; readonly index: ToolIndex<Indexed> } | null = null;
  const before = new WeakMap<CatalogueTool, Indexed>();
  return (catalogue, states) => {
    if (known?.of === catalogue) return known.index;
    const instructions = new Map(states.map((state) => [state.name, state.instructions ?? ""]));
    const tools = catalogue.tools.map((tool) => {
      const one = indexed(tool, instructions.get(tool.server) ?? "", before.get(tool));
      before.set(tool, one);
      return one;
    });
    known = { of: catalogue, index: toolIndex(tools) };
    return known.index;
  };
}

/** The same object where nothing of it changed: the index knows it again. */
function indexed(tool: CatalogueTool, instructions: string, before: Indexed | undefined): Indexed {
  if (before?.instructions === instructions) return before;
  const { description, inputSchema } = tool.declaration;
  return { ...tool, description, parameters: inputSchema, instructions };
}

/** `left`: found, and not shown. */
type Shown = { readonly tools: readonly CatalogueTool[]; readonly left: readonly string[] };

/** The best ones; one at least, if it is not several times as large as what there is room for. */
function withinCap(hits: readonly CatalogueTool[], room: number): Shown {
  let left = Math.min(bounds.toolsFoundCharsMax, room);
  const tools = hits.filter(({ declaration }, at) => {
    const chars = declaration.description.length + declaration.inputSchema.length;
    const fits = chars <= left || (at === 0 && chars <= firstShare * room);
    if (fits) left -= chars;
    return fits;
  });
  return { tools, left: hits.filter((hit) => !tools.includes(hit)).map(({ name }) => name) };
}

const firstShare = 3;

function found({ tools, left }: Shown, states: readonly ServerState[]): ToolOutcome {
  const lines = tools.map(({ declaration: { name, description, inputSchema } }) => {
    return `## ${name}\n${description}\nInput schema: ${inputSchema}`;
  });
  const more = left.length === 0 ? [] : [`Also found, too large to show here: ${left.join(", ")}`];
  const how = "Call these through CallTool, with `tool` and `input`, where they are not among your own tools.";
  const output = [how, ...lines, ...more, ...troubles(states)].join("\n\n");
  return done(output, { notes: [{ type: "revealed", tools: tools.map(revealedOf) }] });
}

function nothing(query: string, near: readonly string[], states: readonly ServerState[]): ToolOutcome {
  const names = near.length === 0 ? [] : [`Names like it: ${near.join(", ")}`];
  const ready = states
    .filter(({ status }) => status.type === "ready")
    .map(({ name, tools }) => `${name} (${tools.length} tools)`);
  const there = ready.length === 0 ? "No MCP server is connected." : `Connected: ${ready.join(", ")}.`;
  return done([`No tool found for ${quotedName(query)}.`, ...names, there, ...troubles(states)].join("\n"));
}

/** A tool may be missing because its server is. */
function troubles(states: readonly ServerState[]): readonly string[] {
  return states.flatMap(({ name, status }) => {
    if (status.type === "failed") return [`The MCP server "${name}" is down: ${status.why}`];
    if (status.type === "starting") return [`The MCP server "${name}" is still starting: its tools are not known yet.`];
    return [];
  });
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
