import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/adapters/clock.ts";
import { createServers } from "../../src/adapters/mcp-servers.ts";
import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import type { ServerState, Servers } from "../../src/ports/servers.ts";
import type { Clock } from "../../src/ports/world.ts";
import type { ServerEntry, ServerLaunch } from "../../src/workspace/server-settings.ts";

const stub = fileURLToPath(new URL("stub-server.mjs", import.meta.url));
const bin = fileURLToPath(new URL("../../node_modules/.bin/", import.meta.url));

/** A server that runs a script of `stub-server.mjs`. */
export function stubLaunch(script: object, env: Readonly<Record<string, string>> = {}): ServerLaunch {
  return { type: "stdio", command: process.execPath, args: [stub, JSON.stringify(script)], env, cwd: tmpdir() };
}

/** A server of the package that is installed for tests. */
export function realLaunch(name: string, args: readonly string[] = [], cwd: string = tmpdir()): ServerLaunch {
  return { type: "stdio", command: join(bin, name), args, env: {}, cwd };
}

export function entryOf(name: string, launch: ServerLaunch, callMs = 30_000): ServerEntry {
  const limits = { callMs, resultTokens: null, allowed: null, denied: [], alwaysLoad: false };
  return { name, source: "the test", scope: "given", launch, limits, off: null };
}

/** What a test starts, ended with it. */
export function serversForTests() {
  const folder = mkdtempSync(join(tmpdir(), "varve-mcp-"));
  const open: Servers[] = [];
  let files = 0;
  return {
    folder,
    /** Another path each time. */
    file(): string {
      files += 1;
      return join(folder, `file-${files}`);
    },
    start(entries: readonly ServerEntry[], clock: Clock = systemClock) {
      const notes: string[] = [];
      const env = { PATH: process.env.PATH, HOME: folder };
      const servers = createServers({ entries, clock, env, onNote: (text) => notes.push(text) });
      open.push(servers);
      return { servers, notes };
    },
    async end() {
      await Promise.all(open.map((servers) => servers.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function stateOf(servers: Servers, name: string): ServerState {
  const found = servers.now().find((state) => state.name === name);
  if (found === undefined) throw new Error(`no server ${name}`);
  return found;
}

/** Once it is so; a test's own time ends what never is. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

export function asking(signal: AbortSignal = new AbortController().signal) {
  const progress: string[] = [];
  return { progress, asked: { signal, onProgress: (text: string) => void progress.push(text) } };
}

/** The methods that a stub server was asked, in order. */
export function methodsIn(log: string): readonly string[] {
  if (!existsSync(log)) return [];
  return readFileSync(log, "utf8")
    .split("\n")
    .flatMap((line) => {
      const parsed = parseJson(line);
      const value = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value.method : line;
      return typeof value === "string" && value !== "" ? [value] : [];
    });
}
