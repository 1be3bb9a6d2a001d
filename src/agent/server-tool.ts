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
  const approved = parts.approvals.definitionOf(server, tool);
  return {
    access: {
      type: "server",
      server,
      tool,
      reads: readOnlyHint && !destructiveHint,
      changed: approved !== null && approved !== definition,
    },
    title: `${server} ${tool} ${shortInput(input)}`.trimEnd(),
    async run({ onProgress, original }: ToolContext, signal): Promise<ToolOutcome> {
      const passed = await passedInput(input, async (handle) => (await original(brand(handle)))?.text ?? null);
      if (passed.type === "bad") return failed(`${name}: ${passed.why}`);
      const checked = checkArguments(of.inputSchema, passed.input);
      if (checked.type === "bad") return failed(badInput(of, checked.faults));
      // It may run only once it was allowed: from here on this definition is the one that was.
      if (approved !== definition) await parts.approvals.approve(server, tool, definition);
      const from = parts.now();
      const answer = await parts.servers.call({ server, tool, input: checked.input }, { signal, onProgress });
      const { ending, output, images } = resultOf(answer, { server, tool });
      const served = { server, tool, name, ms: parts.now() - from };
      const cap = limits.resultTokens === null ? {} : { capTokens: limits.resultTokens };
      return { ending, output, images, exitCode: null, files: [], form: "output", served, ...cap };
    },
  };
}

function shortInput(input: Json): string {
  const text = canonicalJson(input);
  return text === "{}" ? "" : text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text;
}
