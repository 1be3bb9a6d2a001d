import { bounds } from "../kernel/bounds.ts";
import type { Json } from "../kernel/canonical.ts";
import type { ServerAsked, ServerState, Servers } from "../ports/servers.ts";
import type { Clock } from "../ports/world.ts";
import { type Mask, noMask } from "../secrets/mask.ts";
import type { ServerEntry } from "../workspace/server-settings.ts";
import { ask } from "./mcp-ask.ts";
import { calledAnswer, promptAnswer, readAnswer } from "./mcp-content.ts";
import { serverEnv } from "./mcp-env.ts";
import { listResources } from "./mcp-list.ts";
import { createServer, type RunningServer } from "./mcp-server.ts";

type Given = {
  readonly entries: readonly ServerEntry[];
  readonly clock: Clock;
  /** The parent's environment: what servers see of it is decided here, in one place. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values that no server may have, but where its entry gives them. */
  readonly hidden?: readonly string[];
  readonly mask?: Mask;
  /** Sentences for people. */
  readonly onNote: (text: string) => void;
};

/** Starts all of them at once, and returns before any of them runs. The SDK is loaded with the first. */
export function createServers({ entries, clock, env, hidden = [], mask = noMask, onNote }: Given): Servers {
  const changes = createChanges(clock);
  const servers = new Map<string, RunningServer>();
  for (const entry of [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const own = entry.launch?.type === "stdio" ? entry.launch.env : {};
    const notes = notesOf(entry.name, mask, onNote);
    const given = { entry, env: serverEnv(env, own, hidden), clock, mask, onNote: notes, onChange: changes.happened };
    servers.set(entry.name, createServer(given));
  }
  let known: readonly ServerState[] = [];
  for (const server of servers.values()) void server.start();

  return {
    now() {
      const states = [...servers.values()].map((server) => server.now());
      if (states.some((state, at) => state !== known[at])) known = states;
      return known;
    },
    settled: async (msMax) => {
      const over = new AbortController();
      const all = Promise.all([...servers.values()].map((server) => server.connection()));
      await Promise.race([all, clock.sleep(msMax, over.signal)]);
      over.abort();
    },
    onChange: changes.listen,
    call: ({ server, tool, input }, asked) =>
      to(server, asked, `The call of ${tool}`, async (connection, requested) =>
        calledAnswer(await connection.call({ tool, input, schema: schemaOf(server, tool) }, requested)),
      ),
    read: ({ server, uri }, asked) =>
      to(server, asked, "The reading", async (connection, requested) =>
        readAnswer(await connection.request("resources/read", { uri }, requested)),
      ),
    prompt: ({ server, prompt, arguments: values }, signal) =>
      to(server, silent(signal), "The prompt", async (connection, requested) =>
        promptAnswer(await connection.request("prompts/get", { name: prompt, arguments: values }, requested)),
      ),
    resources: async (server, signal) => {
      const found = await to(server, silent(signal), "The list of resources", async (connection, requested) => {
        const note = notesOf(server, mask, onNote);
        return await listResources({ connection, signal: requested.signal, onNote: note });
      });
      return "type" in found ? found.why : found;
    },
    async close() {
      changes.end();
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };

  function schemaOf(server: string, tool: string): Json | undefined {
    return servers
      .get(server)
      ?.now()
      .tools.find(({ name }) => name === tool)?.inputSchema;
  }

  function to<T>(name: string, asked: ServerAsked, title: string, request: Parameters<typeof ask<T>>[2]) {
    const server = servers.get(name);
    const why = `There is no MCP server ${JSON.stringify(name)}.`;
    return server === undefined
      ? Promise.resolve({ type: "failed" as const, why })
      : ask<T>(server, { clock, asked, title }, request);
  }
}

function silent(signal: AbortSignal): ServerAsked {
  return { signal, onProgress: () => {} };
}

/** Several changes in quick succession are told once. */
function createChanges(clock: Clock) {
  const listeners = new Set<() => void>();
  const ended = new AbortController();
  let isDue = false;
  async function tell(): Promise<void> {
    await clock.sleep(bounds.serverToldMs, ended.signal);
    isDue = false;
    if (!ended.signal.aborted) for (const listener of listeners) listener();
  }
  return {
    happened(): void {
      if (isDue || ended.signal.aborted) return;
      isDue = true;
      void tell();
    },
    listen(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    end: () => ended.abort(),
  };
}

/** Each once, and not without end. */
function notesOf(name: string, mask: Mask, onNote: (text: string) => void): (text: string) => void {
  const told = new Set<string>();
  return (text) => {
    if (told.has(text) || told.size >= bounds.serverNotesMax) return;
    told.add(text);
    onNote(`The MCP server ${JSON.stringify(name)} ${mask.text(text)}.`);
  };
}
