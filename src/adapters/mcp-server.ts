import { bounds } from "../kernel/bounds.ts";
import type { ServerState, ServerStatus } from "../ports/servers.ts";
import type { Clock } from "../ports/world.ts";
import type { Mask } from "../secrets/mask.ts";
import type { ServerEntry } from "../workspace/server-settings.ts";
import type { Connection, ServerList } from "./mcp-connection.ts";
import type { ServerFault } from "./mcp-fault.ts";
import { createRelists } from "./mcp-relists.ts";
import { createRetry } from "./mcp-retry.ts";
import { startOnce } from "./mcp-start.ts";

type Given = {
  readonly entry: ServerEntry;
  /** The whole of the environment of its process. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly mask: Mask;
  readonly onChange: () => void;
  /** For people: a sentence whose subject is the server, without it. */
  readonly onNote: (text: string) => void;
};

/** One server: started, restarted when it ends, and what is known of it. */
export type RunningServer = {
  now(): ServerState;
  start(): Promise<void>;
  /** Once it is not starting; null: it is not there. */
  connection(): Promise<Connection | null>;
  /** Its connection; starts it where that is given up or waits for its time. A sentence without its subject where there is none. */
  connected(): Promise<Connection | string>;
  /** Somebody who asked it found that it is gone. */
  lost(connection: Connection, why: string): void;
  close(): Promise<void>;
};

export function createServer(given: Given): RunningServer {
  const { entry, clock, mask, onChange, onNote } = given;
  const closing = new AbortController();
  const { signal } = closing;
  let state = firstState(entry);
  let live: { readonly connection: Connection; readonly sinceMs: number } | null = null;
  let starting: Promise<void> | null = null;
  const retry = createRetry({ clock, signal, start });
  const relists = createRelists({ clock, signal, onNote, now: () => state, change, connection });

  return { now: () => state, start, connection, connected, lost, close };

  function change(part: Partial<ServerState>): void {
    state = { ...state, ...part };
    onChange();
  }

  function start(): Promise<void> {
    starting ??= launch().finally(() => {
      starting = null;
    });
    return starting;
  }

  async function launch(): Promise<void> {
    if (entry.off !== null || entry.launch === null || signal.aborted) return;
    retry.cancel();
    change({ status: { type: "starting" } });
    const probeMs = retry.isFirst() ? bounds.serverProbeMs : bounds.serverProbeAgainMs;
    const heard = { onChanged: (list: ServerList) => relists[list].notice(), onEnd: lost };
    const started = await startOnce({ ...given, ...heard, launch: entry.launch, probeMs, signal });
    if (started.type === "down") fail(started.fault, 0);
    if (started.type !== "up") return;
    const { connection: made, known, prompts } = started;
    live = { connection: made, sinceMs: clock.now() };
    change({ ...known, ...(prompts === "late" ? {} : { prompts }) });
    if (prompts === "late") relists.prompts.notice();
  }

  async function connection(): Promise<Connection | null> {
    await starting;
    return live?.connection ?? null;
  }

  async function connected(): Promise<Connection | string> {
    if (live === null) await start();
    return (await connection()) ?? whyNot(state.status);
  }

  function lost(gone: Connection, why: string): void {
    if (live?.connection !== gone || signal.aborted) return;
    const ranMs = clock.now() - live.sinceMs;
    live = null;
    void gone.close().catch(() => {});
    fail({ type: "gone", why }, ranMs);
  }

  function fail({ type, why }: ServerFault, ranMs: number): void {
    const retryAt = retry.failed(type, ranMs);
    change({ status: { type: "failed", why: told(mask.text(why)), retryAt } });
  }

  async function close(): Promise<void> {
    closing.abort();
    const last = await connection();
    live = null;
    await last?.close().catch(() => {});
    if (entry.off === null) state = { ...state, status: { type: "off", why: "the session is over" } };
  }
}

function firstState({ name, source, limits, off }: ServerEntry): ServerState {
  const status: ServerStatus = off === null ? { type: "starting" } : { type: "off", why: off };
  return { name, source, limits, status, instructions: null, tools: [], hasResources: false, prompts: [] };
}

function told(why: string): string {
  return why.slice(0, bounds.errorCharsMax).toWellFormed();
}

function whyNot(status: ServerStatus): string {
  if (status.type === "failed") return `is down: it ${status.why}`;
  return status.type === "off" ? `is off: ${status.why}` : "is not there yet";
}
