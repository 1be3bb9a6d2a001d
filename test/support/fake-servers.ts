import { lookInAll } from "../../src/adapters/knowledge.ts";
import { serversLook } from "../../src/adapters/servers-told.ts";
import type { Approvals } from "../../src/agent/server-parts.ts";
import { type ServerTools, serverTools } from "../../src/agent/server-tools.ts";
import type { Json } from "../../src/kernel/canonical.ts";
import { noMeasures } from "../../src/mcp/card-measures.ts";
import type { Knowledge } from "../../src/ports/knowledge.ts";
import type { ServerAnswer, ServerState, Servers } from "../../src/ports/servers.ts";

/** Servers whose states a test sets, and whose answers it gives; what was called is kept. */
export function fakeServers(
  first: readonly ServerState[],
  answer: (of: { readonly server: string; readonly tool: string; readonly input: Json }) => ServerAnswer = ({ tool }) =>
    said(`answer of ${tool}`),
) {
  let states = first;
  const listeners = new Set<() => void>();
  const called: { readonly server: string; readonly tool: string; readonly input: Json }[] = [];
  const servers: Servers = {
    now: () => states,
    settled: async () => {},
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async call(of) {
      called.push(of);
      return answer(of);
    },
    resources: async () => [],
    read: async ({ uri }) => said(`content of ${uri}`),
    prompt: async ({ prompt }) => said(`prompt ${prompt}`),
    close: async () => {},
  };
  return {
    servers,
    called,
    set(next: readonly ServerState[]) {
      states = next;
      for (const listener of listeners) listener();
    },
  };
}

export function said(text: string): ServerAnswer {
  return { type: "answer", isError: false, content: [{ type: "text", text }], structured: undefined };
}

export function memoryApprovals(): Approvals {
  const known = new Map<string, ReturnType<Approvals["definitionOf"]>>();
  return {
    definitionOf: (server, tool) => known.get(`${server} ${tool}`) ?? null,
    async approve(server, tool, definition) {
      known.set(`${server} ${tool}`, definition);
    },
  };
}

export function toolsOf(servers: Servers, more: Partial<Parameters<typeof serverTools>[0]> = {}): ServerTools {
  return serverTools({
    servers,
    approvals: memoryApprovals(),
    now: () => 0,
    onResult: () => {},
    ...more,
  });
}

/** What the conversation is told of them, as in a real session. */
export function serverKnowledge(servers: Servers): Knowledge {
  const look = serversLook(servers, noMeasures);
  return { look: (at) => lookInAll([{ name: "MCP servers", look: (asked) => look(asked, 200_000) }], at) };
}
