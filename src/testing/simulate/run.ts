import { readFileSync, statSync, writeFileSync } from "node:fs";
import { isRecord } from "../../kernel/canonical.ts";
import { parseJson } from "../../kernel/json.ts";
import { type Arguments, readArguments, UsageError } from "./arguments.ts";
import type { Brain, BrainReply } from "./brain.ts";
import { echoToolsBrain } from "./brains.ts";
import { readRecording } from "./recording-read.ts";
import { replayBrain } from "./replay.ts";
import { readScript, type Script } from "./script.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "./server.ts";
import { withSummaries } from "./summaries.ts";
import { usage } from "./usage.ts";

/** What `varve simulate` and `main.ts` do with their arguments. */
export async function runSimulator(args: readonly string[]): Promise<void> {
  if (args.some((arg) => arg === "--help" || arg === "-h")) {
    process.stdout.write(usage);
    return;
  }
  const given = readArguments(args);
  const simulator = await startSimulator({ ...given.serve, ...(await mindOf(given)) }).catch(asUsage);
  process.stdout.write(`${JSON.stringify({ url: simulator.url, pid: process.pid })}\n`);
  const stop = () => {
    const failed = tellEnd(simulator, given);
    simulator.close().then(
      () => process.exit(failed ? 1 : 0),
      () => process.exit(1),
    );
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

/** What was asked for at the end; true where the run counts as failed. */
function tellEnd(simulator: Simulator, { reportFile, noViolations }: Arguments): boolean {
  const report = simulator.report();
  if (reportFile !== null) {
    writeFileSync(reportFile, `${JSON.stringify(report, null, 2)}\n`);
    process.stderr.write(`simulator: ${JSON.stringify(report)}\n`);
  }
  const violations = noViolations ? Object.entries(report.violations) : [];
  const why = [
    ...(report.script?.failures ?? []).map((failure) => `expectation failed: ${failure}`),
    ...violations.map(([rule, count]) => `the rule ${rule} was broken ${count} times`),
  ];
  for (const line of why) process.stderr.write(`simulator: ${line}\n`);
  return why.length > 0;
}

/** A model that no row has is the caller's mistake; a port that is taken is the machine's. */
function asUsage(error: unknown): never {
  if (error instanceof Error && error.message.startsWith("the model table")) throw new UsageError(error.message);
  throw error;
}

async function mindOf({
  mind,
  summaries,
}: Arguments): Promise<Pick<SimulatorOptions, "brain" | "script" | "summaries">> {
  if (mind.type === "script") return { script: scriptFrom(mind.file), ...(summaries === "own" ? {} : { summaries }) };
  const brain = await brainOf(mind);
  return { brain: summaries === "own" ? brain : withSummaries(brain, { behaviours: summaries }) };
}

async function brainOf(mind: Exclude<Arguments["mind"], { readonly type: "script" }>): Promise<Brain> {
  if (mind.type === "echo") return echoToolsBrain(mind);
  return mind.type === "replay" ? replayFrom(mind.file) : brainFrom(await load(mind.file), mind.file);
}

async function load(file: string): Promise<unknown> {
  const loaded: unknown = await import(new URL(file, `file://${process.cwd()}/`).href).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  });
  return isRecord(loaded) ? loaded.default : undefined;
}

function brainFrom(value: unknown, file: string): Brain {
  if (typeof value !== "function") throw new UsageError(`${file} has no default export that is a function`);
  return (request) => {
    const reply: unknown = value(request);
    // The proof is the module's own: a brain file promises the type, and what it says is only ever rendered.
    return reply as BrainReply | Promise<BrainReply>;
  };
}

function scriptFrom(file: string): Script {
  const parsed = parseJson(textOfFile(file));
  if (parsed.type === "bad") throw new UsageError(`${file} is not JSON: ${parsed.why}`);
  const script = readScript(parsed.value);
  if (typeof script === "string") throw new UsageError(`${file}: ${script}`);
  return script;
}

/** The file itself, or the folder of a session of Varve. */
function replayFrom(path: string): Brain {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder ? `${path}/main.jsonl` : path;
  const folder = isFolder ? path : path.replace(/[^/]*$/, "");
  const recording = readRecording(textOfFile(file), (hash) => blobIn(folder || ".", hash));
  if (typeof recording === "string") throw new UsageError(`${path} ${recording}`);
  return replayBrain(recording);
}

/** A long text of a session; null where it is gone. */
function blobIn(folder: string, hash: string): string | null {
  if (!/^[0-9a-f]+$/.test(hash)) return null;
  try {
    return readFileSync(`${folder}/blobs/${hash.slice(0, 2)}/${hash}`, "utf8");
  } catch {
    // Damaged sessions replay as far as they go.
    return null;
  }
}

function textOfFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
