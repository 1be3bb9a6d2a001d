import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawnSimulator } from "../../src/testing/simulate/spawn.ts";
import { type Client, clients, usualNames } from "./client-table.ts";
import { clientMsMax, driveClient } from "./drive-client.ts";
import { driveServer } from "./drive-server.ts";
import { driveSession } from "./drive-session.ts";
import { installed } from "./install-client.ts";
import { check, runProgram } from "./run-program.ts";
import { type ServerProgram, serverPrograms } from "./server-table.ts";

/**
 * `npm run e2e [-- NAME... | all]`: real clients of other people run a whole tool loop against our simulator, then resume
 * it, and the bodies they sent survive `apply`. MCP servers of other people are started, listed and called, alone and all of
 * them in one session. They are installed once into `~/.cache/varve-e2e` (or $VARVE_E2E_CACHE); nothing of theirs is kept
 * in this repository. Where the system allows it, they run without any network but loopback.
 */
async function main(args: readonly string[]): Promise<void> {
  const cache = process.env.VARVE_E2E_CACHE ?? join(homedir(), ".cache", "varve-e2e");
  if (args[0] === "--drive") return await driveAll(chosen(args.slice(1)), cache);
  const ready = await installed(chosen(args), cache);
  if (ready.length === 0) return;
  const code = await driveApart(ready);
  if (code === null) {
    process.stderr.write("no network namespaces here: the clients could reach more than the simulator\n");
    return await driveAll(ready, cache);
  }
  check(code === 0, "the clients did not run through");
}

type Foreign = Client | ServerProgram;
const all: readonly Foreign[] = [...clients, ...serverPrograms];

function chosen(names: readonly string[]): readonly Foreign[] {
  const known = all.map(({ name }) => name);
  const wanted = names.length === 0 ? usualNames : names.includes("all") ? known : names;
  const stranger = wanted.find((name) => !known.includes(name));
  check(stranger === undefined, `no client is called ${stranger}; known: ${known.join(", ")}`);
  return all.filter(({ name }) => wanted.includes(name));
}

/** This script again, on a machine with no network but loopback: its exit code, or null where the system does not allow that. */
async function driveApart(ready: readonly Foreign[]): Promise<number | null> {
  const loopback = ["-rn", "sh", "-c", 'ip link set lo up && exec "$0" "$@"', process.execPath];
  const options = { cwd: process.cwd(), env: process.env, timeout: clientMsMax };
  const can = await runProgram("unshare", [...loopback, "--version"], options);
  if (can.code !== 0) return null;
  const again = [fileURLToPath(import.meta.url), "--drive", ...ready.map(({ name }) => name)];
  const child = spawn("unshare", [...loopback, ...again], { stdio: ["ignore", "inherit", "inherit"] });
  return await new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
}

async function driveAll(ready: readonly Foreign[], cache: string): Promise<void> {
  const servers = ready.filter((program) => "toolsMin" in program);
  for (const program of servers) process.stdout.write(`${await driveServer(program, cache)}\n`);
  if (servers.length > 0) process.stdout.write(`${await driveSession(servers, cache)}\n`);
  const driven = ready.flatMap((program) => ("toolsMin" in program ? [] : program));
  if (driven.length === 0) return;
  const simulator = await spawnSimulator(["--reasoning", "I think about the next step."], 60_000);
  try {
    for (const client of driven)
      for (const model of client.models)
        process.stdout.write(`${await driveClient(client, model, { cache, simulator })}\n`);
  } finally {
    await simulator.stop();
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
