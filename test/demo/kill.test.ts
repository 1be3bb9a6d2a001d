import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseJson } from "../../src/kernel/json.ts";
import { type SpawnedSimulator, spawnSimulator } from "../../src/testing/simulate/spawn.ts";

const root = join(import.meta.dirname, "../..");
const program = join(root, "src/cli/main.ts");
const brain = join(root, "src/cli/demo/brain-short.ts");
let simulator: SpawnedSimulator;

beforeAll(async () => {
  simulator = await spawnSimulator(["--brain", brain, "--window", "80000"]);
});
afterAll(() => simulator.stop());

type Place = { readonly work: string; readonly home: string };

type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

/** Asynchronous, so that the signal of a run beside this one is not late. */
function node(args: readonly string[], { work, home }: Place): Promise<Ended> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: home, VARVE_HOME: home, ANTHROPIC_API_KEY: "simulated" };
  const child = spawn(process.execPath, args, { cwd: work, env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve({ status, stdout, stderr }));
  });
}

function varve(args: readonly string[], place: Place): Promise<Ended> {
  return node([program, ...args], place);
}

/** Starts the demo and ends it the hard way when it has said so many lines, and so many ms later. */
async function demoKilled(place: Place, linesBefore: number, delayMs: number): Promise<void> {
  const args = ["demo", "--short", "--base-url", simulator.url, "--work", place.work, "--home", place.home];
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  let lines = 0;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.stderr.on("data", (chunk: Buffer) => {
    const before = lines;
    lines += chunk.toString().split("\n").length - 1;
    if (before < linesBefore && lines >= linesBefore) setTimeout(() => child.kill("SIGKILL"), delayMs);
  });
  await ended;
}

type Line = { readonly type: string; readonly callId?: string };

async function entriesIn(place: Place): Promise<readonly Line[]> {
  const log = await varve(["log", "--json"], place);
  return log.stdout
    .trim()
    .split("\n")
    .map((line) => {
      const parsed = parseJson(line);
      // The proof is the command's own promise: one JSON object per entry.
      return (parsed.type === "ok" ? parsed.value : { type: "unreadable" }) as Line;
    });
}

/** Spread over the run, start and end included; the delays put the signal between and inside effects. */
const moments = Array.from({ length: 20 }, (_, at) => ({ lines: 6 + at, delayMs: (at * 7) % 23 }));

test.concurrent.each(moments)(
  "killed after $lines lines and $delayMs ms, the session goes on: nothing twice, nothing lost, green",
  { timeout: 240_000 },
  async ({ lines, delayMs }) => {
    const folder = mkdtempSync(join(tmpdir(), "varve-kill-"));
    const place = { work: join(folder, "work"), home: join(folder, "home") };
    try {
      await demoKilled(place, lines, delayMs);
      const before = await entriesIn(place);
      const isOver = before.some((entry) => entry.type === "turn-ended");
      const go = ["-p", "--continue", "--base-url", simulator.url, "--window", "80000"];
      const resumed = await varve(isOver ? ["log", "--list"] : go, place);
      expect(resumed.stderr + resumed.stdout).not.toMatch(/stuck/);
      expect(resumed.status, resumed.stderr).toBe(0);
      expect((await varve(["log", "--verify"], place)).status).toBe(0);

      const after = await entriesIn(place);
      expect(after.slice(0, before.length)).toEqual(before);
      const returned = after.flatMap((entry) => (entry.type === "tool-returned" ? [entry.callId] : []));
      expect(new Set(returned).size).toBe(returned.length);
      const started = after.flatMap((entry) => (entry.type === "tool-started" ? [entry.callId] : []));
      const unknown = after.flatMap((entry) => (entry.type === "outcome-unknown" ? [entry.callId] : []));
      for (const call of started) expect([...returned, ...unknown].filter((one) => one === call)).toHaveLength(1);

      const check = await node(["check.mjs"], place);
      expect(check.stdout).toContain("8 passed, 0 failed");
      expect(existsSync(join(place.work, "src/discount.mjs"))).toBe(true);
      expect(readFileSync(join(place.work, "src/cart.mjs"), "utf8").match(/import \{ discount/g)).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
