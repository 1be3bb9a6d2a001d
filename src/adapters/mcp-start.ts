import { bounds } from "../kernel/bounds.ts";
import type { ServerState } from "../ports/servers.ts";
import { type Connecting, type Connection, connect } from "./mcp-connection.ts";
import { faultOf, type ServerFault } from "./mcp-fault.ts";
import { limitOf } from "./mcp-limit.ts";
import { listPrompts, listTools } from "./mcp-list.ts";

type Starting = Omit<Connecting, "onEnd" | "onNoise"> & {
  readonly onNote: (text: string) => void;
  /** It ended by itself; before it is up, nobody needs to hear of it. */
  readonly onEnd: (connection: Connection, why: string) => void;
};

export type Started =
  | {
      readonly type: "up";
      readonly connection: Connection;
      readonly known: Pick<ServerState, "status" | "instructions" | "tools" | "hasResources">;
      /** `late`: they did not come in their time. */
      readonly prompts: ServerState["prompts"] | "late";
    }
  | { readonly type: "down"; readonly fault: ServerFault }
  | { readonly type: "stopped" };

/** One start of a server, from nothing to its listing, within its time. Does not reject. */
export async function startOnce(given: Starting): Promise<Started> {
  const { clock, signal, onNote, onEnd } = given;
  const limit = limitOf(clock, bounds.serverStartMsMax, signal);
  let made: Connection | null = null;
  try {
    made = await connect({
      ...given,
      signal: limit.signal,
      onNoise: (text) => onNote(`writes to stdout what is no message, which is skipped: ${shortened(text)}`),
      onEnd: () => made !== null && onEnd(made, made.ended() ?? "closed the connection"),
    });
    const started = await listed(made, { ...given, signal: limit.signal });
    if (made.ended() !== null || limit.signal.aborted) throw new Error("stopped");
    return started;
  } catch (error) {
    const ended = made?.ended() ?? null;
    await made?.close().catch(() => {});
    if (signal.aborted) return { type: "stopped" };
    if (limit.isOver()) return { type: "down", fault: { type: "gone", why: late } };
    return { type: "down", fault: ended === null ? faultOf(error) : { type: "gone", why: ended } };
  } finally {
    limit.release();
  }
}

const late = `did not answer within ${bounds.serverStartMsMax / 1_000} s of its start`;

type Listing = Pick<Starting, "clock" | "signal" | "onNote">;

async function listed(connection: Connection, listing: Listing): Promise<Extract<Started, { readonly type: "up" }>> {
  const { revision, instructions, has } = connection;
  const prompts = promptsIn(connection, listing);
  const tools = has.tools ? await listTools({ connection, ...listing }) : [];
  const known = { status: { type: "ready" as const, revision }, instructions, tools, hasResources: has.resources };
  return { type: "up", connection, known, prompts: await prompts };
}

/** A list of prompts that never comes, or is none, must not take the tools with it. */
async function promptsIn(connection: Connection, { clock, signal, onNote }: Listing) {
  if (!connection.has.prompts) return [];
  const limit = limitOf(clock, bounds.serverPromptsMs, signal);
  try {
    return await listPrompts({ connection, signal: limit.signal, onNote });
  } catch (error) {
    if (limit.isOver()) return "late" as const;
    if (!signal.aborted && connection.ended() === null) onNote(`gave no list of its prompts: ${faultOf(error).why}`);
    return [];
  } finally {
    limit.release();
  }
}

function shortened(text: string): string {
  return JSON.stringify(text.trim().slice(0, bounds.serverProgressCharsMax).toWellFormed());
}
