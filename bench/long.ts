import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { memoryPolicies } from "../src/budget/window.ts";
import { isRecord } from "../src/kernel/canonical.ts";
import { parseJson } from "../src/kernel/json.ts";
import { type Wire, wires } from "../src/kernel/usage.ts";
import { refused } from "./data-args.ts";
import { longFigures, type MemoryMb } from "./long-figures.ts";
import { type LongRun, playLong } from "./long-play.ts";
import { longTables } from "./long-tables.ts";

type LongArgs = Pick<LongRun, "turns" | "faults" | "wire" | "memory"> & { readonly window: string | null };

const usualTurns = 10_000;
const bothWindows = ["h32k", "200k"];
const outputBytesMax = 64 * 1024 * 1024;

/**
 * `bench long [--turns N] [--window 200k|h32k|TOKENS] [--faults on|off] [--wire WIRE] [--memory
 * window|epochs]`: one session of so many turns against
 * the simulator, in one process with it, and what METRICS 5 asks of it. Without a window both are played, each in a process
 * of its own. Exits with 1 where a gate fails.
 */
export async function runLong(args: readonly string[]): Promise<object | string> {
  const given = longArgs(args);
  const result = given.window === null ? eachWindow(args) : await played(given, given.window);
  process.exitCode = result.failed.length === 0 ? 0 : 1;
  return args.includes("--json") ? result : longTables(result);
}

function eachWindow(args: readonly string[]) {
  const runs = bothWindows.map((window) => {
    const own = args.filter((arg) => arg !== "--json");
    const call = [join(import.meta.dirname, "main.ts"), "long", ...own, "--window", window, "--json"];
    const { stdout } = spawnSync(process.execPath, call, {
      encoding: "utf8",
      maxBuffer: outputBytesMax,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const parsed = parseJson(stdout);
    return parsed.type === "ok" && isRecord(parsed.value)
      ? parsed.value
      : { window, failed: ["it printed no figures"] };
  });
  return { simulated: true, runs, failed: runs.flatMap(({ failed }) => failed) };
}

async function played({ turns, faults, wire, memory: policy }: LongArgs, window: string) {
  const folder = await mkdtemp(join(tmpdir(), "varve-bench-"));
  try {
    const windowTokens = await tokensOf(window, wire, join(folder, "head"));
    const memory: MemoryMb[] = [];
    const start = performance.now();
    const seconds = () => Math.round((performance.now() - start) / 1_000);
    const onTenth = (done: number) => {
      memory.push(memoryNow());
      process.stderr.write(`long: ${window}, ${done} of ${turns} turns, ${seconds()} s\n`);
    };
    const kept = policy === undefined ? {} : { memory: policy };
    const run: LongRun = { turns, windowTokens, wire, faults, folder: join(folder, "run"), onTenth, ...kept };
    const session = await playLong(run);
    return await longFigures(run, session, memory, seconds());
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** `h32k`: what stands before the first message, as the simulator counts it, and 32,000 tokens. */
async function tokensOf(window: string, wire: Wire, folder: string): Promise<number> {
  if (window === "200k") return 200_000;
  if (window !== "h32k") return Number(window);
  const { simulation } = await playLong({ turns: 1, windowTokens: 200_000, wire, faults: "off", folder });
  const [request] = simulation.requests();
  if (request === undefined) throw new Error("the first turn sent no request");
  const tokens = (segments: typeof request.segments) => segments.reduce((sum, segment) => sum + segment.tokens, 0);
  const head = tokens(request.segments.filter(({ role }) => role === "tools" || role === "system"));
  return Math.ceil((head * request.promptTokens) / tokens(request.segments)) + 32_000;
}

/** After a collection, so that what is left is what is held. */
function memoryNow(): MemoryMb {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss: Math.round(rss / 1024 / 1024), heap: Math.round(heapUsed / 1024 / 1024) };
}

function longArgs(args: readonly string[]): LongArgs {
  const options = new Map([
    ["--turns", String(usualTurns)],
    ["--faults", "on"],
    ["--wire", "anthropic"],
    ["--window", ""],
    ["--memory", ""],
  ]);
  const rest = args.filter((arg) => arg !== "--json");
  for (let at = 0; at < rest.length; at += 2) {
    const [name = "", value = ""] = rest.slice(at, at + 2);
    if (!options.has(name) || value === "")
      refused(
        "long",
        `expected --turns N, --window 200k|h32k|TOKENS, --faults on|off, --wire WIRE, --memory window|epochs; got "${name}"`,
      );
    options.set(name, value);
  }
  const wire =
    wires.find((one) => one === options.get("--wire")) ??
    refused("long", `--wire: expected one of ${wires.join(", ")}`);
  const turns = Number(options.get("--turns"));
  if (!Number.isInteger(turns) || turns < 10) refused("long", "--turns: expected a whole number from 10 on");
  const faults = options.get("--faults");
  if (faults !== "on" && faults !== "off") return refused("long", "--faults: expected on or off");
  const window = options.get("--window") || null;
  if (window !== null && !bothWindows.includes(window) && !(Number(window) >= 20_000))
    refused("long", "--window: expected 200k, h32k or a number of tokens from 20000 on");
  const said = options.get("--memory") ?? "";
  const memory = memoryPolicies.find((one) => one === said);
  if (said !== "" && memory === undefined) refused("long", `--memory: expected one of ${memoryPolicies.join(", ")}`);
  return { turns, faults, wire, window, ...(memory === undefined ? {} : { memory }) };
}
