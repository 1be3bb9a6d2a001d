import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import { quotedName } from "../mcp/words.ts";
import type { Tool } from "../tools/tool.ts";

export const callToolName = "CallTool";

/** Calls a server's tool where the wire takes no tools in mid-conversation: its own declaration never changes (M-22). */
export function callTool(of: {
  readonly find: (name: string) => Tool | undefined;
  readonly whyMissing: (name: string) => string | null;
}): Tool {
  return {
    declaration: {
      name: callToolName,
      description: "Call a tool that ToolSearch found.",
      inputSchema: JSON.stringify({
        type: "object",
        properties: {
          tool: { type: "string", description: "its whole name" },
          input: { type: "object", description: "as its schema says" },
        },
        required: ["tool", "input"],
      }),
    },
    passesOn: true,
    readOnly: false,
    parse(given) {
      const raw = typeof given === "string" ? unwrapped(given) : given;
      if (!isRecord(raw) || typeof raw.tool !== "string")
        return bad('expected {"tool": "<name that ToolSearch gave>", "input": {...}}');
      const { tool: name, input = {} } = raw;
      const tool = of.find(name);
      if (tool === undefined)
        return bad(
          of.whyMissing(name.slice(0, nameCharsMax)) ??
            `there is no server's tool named ${quotedName(name)}; find tools with ToolSearch`,
        );
      const inner = typeof input === "string" ? unwrapped(input) : input;
      const parsed = tool.parse(inner);
      if (parsed.type === "bad") return parsed;
      return {
        type: "ok",
        call: { ...parsed.call, as: { tool: name, input: inner, given: (other) => ({ tool: name, input: other }) } },
      };
    },
  };
}

/** A longer one is no name, and is not said again. */
const nameCharsMax = 100;

function bad(why: string): { readonly type: "bad"; readonly why: string } {
  return { type: "bad", why: `CallTool: ${why}` };
}

function unwrapped(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.type === "ok" ? parsed.value : text;
}
