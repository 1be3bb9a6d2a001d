import { madeOnce } from "../../kernel/once.ts";
import type { ModelChoice } from "../../log/entry.ts";
import { quoted } from "../../prompt/apply.ts";
import type { ToolDeclaration } from "../../prompt/doc.ts";
import { capabilitiesOf } from "./capabilities.ts";
import type { Rendered } from "./rendered.ts";

/** Declared as a search that we run; to other models it is a function as any other (PROTOCOLS B.5). */
export function isToolSearch({ search }: ToolDeclaration, { model }: Pick<ModelChoice, "model">): boolean {
  return search === true && capabilitiesOf(model).searchesTools;
}

const functionFor = madeOnce<ToolDeclaration, Rendered>();

export function functionTool(tool: ToolDeclaration): Rendered {
  return functionFor(tool, () => ({ part: "tool", json: `{${functionMembers(tool)}}`, joins: false }));
}

const searchFor = madeOnce<ToolDeclaration, Rendered>();

export function searchTool(tool: ToolDeclaration): Rendered {
  return searchFor(tool, () => {
    const { description, inputSchema } = tool;
    const json = `{"type":"tool_search","execution":"client","description":${quoted(description)},"parameters":${inputSchema}}`;
    return { part: "tool", json, joins: false };
  });
}

/** As a search's output brings it. */
export function foundTool(tool: ToolDeclaration): string {
  return `{${functionMembers(tool)},"defer_loading":true}`;
}

/** Left out, `strict` is tried by the service, which then sees another schema than the one that was declared. */
function functionMembers({ name, description, inputSchema }: ToolDeclaration): string {
  return `"type":"function","name":${quoted(name)},"description":${quoted(description)},"parameters":${inputSchema},"strict":false`;
}
