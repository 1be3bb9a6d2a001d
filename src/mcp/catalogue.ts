import { bounds } from "../kernel/bounds.ts";
import { canonicalJson, type Json } from "../kernel/canonical.ts";
import { hashOf } from "../kernel/hash.ts";
import type { Hash } from "../kernel/ids.ts";
import { isTooDeep, tooDeep } from "../kernel/json.ts";
import type { ServerLimits, ServerState, ServerTool } from "../ports/servers.ts";
import type { ToolDeclaration } from "../prompt/doc.ts";
import { starMatch } from "../workspace/rule-command.ts";
import { toolName } from "./names.ts";
import { declaredSchema } from "./schema.ts";
import { cutWords, quotedName, serverWords } from "./words.ts";

/** A server's tool as a session knows it. */
export type CatalogueTool = {
  /** As the model calls it. */
  readonly name: string;
  /** The server's alias, and its own name of the tool. */
  readonly server: string;
  readonly tool: string;
  /** For people; never empty. */
  readonly title: string;
  readonly declaration: ToolDeclaration;
  /** Of what the server says of it, as it came: another definition under the same name is noticed by it. */
  readonly definition: Hash;
  /** As it came; what arguments are checked against. */
  readonly inputSchema: Json | undefined;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly alwaysLoad: boolean;
  readonly limits: ServerLimits;
};

export type CatalogueWarning = { readonly server: string; readonly text: string };

export type Catalogue = {
  /** By name, by code units: the same whichever server connected first (CASES C-031). */
  readonly tools: readonly CatalogueTool[];
  /** What was left out or repaired, each naming server and tool. */
  readonly warnings: readonly CatalogueWarning[];
};

/** Asking again costs next to nothing: what follows from one state of a server is worked out once. */
export function catalogueOf(states: readonly ServerState[]): Catalogue {
  const [first] = states;
  if (first === undefined) return nothing;
  const known = merged.get(first);
  if (known !== undefined && isSame(known.states, states)) return known.catalogue;
  const catalogue = mergedOf(states);
  merged.set(first, { states, catalogue });
  return catalogue;
}

const nothing: Catalogue = { tools: [], warnings: [] };

/** Under the first of its states; a state is never changed in place (ports/servers.ts). */
const merged = new WeakMap<ServerState, { readonly states: readonly ServerState[]; readonly catalogue: Catalogue }>();
/** Under its tools: they stay the same lists while its status changes. */
const ofTools = new WeakMap<ServerState["tools"], { readonly state: ServerState; readonly catalogue: Catalogue }>();

function isSame(a: readonly ServerState[], b: readonly ServerState[]): boolean {
  return a.length === b.length && a.every((state, at) => state === b[at]);
}

function mergedOf(states: readonly ServerState[]): Catalogue {
  const parts = states.toSorted((a, b) => order(a.name, b.name)).map((state) => serverCatalogue(state));
  const { kept, warnings } = onceEach(parts.flatMap(({ tools }) => tools));
  return {
    tools: kept.toSorted((a, b) => order(a.name, b.name)),
    warnings: [...parts.flatMap((part) => part.warnings), ...warnings],
  };
}

/** One server's part of it. */
function serverCatalogue(state: ServerState): Catalogue {
  if (state.status.type === "off") return nothing;
  const known = ofTools.get(state.tools);
  if (known?.state.name === state.name && known.state.limits === state.limits) return known.catalogue;
  const catalogue = listed(state);
  ofTools.set(state.tools, { state, catalogue });
  return catalogue;
}

function listed(state: ServerState): Catalogue {
  const warnings: CatalogueWarning[] = [];
  const warn = (tool: ServerTool, what: string): void => {
    warnings.push({ server: state.name, text: `${quotedName(state.name)}: tool ${quotedName(tool.name)} ${what}` });
  };
  const tools = state.tools
    .filter((tool) => isWanted(tool.name, state.limits))
    .flatMap((tool) => {
      const made = catalogueTool(state, tool);
      if (made.type === "bad") {
        warn(tool, `is left out: ${made.why}`);
        return [];
      }
      if (made.repairs.length > 0) warn(tool, `has a schema that was repaired: ${made.repairs.join("; ")}`);
      return [made.tool];
    });
  const { kept, warnings: repeated } = onceEach(tools);
  return { tools: kept, warnings: [...warnings, ...repeated] };
}

function isWanted(tool: string, { allowed, denied }: ServerLimits): boolean {
  const isNamed = (pattern: string): boolean => starMatch(pattern, tool);
  return (allowed === null || allowed.some(isNamed)) && !denied.some(isNamed);
}

type Made =
  | { readonly type: "ok"; readonly tool: CatalogueTool; readonly repairs: readonly string[] }
  | { readonly type: "bad"; readonly why: string };

function catalogueTool(state: ServerState, given: ServerTool): Made {
  if (isTooDeep(given.inputSchema)) return { type: "bad", why: `its schema is ${tooDeep}` };
  const schema = declaredSchema(given.inputSchema);
  if (schema.type === "bad") return schema;
  const { name: tool, description, inputSchema, readOnlyHint, destructiveHint } = given;
  const name = toolName(state.name, tool);
  const title = serverWords(given.title ?? "").replaceAll(/\s+/g, " ");
  return {
    type: "ok",
    repairs: schema.repairs,
    tool: {
      ...{ name, server: state.name, tool, inputSchema, readOnlyHint, destructiveHint },
      title: title === "" ? tool : cutWords(title, bounds.serverTitleCharsMax),
      declaration: {
        name,
        description: descriptionOf(description === "" ? title : description, schema.said),
        inputSchema: schema.inputSchema,
      },
      definition: definitionOf(given),
      alwaysLoad: given.alwaysLoad || state.limits.alwaysLoad,
      limits: state.limits,
    },
  };
}

function descriptionOf(words: string, said: readonly string[]): string {
  return [cutWords(serverWords(words), bounds.serverToolCharsMax), ...said].filter((part) => part !== "").join("\n");
}

function definitionOf({ name, title, description, inputSchema, readOnlyHint, destructiveHint }: ServerTool): Hash {
  return hashOf(canonicalJson({ name, title, description, inputSchema, readOnlyHint, destructiveHint }));
}

/** The first of a name stands. */
function onceEach(tools: readonly CatalogueTool[]): {
  readonly kept: readonly CatalogueTool[];
  readonly warnings: readonly CatalogueWarning[];
} {
  const first = new Map<string, CatalogueTool>();
  const warnings: CatalogueWarning[] = [];
  for (const tool of tools) {
    const before = first.get(tool.name);
    if (before === undefined) first.set(tool.name, tool);
    else warnings.push({ server: tool.server, text: repeatedText(before, tool) });
  }
  return { kept: [...first.values()], warnings };
}

function repeatedText(before: CatalogueTool, { server, tool, definition }: CatalogueTool): string {
  const how = before.definition === definition ? "the same definition" : "another definition";
  return `${quotedName(server)}: tool ${quotedName(tool)} is listed more than once, with ${how}: the first one stands`;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
