import type { ServerLimits, ServerState, ServerTool } from "../../src/ports/servers.ts";

const noLimits: ServerLimits = { callMs: 60_000, resultTokens: null, allowed: null, denied: [], alwaysLoad: false };

/** A tool as a server lists it. */
export function listedTool(name: string, more: Partial<ServerTool> = {}): ServerTool {
  return {
    ...{ name, title: null, description: `Does ${name}.`, inputSchema: { type: "object", properties: {} } },
    ...{ outputSchema: undefined, readOnlyHint: false, destructiveHint: false, alwaysLoad: false },
    ...more,
  };
}

/** A server that is ready. */
export function serverState(
  name: string,
  tools: readonly ServerTool[] = [],
  { limits, ...more }: Partial<Omit<ServerState, "limits">> & { readonly limits?: Partial<ServerLimits> } = {},
): ServerState {
  return {
    ...{ name, source: "test", status: { type: "ready", revision: "2026-07-28" }, instructions: null, tools },
    ...{ hasResources: false, prompts: [], limits: { ...noLimits, ...limits } },
    ...more,
  };
}
