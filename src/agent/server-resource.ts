import { isRecord } from "../kernel/canonical.ts";
import { serverPrefix } from "../mcp/names.ts";
import { resultOf } from "../mcp/result.ts";
import type { ServerResource, Servers } from "../ports/servers.ts";
import { defineTool } from "../tools/define.ts";
import { done, failed } from "../tools/outcome.ts";
import type { Tool, ToolOutcome } from "../tools/tool.ts";

/** Resources of servers: listed when asked for, read by their address, never loaded beforehand (M-23). */
export function resourceTool(servers: Servers): Tool {
  return defineTool({
    name: "Resource",
    description: "Read a resource of an MCP server by its uri; without one, list what the server has.",
    fields: {
      server: { type: "string", optional: false },
      uri: { type: "string", optional: true },
    },
    readOnly: true,
    plan: ({ server, uri }) => ({
      access: { type: "server", server, tool: "resources", reads: true, changed: false },
      // A rule for the whole server is one for what it has to read, too.
      as: {
        tool: `${serverPrefix(server)}resources`,
        input: { uri },
        given: (other) => ({ server, ...(isRecord(other) ? other : {}) }),
      },
      title: `Resource ${server}${uri === undefined ? "" : ` ${uri}`}`,
      run: async ({ onProgress }, signal) => {
        const known = servers.now().map(({ name }) => name);
        if (!known.includes(server))
          return failed(`Resource: there is no MCP server "${server}". Servers: ${known.join(", ")}.`);
        if (uri === undefined) return listed(await servers.resources(server, signal), server);
        const { ending, output, images } = resultOf(await servers.read({ server, uri }, { signal, onProgress }), {
          server,
          tool: uri,
        });
        return { ending, output, images, exitCode: null, files: [], form: "output" };
      },
    }),
  });
}

function listed(found: readonly ServerResource[] | string, server: string): ToolOutcome {
  if (typeof found === "string") return failed(found);
  if (found.length === 0) return done(`${server} has no resources.`);
  return done(found.map(line).join("\n"), { form: "output" });
}

function line({ kind, uri, name, description, mimeType, size }: ServerResource): string {
  const facts = [mimeType, size === null ? null : `${size} bytes`].filter((fact) => fact !== null);
  const about = [name === uri ? "" : name, description].filter((part) => part !== "").join(": ");
  const words = [facts.length === 0 ? "" : `(${facts.join(", ")})`, about].filter((part) => part !== "").join(" ");
  return `${uri}${kind === "template" ? " (fill in the braces)" : ""}${words === "" ? "" : ` ${words}`}`.replaceAll(
    /\s+/g,
    " ",
  );
}
