import { bounds } from "../kernel/bounds.ts";
import { canonicalJson, type Json } from "../kernel/canonical.ts";
import type { ServerState, ServerStatus } from "../ports/servers.ts";
import type { Clock } from "../ports/world.ts";
import type { Mask } from "../secrets/mask.ts";
import type { ServerEntry } from "../workspace/server-settings.ts";
import { type Connection, connect } from "./mcp-connection.ts";
import { faultOf, type ServerFault } from "./mcp-fault.ts";
import { limitOf } from "./mcp-limit.ts";
import { listPrompts, listTools } from "./mcp-list.ts";
import { createRelist } from "./mcp-relist.ts";

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
  /** Once it is not starting. */
  settled(): Promise<void>;
  /** Its connection; starts it where that is given up or waits for its time. A sentence without its subject where there is none. */
  connected(): Promise<Connection | string>;
  /** Somebody who asked it found that it is gone. */
  lost(connection: Connection, why: string): void;
  close(): Promise<void>;
};

export function createServer(given: Given): RunningServer {
  const { entry, clock, mask, onChange, onNote } = given;
  const closing = new AbortController();
  const relists = {
    tools: relistOf("tools"),
    prompts: relistOf("prompts"),
    // These are listed when somebody asks for them.
    resources: { notice: () => {} },
  };
  let state = firstState(entry);
  let live: { readonly connection: Connection; readonly sinceMs: number } | null = null;
  let starting: Promise<void> | null = null;
  let failures = 0;
  let waiting = new AbortController();

  return { now: () => state, start, settled, connected, lost, close };

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

  async function settled(): Promise<void> {
    await starting;
  }

  async function launch(): Promise<void> {
    if (entry.off !== null || entry.launch === null || closing.signal.aborted) return;
    waiting.abort();
    change({ status: { type: "starting" } });
    const limit = limitOf(clock, bounds.serverStartMsMax, closing.signal);
    let made: Connection | null = null;
    try {
      made = await connect({
        launch: entry.launch,
        env: given.env,
        clock,
        probeMs: failures === 0 ? bounds.serverProbeMs : bounds.serverProbeAgainMs,
        signal: limit.signal,
        onChanged: (list) => relists[list].notice(),
        onNoise: (text) => onNote(`writes to stdout what is no message, which is skipped: ${shortened(text)}`),
        onEnd: () => made !== null && lost(made, made.ended() ?? "closed the connection"),
      });
      await ready(made, limit.signal);
    } catch (error) {
      await made?.close().catch(() => {});
      const late = `did not answer within ${bounds.serverStartMsMax / 1_000} s of its start`;
      if (!closing.signal.aborted) fail(limit.isOver() ? { type: "gone", why: late } : faultIn(error, made));
    } finally {
      limit.release();
    }
  }

  async function ready(connection: Connection, signal: AbortSignal): Promise<void> {
    const asking = { connection, signal, onNote };
    // A list that never comes must not take the tools with it.
    const prompts = connection.has.prompts ? relist("prompts", connection) : Promise.resolve();
    const tools = connection.has.tools ? await listTools(asking) : [];
    const moment = new AbortController();
    await Promise.race([prompts, clock.sleep(bounds.serverPromptsMs, moment.signal)]);
    moment.abort();
    const ended = connection.ended();
    if (ended !== null || signal.aborted) throw new Error(ended ?? "stopped");
    live = { connection, sinceMs: clock.now() };
    const { revision, instructions, has } = connection;
    change({
      status: { type: "ready", revision },
      instructions,
      tools,
      hasResources: has.resources,
      ...(has.prompts ? {} : { prompts: [] }),
    });
  }

  function relistOf(list: "tools" | "prompts") {
    return createRelist({
      clock,
      signal: closing.signal,
      list: async () => {
        // What it says while it starts may come behind the list it gave.
        await starting;
        if (live !== null) await relist(list, live.connection);
      },
    });
  }

  /** Says that nothing changed by changing nothing. */
  async function relist(list: "tools" | "prompts", connection: Connection): Promise<void> {
    const limit = limitOf(clock, bounds.serverStartMsMax, closing.signal);
    const asking = { connection, signal: limit.signal, onNote };
    try {
      const found = list === "tools" ? { tools: await listTools(asking) } : { prompts: await listPrompts(asking) };
      if (!sameJson(Object.values(found)[0], state[list])) change(found);
    } catch (error) {
      const why = limit.isOver() ? "no answer came in time" : faultOf(error).why;
      if (!closing.signal.aborted && connection.ended() === null) onNote(`gave no list of its ${list}: ${why}`);
    } finally {
      limit.release();
    }
  }

  async function connected(): Promise<Connection | string> {
    if (live === null) await start();
    return connectionNow() ?? whyNot(state.status);
  }

  function connectionNow(): Connection | null {
    return live?.connection ?? null;
  }

  function lost(connection: Connection, why: string): void {
    if (live?.connection !== connection || closing.signal.aborted) return;
    if (clock.now() - live.sinceMs >= bounds.serverSteadyMs) failures = 0;
    live = null;
    void connection.close().catch(() => {});
    fail({ type: "gone", why });
  }

  function fail({ type, why }: ServerFault): void {
    failures += 1;
    const isOver = type === "final" || failures >= bounds.serverStartsMax;
    const waitMs = Math.min(bounds.serverRetryMsFirst * 2 ** (failures - 1), bounds.serverRetryMsMax);
    const told = mask.text(why).slice(0, bounds.errorCharsMax).toWellFormed();
    change({ status: { type: "failed", why: told, retryAt: isOver ? null : clock.now() + waitMs } });
    if (!isOver) void startAfter(waitMs);
  }

  async function startAfter(waitMs: number): Promise<void> {
    waiting = new AbortController();
    const signal = AbortSignal.any([waiting.signal, closing.signal]);
    await clock.sleep(waitMs, signal);
    if (!signal.aborted) await start();
  }

  async function close(): Promise<void> {
    closing.abort();
    const connection = connectionNow();
    live = null;
    await Promise.all([starting, connection?.close().catch(() => {})]);
    if (entry.off === null) state = { ...state, status: { type: "off", why: "the session is over" } };
  }
}

function firstState({ name, source, limits, off }: ServerEntry): ServerState {
  const status: ServerStatus = off === null ? { type: "starting" } : { type: "off", why: off };
  return { name, source, limits, status, instructions: null, tools: [], hasResources: false, prompts: [] };
}

function faultIn(error: unknown, made: Connection | null): ServerFault {
  const ended = made?.ended() ?? null;
  return ended === null ? faultOf(error) : { type: "gone", why: ended };
}

function whyNot(status: ServerStatus): string {
  if (status.type === "failed") return `is down: it ${status.why}`;
  return status.type === "off" ? `is off: ${status.why}` : "is not there yet";
}

function sameJson(one: unknown, other: unknown): boolean {
  // The proof: both are lists of plain data, made of what a parser of JSON gave.
  return canonicalJson(one as Json) === canonicalJson(other as Json);
}

function shortened(text: string): string {
  return JSON.stringify(text.trim().slice(0, bounds.serverProgressCharsMax).toWellFormed());
}
