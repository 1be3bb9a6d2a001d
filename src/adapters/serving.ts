import { type ServerTools, serverTools } from "../agent/server-tools.ts";
import type { Session } from "../agent/session.ts";
import { bounds } from "../kernel/bounds.ts";
import type { ProjectId } from "../kernel/ids.ts";
import { due, measuredEntries, noSums, noted } from "../mcp/measured.ts";
import type { LookAt, Told } from "../ports/knowledge.ts";
import type { Servers } from "../ports/servers.ts";
import type { LogStore } from "../ports/store.ts";
import type { Clock } from "../ports/world.ts";
import type { Tool } from "../tools/tool.ts";
import type { ServerEntry } from "../workspace/server-settings.ts";
import { cardStore } from "./cards.ts";
import { systemClock } from "./clock.ts";
import type { Guarded } from "./guarded.ts";
import { maskedServers } from "./masked-servers.ts";
import { createServers } from "./mcp-servers.ts";
import { serverLines } from "./server-lines.ts";
import { createServerNotes } from "./server-notes.ts";
import { type PromptCalls, promptCallsOf } from "./server-prompts.ts";
import { serversLook } from "./servers-told.ts";
import { toolApprovals } from "./tool-approvals.ts";

/** The MCP servers of a session, which its lanes share. */
export type Serving = {
  readonly servers: Servers;
  readonly tools: ServerTools;
  /** What they say of themselves, for the conversation. */
  readonly look: (at: LookAt, windowTokens: number) => Promise<Told>;
  /** Their prompts as commands. */
  readonly prompts: (session: Pick<Session, "call">) => PromptCalls;
  /** Each with its state, for people. */
  readonly lines: () => Promise<string>;
  close(): Promise<void>;
};

/** Starts them; nothing waits until they are there. */
export async function startServing(of: {
  readonly entries: readonly ServerEntry[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly guarded: Guarded;
  readonly log: LogStore;
  readonly project: ProjectId | null;
  readonly clock: Clock;
  readonly onNote: (text: string) => void;
}): Promise<Serving> {
  const { entries, env, guarded, log, project, clock, onNote } = of;
  const { mask, hidden } = guarded;
  const servers = maskedServers(createServers({ entries, clock, env, hidden, mask, onNote }), mask);
  const notes = createServerNotes(servers, onNote);
  const cards = cardStore(log, project);
  let sums = noSums;
  let adding: Promise<unknown> = Promise.resolve();
  const add = () => {
    const states = new Map(servers.now().map((state) => [state.name, state]));
    const measured = measuredEntries(sums, (name) => states.get(name)?.tools ?? []);
    sums = noSums;
    if (measured.length > 0) adding = adding.then(() => cards.add(measured));
  };
  const tools = serverTools({
    servers,
    approvals: await toolApprovals(log, project, onNote),
    now: () => clock.now(),
    onResult(call) {
      sums = noted(sums, call);
      if (due(sums)) add();
    },
  });
  // What is told of their cost was measured before this session, and does not change in it.
  const look = serversLook(servers, await cards.read());
  return {
    servers,
    tools,
    look: async (at, windowTokens) => {
      notes.looked();
      return await look(at, windowTokens);
    },
    prompts: (session) => promptCallsOf(session, servers),
    lines: async () => {
      await servers.settled(bounds.serverSearchMsMax);
      return serverLines(servers);
    },
    async close() {
      notes.stop();
      add();
      await Promise.all([servers.close(), adding]);
    },
  };
}

/** What is declared wherever servers are configured, whichever they are. */
export function toolsForServers(): readonly Tool[] {
  const servers = createServers({ entries: [], clock: systemClock, env: {}, onNote: () => {} });
  const approvals = { definitionOf: () => null, approve: async () => {} };
  return serverTools({ servers, approvals, now: () => 0, onResult: () => {} }).declared;
}
