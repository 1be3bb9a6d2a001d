import { canonicalJson } from "../../src/kernel/canonical.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import type { RevealedTool } from "../../src/log/revealed.ts";
import { type ToolDeclaration, toolSearchName } from "../../src/prompt/doc.ts";

/** What searches for tools find in random logs; the last two are others by the names of the first. */
export const foundTools: readonly RevealedTool[] = [
  ...[0, 1, 2, 3, 4, 5].map((n) => found(`t${n}`, `Does the work ${n}, 漢字 and "more".`)),
  found("t0", "What it does was changed."),
  found("t1", "Words. ".repeat(700)),
];

function found(tool: string, description: string): RevealedTool {
  const name = `mcp__s__${tool}`;
  const inputSchema = canonicalJson({ type: "object", properties: { [tool]: { type: "number", minimum: 1.5 } } });
  const declaration = canonicalJson({ name, description, inputSchema } satisfies ToolDeclaration);
  return { name, server: "s", tool, declaration, definition: hashOf(declaration) };
}

export const searchDeclaration: ToolDeclaration = {
  name: toolSearchName,
  description: "finds tools",
  inputSchema: '{"type":"object","properties":{"query":{"type":"string"}}}',
  search: true,
};
