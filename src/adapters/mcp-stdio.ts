import { type ChildProcess, spawn } from "node:child_process";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { bounds } from "../kernel/bounds.ts";
import type { ServerLaunch } from "../workspace/server-settings.ts";
import { explain } from "./fs-error.ts";
import { notStarted } from "./mcp-fault.ts";
import { createLines } from "./mcp-lines.ts";
import { inPlaceOf, messagesOf } from "./mcp-message.ts";
import { hearPaced } from "./mcp-pace.ts";
import { endWithParent, groupEnded, signalGroup, within } from "./process-group.ts";
import { createCapture } from "./shell-capture.ts";
import { openGuard } from "./shell-guard.ts";

type Given = {
  readonly launch: Extract<ServerLaunch, { readonly type: "stdio" }>;
  /** The whole of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** What was on stdout and is no message: told at its first time. */
  readonly onNoise: (beginning: string) => void;
};

export type StdioTransport = Transport & {
  /** How it ended and the last it said on stderr; null: it runs, or was never started. */
  ended(): string | null;
};

/**
 * A server as a process of ours: its own group, so that nothing it starts stays behind; lines and noise bounded; stderr drained.
 * The SDK's own transport has none of these, and gives the child a part of our environment beside what it is told.
 */
export function stdioTransport({ launch, env, onNoise }: Given): StdioTransport {
  let child: ChildProcess | null = null;
  let ended: string | null = null;
  let over: Promise<void> = Promise.resolve();
  const errors = createCapture(bounds.serverStderrBytesMax);

  const transport: StdioTransport & { readonly stderr: null; readonly pid: null } = {
    // By these two the SDK knows stdio: there, silence or an error at the question for the newer protocol means the older one.
    stderr: null,
    pid: null,
    ended: () => ended,
    start,
    // A server that does not read keeps what is written waiting in our memory, and its call ends by its time.
    async send(message) {
      if (child === null || ended !== null) throw new Error(ended ?? "not started");
      child.stdin?.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      if (child !== null && ended === null) await endGently(child, over);
      await over;
    },
  };
  return transport;

  async function start(): Promise<void> {
    const guard = openGuard(env, "bash");
    const started = spawnIn(launch, env, guard.release);
    child = started;
    if (started.pid !== undefined) guard.watch(started.pid);
    const release = endWithParent(started);
    listen(started);
    over = endOf(started).then((how) => {
      release();
      guard.release();
      ended = [how, ...lastLines(errors.result())].join("; ");
      transport.onclose?.();
    });
    await new Promise<void>((resolve, reject) => {
      started.once("spawn", resolve);
      started.once("error", (error) => reject(whyNotStarted(error, launch)));
    });
  }

  function listen(started: ChildProcess): void {
    let noise = 0;
    const noted = (text: string, bytes: number): void => {
      if (noise === 0) onNoise(text);
      noise += bytes;
      if (noise > bounds.serverNoiseBytesMax) signalGroup(started, "SIGKILL");
    };
    const deliver = (message: JSONRPCMessage): void => transport.onmessage?.(message);
    const lines = createLines({
      bytesMax: bounds.captureBytesMax,
      onLine(line) {
        const messages = messagesOf(line);
        messages.forEach(deliver);
        if (messages.length === 0 && line.trim() !== "") noted(line, line.length + bounds.serverNoiseLineBytes);
      },
      onLong(line) {
        noted(line.head, 1);
        const answer = inPlaceOf(line);
        if (answer !== null) deliver(answer);
      },
    });
    if (started.stdout !== null) hearPaced(started.stdout, lines.add);
    started.stderr?.on("data", errors.add);
    // Who ends breaks the pipe; that it ended is heard elsewhere.
    for (const stream of [started.stdin, started.stdout, started.stderr]) stream?.on("error", () => {});
  }
}

function spawnIn({ command, args, cwd }: Given["launch"], env: Given["env"], release: () => void): ChildProcess {
  try {
    return spawn(command, args, { cwd, env: { ...env }, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  } catch (error) {
    // Arguments that no process can take.
    release();
    throw notStarted("final", `cannot be started: ${explain(error)}`);
  }
}

/** The system blames the program when the folder is missing. */
function whyNotStarted(error: Error, { command, cwd }: Given["launch"]): Error {
  return notStarted("final", `cannot be started: ${command} (in the folder ${cwd}): ${explain(error)}`);
}

/** Its own end, not that of its pipes, which others may hold; what it said last is waited for a moment, and what it left behind ended. */
async function endOf(child: ChildProcess): Promise<string> {
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const how = await new Promise<string>((resolve) => {
    child.once("error", () => resolve("was not started"));
    child.once("exit", (code, signal) => {
      resolve(code === null ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${code}`);
    });
  });
  await within(closed, drainMs);
  if (signalGroup(child, "SIGTERM") && !(await groupEnded(child, drainMs))) signalGroup(child, "SIGKILL");
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  return how;
}

const drainMs = 500;

/** The end of stdin is the protocol's own way; then as any command is ended. */
async function endGently(child: ChildProcess, over: Promise<void>): Promise<void> {
  child.stdin?.end();
  if (await within(over, bounds.killGraceMs)) return;
  signalGroup(child, "SIGTERM");
  if (await within(over, bounds.killGraceMs)) return;
  signalGroup(child, "SIGKILL");
}

function lastLines({ head, tail, bytesLeftOut }: ReturnType<ReturnType<typeof createCapture>["result"]>): string[] {
  const text = bytesLeftOut === 0 ? head : tail;
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const ending = lines.slice(-bounds.serverStderrLinesMax);
  // What went wrong stands first, and a trace of where behind it.
  const fault = lines.find((line) => /^\s*(?:\w*(?:Error|Exception)\b|panic\b|fatal\b|error:)/i.test(line));
  const told = fault === undefined || ending.includes(fault) ? ending : [fault, ...ending.slice(1)];
  const last = told.map((line) => line.trim().slice(0, lineCharsMax).toWellFormed());
  return last.length === 0 ? [] : [`its last lines on stderr: ${last.join(" | ")}`];
}

const lineCharsMax = 300;
