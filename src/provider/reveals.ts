import { madeOnce } from "../kernel/once.ts";
import type { Piece } from "../log/block.ts";
import type { ToolDeclaration } from "../prompt/doc.ts";
import { parsedDeclaration } from "../prompt/head.ts";
import { isJsonObject, plain } from "./text.ts";

/** What a result shows, each tool once, and which of these nothing in front of it shows. */
export type Revealed = { readonly tools: readonly ToolDeclaration[]; readonly added: readonly ToolDeclaration[] };

/**
 * Asked piece after piece for what each reveals; null: nothing, or what a wire cannot say, so that its words stand for it. One
 * name stands for one definition in a whole request: a result that shows another one under it is such a case.
 * `before`: what stands in front of the first.
 */
export function revealing(
  head: readonly ToolDeclaration[],
  before: readonly Piece[],
): (piece: Piece) => Revealed | null {
  let known: Map<string, ToolDeclaration> | null = null;
  return (piece) => {
    const tools = declarationsIn(piece);
    if (tools === null) return null;
    if (known === null) {
      known = new Map(head.map((tool) => [tool.name, tool]));
      for (const earlier of before) take(declarationsIn(earlier), known);
    }
    return take(tools, known);
  };
}

function take(tools: readonly ToolDeclaration[] | null, known: Map<string, ToolDeclaration>): Revealed | null {
  if (tools === null || tools.some((tool) => isOther(tool, known.get(tool.name)))) return null;
  const added = tools.filter(({ name }) => !known.has(name));
  for (const tool of added) known.set(tool.name, tool);
  return { tools, added };
}

function isOther(tool: ToolDeclaration, known: ToolDeclaration | undefined): boolean {
  if (known === undefined) return false;
  return known.description !== tool.description || known.inputSchema !== tool.inputSchema;
}

const declarations = madeOnce<Piece, readonly ToolDeclaration[] | null>();

function declarationsIn(piece: Piece): readonly ToolDeclaration[] | null {
  const { block } = piece;
  if (block.type !== "tool-result" || block.reveals === undefined || block.reveals.length === 0) return null;
  const { reveals } = block;
  return declarations(piece, () => uniqueOf(reveals.map((text) => parsedDeclaration(plain(text)))));
}

/** null where one of them cannot be declared: its text is lost or damaged, or two say different things. */
function uniqueOf(tools: readonly (ToolDeclaration | null)[]): readonly ToolDeclaration[] | null {
  const found = new Map<string, ToolDeclaration>();
  for (const tool of tools) {
    if (tool === null || !isDeclarable(tool) || isOther(tool, found.get(tool.name))) return null;
    if (!found.has(tool.name)) found.set(tool.name, tool);
  }
  return [...found.values()];
}

function isDeclarable({ name, inputSchema }: ToolDeclaration): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) && isJsonObject(inputSchema);
}
