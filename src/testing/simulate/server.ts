import { isUtf8 } from "node:buffer";
import { appendFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isRecord } from "../../kernel/canonical.ts";
import { parseJson } from "../../kernel/json.ts";
import { type Fault, readFault } from "./faults.ts";
import type { Outcome } from "./outcome.ts";
import { recordingBrain } from "./recording.ts";
import type { Report } from "./records.ts";
import type { Script } from "./script.ts";
import { type Player, playScript, type ScriptReport } from "./script-player.ts";
import { createSimulation, type Simulation, type SimulationOptions } from "./simulation.ts";
import { type SummaryBehaviour, summarizer, usualBrain } from "./summaries.ts";
import { listOf, numberOf } from "./value.ts";

export type SimulatorOptions = SimulationOptions & {
  /** Default: any free one. The address is always 127.0.0.1. */
  readonly port?: number;
  /** `manual` moves only by `POST /_sim/clock` or a script. Default: `real`, which both move on, too. */
  readonly clock?: "real" | "manual";
  /** Where the clock starts, in ms since 1970. Default: 2026-01-01 for `manual`, else the machine's time. */
  readonly startMs?: number;
  /** Queued from the start. */
  readonly faults?: readonly Fault[];
  /** Answers in place of `brain`, and brings its own faults, clock steps and expectations. */
  readonly script?: Script;
  /** How requests for a summary are answered where neither `brain` nor `script` says it, one for each. Default: well. */
  readonly summaries?: readonly SummaryBehaviour[];
  /** Each record as a JSON line, as soon as it is answered. */
  readonly logFile?: string;
  /** Each reply as a line that `readRecording` and `--replay` take. */
  readonly recordFile?: string;
};

export type Simulator = {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly simulation: Simulation;
  /** Totals so far, and how the script fares, if one is played. */
  report(): SimulatorReport;
  /** Moves the clock on. */
  advance(ms: number): void;
  close(): Promise<void>;
};

export type SimulatorReport = Report & { readonly script: ScriptReport | null };

/** Larger bodies are refused at the edge, unread (PROTOCOLS A.10). */
const bodyBytesMax = 32 * 1024 * 1024;
const manualStartMs = Date.UTC(2026, 0, 1);

