import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/adapters/clock.ts";
import { createServers } from "../../src/adapters/mcp-servers.ts";
import { estimate } from "../../src/budget/count.ts";
import type { ServerLaunch } from "../../src/workspace/server-settings.ts";
import { binOf } from "./install-client.ts";
import { check } from "./run-program.ts";
import type { ServerProgram } from "./server-table.ts";

const startMsMax = 60_000;

/** Starts a server as a session does, lists what it has, calls one tool, ends it. Gives a line for people. */
export async function driveServer(program: ServerProgram, cache: string): Promise<string> {
  const { name, call, toolsMin } = program;
  const home = await mkdtemp(join(tmpdir(), "varve-e2e-"));
  const service = await emptyService();
  const limits = { callMs: startMsMax, resultTokens: null, allowed: null, denied: [], alwaysLoad: false };
  const launch = launchOf(program, { cache, url: service.url, cwd: home });
  const servers = createServers({
    entries: [{ name, source: "the test", scope: "given", launch, limits, off: null }],
    clock: systemClock,
    env: { PATH: process.env.PATH, HOME: home },
    onNote: (text) => process.stdout.write(`${name}: ${text}\n`),
  });
  try {
    const startedAt = performance.now();
    await servers.settled(startMsMax);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const state = servers.now()[0];
    check(state?.status.type === "ready", `${name} did not start: ${JSON.stringify(state?.status)}`);
    check(state.tools.length >= toolsMin, `${name} lists ${state.tools.length} tools, expected ${toolsMin}`);
    const asked = { signal: AbortSignal.timeout(startMsMax), onProgress: () => {} };
    const answer = await servers.call({ server: name, ...call }, asked);
    check(answer.type === "answer" && !answer.isError, `${name}: ${call.tool} gave ${JSON.stringify(answer)}`);
    const listed = estimate(JSON.stringify(state.tools));
    const given = estimate(JSON.stringify(answer.content));
    return `${name}: ${state.tools.length} tools in ${seconds} s (about ${listed} tokens), ${call.tool} gave about ${given} tokens`;
  } finally {
    await servers.close();
    service.end();
    await rm(home, { recursive: true, force: true });
  }
}

export function launchOf(
  program: ServerProgram,
  { cache, url, cwd }: { readonly cache: string; readonly url: string; readonly cwd: string },
): ServerLaunch {
  return { type: "stdio", command: binOf(program, cache), args: program.args, env: program.env(url), cwd };
}

/** A service on loopback that answers `{}` to everything. */
export async function emptyService(): Promise<{ readonly url: string; readonly end: () => void }> {
  const service = createServer((_request, response) => {
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  // The proof: it listens at an address of TCP.
  const { port } = service.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    end() {
      service.close();
      service.closeAllConnections();
    },
  };
}
