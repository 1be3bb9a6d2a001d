import { canonicalJson, type Json } from "../kernel/canonical.ts";
import { brand } from "../kernel/ids.ts";
import { checkArguments } from "../mcp/arguments.ts";
import type { CatalogueTool } from "../mcp/catalogue.ts";
import { passedInput } from "../mcp/passed.ts";
import { resultOf } from "../mcp/result.ts";
import { failed } from "../tools/outcome.ts";
import type { ParsedCall, Tool, ToolContext, ToolOutcome } from "../tools/tool.ts";
import type { ServerParts } from "./server-parts.ts";

/** One tool of a server. What it is called with is checked here first: a server is asked nothing that it must refuse. */
export function serverTool(of: CatalogueTool, parts: ServerParts): Tool {
  return {
    declaration: of.declaration,
    readOnly: of.readOnlyHint,
    parse(given) {
      const checked = checkArguments(of.inputSchema, given);
      if (checked.type === "ok") return { type: "ok", call: callOf(of, checked.input, parts) };
      // A stored result that is passed on is put in when the call runs, and checked then.
      const later = checkArguments(true, given);
      if (later.type === "ok" && JSON.stringify(later.input).includes('"$recall"'))
        return { type: "ok", call: callOf(of, later.input, parts) };
      return { type: "bad", why: badInput(of, checked.faults) };
    },
  };
}

/** The first mistake brings the schema, so that there is no second one (a tool may be called before it was found). */
function badInput({ name, server, tool, declaration }: CatalogueTool, faults: readonly string[]): string {
  const lines = faults.map((fault) => `- ${fault}`).join("\n");
  return `${name}: the input does not fit; "${server}" was not asked.\n${lines}\nInput schema of "${tool}": ${declaration.inputSchema}`;
}

function callOf(of: CatalogueTool, input: Json, parts: ServerParts): ParsedCall {
  const { server, tool, readOnlyHint, destructiveHint, definition, name, limits } = of;
  return {
    access: {
      type: "server",
      server,
      tool,
      reads: readOnlyHint && !destructiveHint,
      changed: isChanged(of, parts),
    },
    title: `${server} ${tool} ${shortInput(input)}`.trimEnd(),
    async onAllowed() {
      if (parts.approvals.definitionOf(server, tool) !== definition)
        await parts.approvals.approve(server, tool, definition);
    },
    async run({ onProgress, original }: ToolContext, signal): Promise<ToolOutcome> {
      // The server may have changed it since the question was put: that answer was about another tool.
      if (isChanged(of, parts)) return failed(`${name}: ${changedText(server)}`);
      const passed = await passedInput(input, async (handle) => (await original(brand(handle)))?.text ?? null);
      if (passed.type === "bad") return failed(`${name}: ${passed.why}`);
      const checked = checkArguments(of.inputSchema, passed.input);
      if (checked.type === "bad") return failed(badInput(of, checked.faults));
      const from = parts.now();
      const answer = await parts.servers.call({ server, tool, input: checked.input }, { signal, onProgress });
      const { ending, output, images } = resultOf(answer, { server, tool });
      const served = { server, tool, name, ms: parts.now() - from };
      const cap = limits.resultTokens === null ? {} : { capTokens: limits.resultTokens };
      return { ending, output, images, exitCode: null, files: [], form: "output", served, ...cap };
    },
  };
}

/** It is not what was allowed to run before. */
export function isChanged({ server, tool, definition }: CatalogueTool, { approvals }: ServerParts): boolean {
  const approved = approvals.definitionOf(server, tool);
  return approved !== null && approved !== definition;
}

function changedText(server: string): string {
  return `the MCP server "${server}" says something else of it than when this call was allowed, so it was not called. Call it again to have it asked about.`;
}

function shortInput(input: Json): string {
  const text = canonicalJson(input);
  return text === "{}" ? "" : text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text;
}
