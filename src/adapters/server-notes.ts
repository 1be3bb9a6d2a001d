import type { ServerState, Servers } from "../ports/servers.ts";

/**
 * Tells people of each server that is not there, once each: that it is down, or late, where the first message waits no longer
 * for it (`looked`).
 */
export function createServerNotes(servers: Servers, onNote: (text: string) => void) {
  const told = new Set<string>();
  const tell = (text: (state: ServerState) => string | null): void => {
    for (const state of servers.now()) {
      const words = text(state);
      const key = `${state.status.type} ${state.name}`;
      if (words === null || told.has(key) || told.has(`failed ${state.name}`)) continue;
      told.add(key);
      onNote(`The MCP server ${JSON.stringify(state.name)} ${words}`);
    }
  };
  let isFirst = true;
  const stop = servers.onChange(() => tell(downText));
  return {
    looked(): void {
      if (isFirst) tell((state) => (state.status.type === "starting" ? lateText : downText(state)));
      isFirst = false;
    },
    stop,
  };
}

const lateText = "is still starting; its tools come in when it is there.";

function downText({ name, status }: ServerState): string | null {
  if (status.type !== "failed") return null;
  const again = status.retryAt === null ? "It is not tried again by itself" : "It is tried again";
  return `is down: it ${status.why}. ${again}; \`varve mcp test ${shellWord(name)}\` shows how it starts.`;
}

function shellWord(name: string): string {
  return /^[\w.@:/-]+$/.test(name) && !name.startsWith("-") ? name : `'${name.replaceAll("'", "'\\''")}'`;
}
