import type { Client, Transport } from "@modelcontextprotocol/client";
import { bounds } from "../kernel/bounds.ts";
import type { Clock } from "../ports/world.ts";
import { version } from "../version.ts";
import type { ServerLaunch } from "../workspace/server-settings.ts";
import { endedItself, notStarted } from "./mcp-fault.ts";
import { httpTransport } from "./mcp-http.ts";
import { called, mended, type Requested, requested, type ToolCall, timerMsMax, unchecked } from "./mcp-request.ts";
import { type StdioTransport, stdioTransport } from "./mcp-stdio.ts";
import { subscribe } from "./mcp-subscribe.ts";

/** The lists of a server that may change while it runs. */
export type ServerList = "tools" | "prompts" | "resources";

/** A server that answers, of either era of the protocol. What it sends is as it came: who asks looks at what it is. */
export type Connection = {
  readonly revision: string;
  readonly instructions: string | null;
  readonly has: Readonly<Record<ServerList, boolean>>;
  /** The result; rejects with whatever the SDK throws (`faultOf`). An aborted request is taken back at the server. */
  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    asked: Requested,
  ): Promise<Record<string, unknown>>;
  /** A tool; `schema`: that of its input, as it was listed. */
  call(of: ToolCall, asked: Requested): Promise<Record<string, unknown>>;
  /** How it ended by itself; null: it has not. */
  ended(): string | null;
  close(): Promise<void>;
};

export type Connecting = {
  readonly launch: ServerLaunch;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** How long it may be silent when it is asked for the newer protocol. */
  readonly probeMs: number;
  readonly signal: AbortSignal;
  readonly onChanged: (list: ServerList) => void;
  readonly onNoise: (beginning: string) => void;
  readonly onEnd: () => void;
};

/**
 * Asks for the newer protocol first; what does not know it gets the older handshake in the same process. Some servers end at
 * such a question: they are started once more, with the handshake alone (PROTOCOLS F.4). The answer holds for one start.
 */
export async function connect(given: Connecting): Promise<Connection> {
  const { launch } = given;
  if (launch.type === "http") return await open(given, await httpTransport(launch), "ask");
  const make = (): StdioTransport => stdioTransport({ launch, env: given.env, onNoise: given.onNoise });
  const first = make();
  try {
    return await open(given, first, "ask");
  } catch (error) {
    // By itself, not since we closed it behind an answer that was an error.
    if (!endedItself(error) || given.signal.aborted) throw error;
    return await open(given, make(), "older");
  }
}

async function open(
  given: Connecting,
  transport: Transport | StdioTransport,
  era: "ask" | "older",
): Promise<Connection> {
  const { Client: SdkClient } = await import("@modelcontextprotocol/client");
  const { signal, probeMs } = given;
  const timeoutMs = given.launch.type === "http" ? bounds.serverStartMsMax : probeMs;
  const client = new SdkClient(
    { name: "varve", version },
    { capabilities: {}, versionNegotiation: { mode: "auto", probe: { timeoutMs } } },
  );
  listen(client, given.onChanged);
  transport.onmessage = (message) => {
    const era = client.getProtocolEra();
    if (era === "modern") unchecked(message);
    if (era === undefined) mended(message);
  };
  const ended = (): string | null => ("ended" in transport ? transport.ended() : null);
  const stop = (): void => void transport.close().catch(() => {});
  signal.addEventListener("abort", stop);
  try {
    if (signal.aborted) throw new Error("stopped");
    const options = { signal, timeout: timerMsMax };
    await client.connect(transport, era === "older" ? { ...options, prior: { kind: "legacy" } } : options);
  } catch (error) {
    const how = ended();
    await transport.close().catch(() => {});
    // More telling than that the connection was closed, which is all that the SDK's error says.
    throw how === null || signal.aborted ? error : notStarted("gone", how);
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return opened(given, client, ended);
}

function listen(client: Client, onChanged: Connecting["onChanged"]): void {
  for (const list of changing) {
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => onChanged(list));
  }
}

const changing: readonly ServerList[] = ["tools", "prompts", "resources"];

function opened(
  { onEnd, onChanged, launch, clock }: Connecting,
  client: Client,
  ended: () => string | null,
): Connection {
  const offered = client.getServerCapabilities() ?? {};
  const over = new AbortController();
  client.onclose = () => {
    const isOurs = over.signal.aborted;
    over.abort();
    if (!isOurs) onEnd();
  };
  if (client.getProtocolEra() === "modern") {
    const onMissed = (): void => changing.forEach(onChanged);
    void subscribe({ client, clock, signal: over.signal, onMissed });
  }
  return {
    revision: client.getNegotiatedProtocolVersion() ?? "",
    instructions: client.getInstructions() ?? null,
    has: {
      tools: offered.tools !== undefined,
      prompts: offered.prompts !== undefined,
      resources: offered.resources !== undefined,
    },
    request: (method, params, asked) => requested(client, { method, params }, asked),
    call: (of, asked) => called(client, of, asked),
    ended,
    async close() {
      over.abort();
      if (launch.type === "http") await endSession(client);
      await client.close();
    },
  };
}

/** Told to a server that keeps a session, for a moment; one that does not hear it forgets it by itself. */
async function endSession(client: Client): Promise<void> {
  const { transport } = client;
  if (transport === undefined || !("terminateSession" in transport)) return;
  const { terminateSession } = transport;
  if (typeof terminateSession !== "function") return;
  await Promise.race([
    Promise.resolve(terminateSession.call(transport)).catch(() => {}),
    new Promise<void>((resolve) => setTimeout(resolve, bounds.killGraceMs).unref()),
  ]);
}
