import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord } from "../src/kernel/canonical.ts";
import { type SpawnedSimulator, spawnSimulator } from "../src/testing/simulate/spawn.ts";
import { version } from "../src/version.ts";
import { startupTables } from "./results-tables.ts";
import { type Prompted, peersIn, plainEnvironment } from "./startup-peers.ts";
import { percentile, rounded } from "./timing.ts";

const runs = 20;
const promptedRuns = 3;
const promptMsMax = 60_000;
const prompt = "Say hello.";

type Row = {
  readonly name: string;
  readonly version: string;
  /** From the start of the process to its first model request at the simulator; null: it sends none. */
  readonly firstRequestMs: number | null;
  readonly wallMs: number;
};

/**
 * Start of the built `varve --version` beside `node -e 0`, the same Node, in turns, so that a slow moment hits both; then
 * one prompt to the first request and to the end, beside other agents where they are installed, each with a simulator
 * that answers at once.
 */
export async function runStartup(args: readonly string[]): Promise<object | string> {
  const built = "dist/cli/main.mjs";
  if (!existsSync(built)) throw new Error(`${built} is not there; run \`npm run build\` first`);
  const [node, varve] = bareStarts(join(process.cwd(), built));
  const root = await mkdtemp(join(tmpdir(), "varve-startup-"));
  const simulator = await spawnSimulator(["--rounds", "0"]);
  try {
    const { there, notes } = await peersIn(root, simulator.url, prompt);
    const own = await ownPrompt(join(process.cwd(), built), root, simulator.url);
    const prompted: Row[] = [];
    const failed: string[] = [];
    for (const one of [own, ...there]) {
      process.stderr.write(`startup: ${one.name}\n`);
      const row = await promptedRow(one, root, simulator);
      if (typeof row === "string") failed.push(row);
      else prompted.push(row);
    }
    const commands = [node, varve, ...prompted];
    const ratio = rounded(varve.wallMs / node.wallMs);
    const result = { simulated: true, commands, ratio, notes: [...notes, ...failed] };
    return args.includes("--json") ? result : startupTables(result);
  } finally {
    await simulator.stop();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function bareStarts(built: string): readonly [node: Row, varve: Row] {
  const node: number[] = [];
  const varve: number[] = [];
  for (let run = 0; run < runs; run++) {
    node.push(timed(["-e", "0"]));
    varve.push(timed([built, "--version"]));
  }
  const row = (name: string, of: string, times: readonly number[]): Row => ({
    name,
    version: of,
    firstRequestMs: null,
    wallMs: rounded(percentile(times, 0.5)),
  });
  return [row("node -e 0", process.version, node), row("varve --version", version, varve)];
}

function timed(args: readonly string[]): number {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, args);
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}`);
  return performance.now() - start;
}

async function ownPrompt(built: string, root: string, url: string): Promise<Prompted> {
  const home = join(root, "varve");
  await mkdir(home, { recursive: true });
  const flags = ["-p", prompt, "--base-url", url, "--model", "claude-sonnet-5-5"];
  const env = { ...plainEnvironment(home), VARVE_HOME: home, ANTHROPIC_API_KEY: "simulated" };
  return { name: "varve -p", version, file: process.execPath, args: [built, ...flags], env };
}

/** A program that does not run through is told of, and does not spoil the others' figures. */
async function promptedRow(one: Prompted, root: string, { url }: SpawnedSimulator): Promise<Row | string> {
  const first: number[] = [];
  const wall: number[] = [];
  for (let run = 0; run < promptedRuns; run++) {
    await fetch(`${url}/_sim/reset`, { method: "POST" });
    const startedAt = Date.now();
    const { code, output } = await ended(one, root);
    wall.push(Date.now() - startedAt);
    const arrivedAt = await firstArrival(url);
    if (code !== 0 || arrivedAt === null) return `${one.name} ended with ${code}: ${output.trim().slice(-200)}`;
    first.push(arrivedAt - startedAt);
  }
  const middle = (times: readonly number[]) => percentile(times, 0.5);
  return { name: one.name, version: one.version, firstRequestMs: middle(first), wallMs: middle(wall) };
}

function ended(one: Prompted, cwd: string): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: one.env, timeout: promptMsMax };
    const child = spawn(one.file, [...one.args], { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-10_000);
      });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

/** By the simulator's own clock, which is this machine's. */
async function firstArrival(url: string): Promise<number | null> {
  const answer: unknown = await (await fetch(`${url}/_sim/requests`)).json();
  const [first]: readonly unknown[] = isRecord(answer) && Array.isArray(answer.requests) ? answer.requests : [];
  return isRecord(first) && typeof first.at === "number" ? first.at : null;
}