/** Serves a simulation on loopback until `close`; rejects where the port is taken. The one file here that touches the platform. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const control = controlOf(options);
  const { simulation } = control;
  const server = createServer((request, response) => {
    // A client that goes away in mid-answer is its own business; anything else must be seen.
    serve(request, response, control, options.logFile).catch((error: unknown) => {
      process.stderr.write(`simulator: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    simulation,
    report: control.report,
    advance: control.advance,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Control = Pick<Simulator, "simulation" | "report" | "advance"> & { readonly now: () => number };

function controlOf(options: SimulatorOptions): Control {
  const startMs = options.startMs ?? (options.clock === "manual" ? manualStartMs : Date.now());
  const startedAt = Date.now();
  let movedMs = 0;
  const advance = (ms: number) => {
    movedMs += ms;
  };
  const { recordFile, summaries: behaviours = [] } = options;
  const sumUp = summarizer({ behaviours });
  const player: Player | null =
    options.script === undefined
      ? null
      : playScript(options.script, { addFaults: (faults) => simulation.addFaults(faults), advance, sumUp });
  const brain = player?.brain ?? options.brain ?? usualBrain({ behaviours });
  const simulation = createSimulation({
    ...options,
    brain: recordFile === undefined ? brain : recordingBrain(brain, (line) => appendFileSync(recordFile, line)),
  });
  simulation.addFaults(options.faults ?? []);
  player?.begin();
  return {
    simulation,
    report: () => ({ ...simulation.report(), script: player?.report() ?? null }),
    advance,
    now: () => startMs + movedMs + (options.clock === "manual" ? 0 : Date.now() - startedAt),
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  control: Control,
  logFile: string | undefined,
): Promise<void> {
  const startedAt = control.now();
  const body = await readBody(request);
  if (body === null) return refuseLarge(response);
  const path = request.url ?? "/";
  if (path.startsWith("/_sim/")) return answerControl(response, `${request.method} ${path}`, body, control);
  const { simulation } = control;
  const outcome = await simulation.exchange(
    { method: request.method ?? "GET", path, headers: headersOf(request), body },
    startedAt,
  );
  if (logFile !== undefined && outcome.n > 0) {
    const record = simulation.requests().find(({ n }) => n === outcome.n);
    appendFileSync(logFile, `${JSON.stringify(record)}\n`);
  }
  await send(response, outcome, () => simulation.begin(outcome.n));
}

async function send(response: ServerResponse, outcome: Outcome, begin: () => void): Promise<void> {
  const { delivery } = outcome;
  if (delivery.end === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  if (delivery.delayMs > 0) await pause(delivery.delayMs);
  begin();
  response.writeHead(outcome.status, outcome.headers);
  let left = delivery.end === "complete" ? Number.POSITIVE_INFINITY : delivery.afterBytes;
  for (const chunk of chunksOf(outcome.frames, delivery.splitBytes)) {
    if (response.destroyed) return;
    const part = chunk.subarray(0, left);
    left -= part.length;
    if (!response.write(part)) await drained(response);
    // Without a turn of the loop the kernel would join what is to arrive apart.
    if (delivery.splitBytes !== null) await new Promise((resolve) => setImmediate(resolve));
    if (left <= 0) break;
  }
  if (delivery.end === "complete") response.end();
  else if (delivery.end === "cut") {
    await pause(5);
    response.destroy();
  }
}

function chunksOf(frames: readonly string[], splitBytes: number | null): readonly Buffer[] {
  if (splitBytes === null) return frames.map((frame) => Buffer.from(frame));
  const all = Buffer.from(frames.join(""));
  const count = Math.ceil(all.length / splitBytes);
  return Array.from({ length: count }, (_, index) => all.subarray(index * splitBytes, (index + 1) * splitBytes));
}

function answerControl(response: ServerResponse, route: string, body: string, control: Control): void {
  const { simulation } = control;
  const parsed = parseJson(body === "" ? "{}" : body);
  const given = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
  const handlers: Readonly<Record<string, () => unknown>> = {
    "GET /_sim/requests": () => ({ requests: simulation.requests(), dropped: simulation.report().recordsDropped }),
    "GET /_sim/report": () => control.report(),
    "POST /_sim/reset": () => simulation.reset(),
    "GET /_sim/clock": () => ({ now: control.now() }),
    "POST /_sim/clock": () => {
      control.advance(numberOf(given.advanceMs) ?? 0);
      return { now: control.now() };
    },
    "POST /_sim/faults": () => {
      const read = (Array.isArray(given.faults) ? listOf(given.faults) : [given]).map(readFault);
      const bad = read.find((fault) => typeof fault === "string");
      if (bad !== undefined) return { error: bad };
      simulation.addFaults(read.filter((fault) => typeof fault !== "string"));
      return { queued: read.length };
    },
  };
  const handler = handlers[route.split("?")[0] ?? ""];
  const result =
    parsed.type === "bad"
      ? { error: parsed.why }
      : handler === undefined
        ? { error: `no route ${route}` }
        : (handler() ?? {});
  const isBad = isRecord(result) && "error" in result;
  response.writeHead(isBad ? 400 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(result));
}

/** Null where the body is larger than the service takes. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    bytes += part.length;
    // What is too much is still read, so that the client gets its answer, but not kept.
    if (bytes <= bodyBytesMax) chunks.push(part);
    else chunks.length = 0;
  }
  if (bytes > bodyBytesMax) return null;
  const all = Buffer.concat(chunks);
  // What is not UTF-8 is not JSON either; decoding it leniently would let it pass.
  return isUtf8(all) ? all.toString("utf8") : "";
}

function refuseLarge(response: ServerResponse): void {
  response.writeHead(413, { "content-type": "text/html" });
  response.end("<html><h1>413 Request Entity Too Large</h1></html>");
}

function headersOf(request: IncomingMessage): Readonly<Record<string, string>> {
  const pairs = Object.entries(request.headers);
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve);
    response.once("close", resolve);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
