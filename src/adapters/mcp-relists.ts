import { bounds } from "../kernel/bounds.ts";
import { canonicalJson, type Json } from "../kernel/canonical.ts";
import type { ServerState } from "../ports/servers.ts";
import type { Clock } from "../ports/world.ts";
import type { Connection, ServerList } from "./mcp-connection.ts";
import { faultOf } from "./mcp-fault.ts";
import { limitOf } from "./mcp-limit.ts";
import { listPrompts, listTools } from "./mcp-list.ts";
import { createRelist } from "./mcp-relist.ts";

type Given = {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onNote: (text: string) => void;
  readonly now: () => ServerState;
  readonly change: (part: Partial<ServerState>) => void;
  /** Once it is not starting: what it says meanwhile may come behind the list it gave. null: it is not there. */
  readonly connection: () => Promise<Connection | null>;
};

/** What a server's notice of a change leads to, for each of its lists. A list that is the same changes nothing. */
export function createRelists(given: Given): Readonly<Record<ServerList, { notice(): void }>> {
  const { clock, signal } = given;
  const of = (list: "tools" | "prompts") =>
    createRelist({
      clock,
      signal,
      list: async () => {
        const connection = await given.connection();
        if (connection !== null) await listAgain(list, connection, given);
      },
    });
  // Resources are listed when somebody asks for them.
  return { tools: of("tools"), prompts: of("prompts"), resources: { notice: () => {} } };
}

async function listAgain(
  list: "tools" | "prompts",
  connection: Connection,
  { clock, signal, onNote, now, change }: Given,
): Promise<void> {
  const limit = limitOf(clock, bounds.serverStartMsMax, signal);
  const asking = { connection, signal: limit.signal, onNote };
  try {
    const found = list === "tools" ? { tools: await listTools(asking) } : { prompts: await listPrompts(asking) };
    if (!sameJson(Object.values(found)[0], now()[list])) change(found);
  } catch (error) {
    const why = limit.isOver() ? "no answer came in time" : faultOf(error).why;
    if (!signal.aborted && connection.ended() === null) onNote(`gave no list of its ${list}: ${why}`);
  } finally {
    limit.release();
  }
}

function sameJson(one: unknown, other: unknown): boolean {
  // The proof: both are lists of plain data, made of what a parser of JSON gave.
  return canonicalJson(one as Json) === canonicalJson(other as Json);
}
