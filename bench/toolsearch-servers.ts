import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../src/adapters/clock.ts";
import { createServers } from "../src/adapters/mcp-servers.ts";
import { bounds } from "../src/kernel/bounds.ts";
import { isRecord } from "../src/kernel/canonical.ts";
import { parseJson } from "../src/kernel/json.ts";
import { toolName } from "../src/mcp/names.ts";
import type { Searchable } from "../src/mcp/tool-search.ts";
import type { ServerEntry } from "../src/workspace/server-settings.ts";

const bin = fileURLToPath(new URL("../node_modules/.bin/", import.meta.url));

/** What the servers of such a file list now: alias and command line of programs that are installed here. `skipped`: those that do not. */
export async function listedNow(
  text: string,
): Promise<{ readonly tools: readonly Searchable[]; readonly skipped: readonly string[] }> {
  const parsed = parseJson(text);
  const named = parsed.type === "ok" && isRecord(parsed.value) ? Object.entries(parsed.value) : [];
  const entries = named.flatMap(([name, line]) => (Array.isArray(line) ? [entryOf(name, line.map(String))] : []));
  const servers = createServers({ entries, clock: systemClock, env: process.env, onNote: () => {} });
  try {
    await servers.settled(bounds.serverStartMsMax);
    const states = servers.now();
    // The definitions alone, as the other lists have them.
    return {
      tools: states.flatMap(({ name: server, tools }) =>
        tools.map(({ name, title, description, inputSchema }) => ({
          ...{ name: toolName(server, name), server, tool: name, title: title ?? "", description },
          ...{ parameters: JSON.stringify(inputSchema ?? {}), instructions: "" },
        })),
      ),
      skipped: states.flatMap(({ name, status }) => (status.type === "ready" ? [] : [`${name} is not up`])),
    };
  } finally {
    await servers.close();
  }
}

function entryOf(name: string, [command = "", ...args]: readonly string[]): ServerEntry {
  const limits = { callMs: 30_000, resultTokens: null, allowed: null, denied: [], alwaysLoad: false };
  const launch = { type: "stdio", command: join(bin, command), args, env: {}, cwd: process.cwd() } as const;
  return { name, source: "servers.json", scope: "given", launch, limits, off: null };
}
