import { inputItemsOf, listOf, recordOf, textOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;

/** A tool the model may call by name, wherever it was declared (PROTOCOLS B.3, B.5). */
export type DeclaredTool = {
  readonly type: "function" | "custom";
  readonly name: string;
  readonly namespace: string | null;
  readonly tool: Body;
  /** The list it stands in, as the service names it. */
  readonly path: string;
};

/** What a brain calls the search that the client runs; on the wire it has a kind of its own and no name. */
export const toolSearchName = "ToolSearch";

/** Found by nobody yet, a deferred tool is not read; what a search found is, whatever it says of itself. */
export function shownTools(body: Body): readonly DeclaredTool[] {
  const shown = declaredTools(body).filter(({ tool, path }) => tool.defer_loading !== true || isFound(path, body));
  return [...new Map(shown.map((one) => [`${one.namespace ?? ""} ${one.name}`, one])).values()];
}

function isFound(path: string, body: Body): boolean {
  const at = /^input\[(\d+)\]/.exec(path)?.[1];
  return at !== undefined && inputItemsOf(body)[Number(at)]?.type === "tool_search_output";
}

/** The search that the client runs; undefined: none is declared. */
export function clientSearch(body: Body): Body | undefined {
  const declared = toolListsOf(body).flatMap(({ tools }) => tools);
  return declared.find(({ type, execution }) => type === "tool_search" && execution === "client");
}

/** All of a request, in the order they are rendered: `tools`, then what items of the input add. */
export function declaredTools(body: Body): readonly DeclaredTool[] {
  return toolListsOf(body).flatMap(({ tools, path }) => tools.flatMap((tool, at) => callable(tool, `${path}[${at}]`)));
}

/** Each list of tools in a request with its place. */
export function toolListsOf(body: Body): readonly { readonly tools: readonly Body[]; readonly path: string }[] {
  const added = inputItemsOf(body).flatMap((item, at) =>
    item.type === "additional_tools" || item.type === "tool_search_output"
      ? [{ tools: listOf(item.tools).map(recordOf), path: `input[${at}].tools` }]
      : [],
  );
  return [{ tools: listOf(body.tools).map(recordOf), path: "tools" }, ...added];
}

function callable(tool: Body, path: string): readonly DeclaredTool[] {
  if (tool.type === "function" || tool.type === "custom")
    return [{ type: tool.type, name: textOf(tool.name), namespace: null, tool, path }];
  if (tool.type !== "namespace") return [];
  const namespace = textOf(tool.name);
  return listOf(tool.tools)
    .map(recordOf)
    .flatMap((inner, at) => callable(inner, `${path}.tools[${at}]`).map((one) => ({ ...one, namespace })));
}
