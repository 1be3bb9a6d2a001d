import { blocksOf, listOf, messagesOf, recordOf, textOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;
type Block = Readonly<Record<string, unknown>>;

/** The additions and removals that take a request's tools to those in effect at its end: of each tool the newest (PROTOCOLS A.5, A.6). */
export function toolChanges(body: Body): readonly Block[] {
  const newest = new Map<string, Block>();
  for (const block of blocks(body)) {
    const changes = block.type === "compaction" ? listOf(block.tool_changes).map(recordOf) : [block];
    for (const change of changes) {
      if (change.type !== "tool_addition" && change.type !== "tool_removal") continue;
      const { cache_control: _mark, ...bare } = change;
      newest.set(nameIn(change), bare);
    }
  }
  return [...newest.values()];
}

/** Every tool that a conversation names without calling it: changes, and results of a search. */
export function toolsReferenced(body: Body): readonly string[] {
  const found = blocks(body)
    .flatMap((block) => blocksOf(block.content))
    .filter(({ type }) => type === "tool_reference");
  return [...new Set([...toolChanges(body).map(nameIn), ...found.map(nameIn)])];
}

function blocks(body: Body): readonly Block[] {
  return messagesOf(body).flatMap(({ content }) => blocksOf(content));
}

function nameIn(block: Block): string {
  const tool = recordOf(block.tool);
  return textOf(block.tool_name) || textOf(tool.tool_name) || textOf(tool.name);
}
