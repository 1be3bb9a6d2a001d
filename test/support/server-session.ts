import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/adapters/clock.ts";
import { fileStore } from "../../src/adapters/store-file.ts";
import { brand, type ProjectId } from "../../src/kernel/ids.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import { usualModel } from "../../src/provider/usual-model.ts";
import { createSession } from "../../src/session/create-session.ts";
import type { OpenSession, SessionOptions } from "../../src/session/options.ts";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import type { SimRecord } from "../../src/testing/simulate/records.ts";
import type { SimSegment } from "../../src/testing/simulate/segment.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import type { ServerEntry, ServerLaunch } from "../../src/workspace/server-settings.ts";
import { simulatedModel } from "./simulated-model.ts";
import toldBrain from "./told-brain.ts";
import { call } from "./varve-process.ts";

/** Models that the tests of real servers run with: one whose wire shows definitions with a result, and one without. */
export const modelsOfServers: readonly (readonly [Wire, string, "by name" | "through CallTool"])[] = [
  ["anthropic", "claude-sonnet-5-5", "by name"],
  ["gemini", "gemini-4-argon", "through CallTool"],
];

const dayMs = 24 * 60 * 60_000;
export const projectOfTests: ProjectId = brand("p0000000000000000");

/**
 * A workspace, a home and a simulated model for sessions with MCP servers, all on this machine's own clock, which can be set a
 * day on. The model does what the prompt tells it (`told-brain.ts`), or as its brain says.
 */
export function serverPlace(model: string, brain: Brain = toldBrain) {
  const folder = mkdtempSync(join(tmpdir(), "varve-served-"));
  const [work, home] = [join(folder, "work"), join(folder, "home")];
  mkdirSync(join(work, ".git"), { recursive: true });
  const simulation = createSimulation({ brain });
  const { wire } = usualModel(model);
  let laterMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + laterMs };
  const stores = fileStore({ root: home, clock, sync: false });
  const opened: OpenSession[] = [];
  const pidFiles = new Set<string>();
  const ran = (name: string) => join(folder, `${name}.pids`);
  return {
    ...{ folder, work, home, simulation, clock, wire, stores },
    nextDay() {
      laterMs += dayMs;
    },
    /** The same server, whose processes are known by their ids; with `gate` it starts once that file is there. */
    watched(name: string, launch: ServerLaunch, gate?: string): ServerLaunch {
      if (launch.type !== "stdio") return launch;
      pidFiles.add(ran(name));
      const wait = gate === undefined ? "" : `while [ ! -e ${gate} ]; do sleep 0.02; done; `;
      const script = `echo $$ >> ${ran(name)}; ${wait}exec "$0" "$@"`;
      return { ...launch, command: "sh", args: ["-c", script, launch.command, ...launch.args] };
    },
    pids: (name: string) => pidsIn(ran(name)),
    /** Processes that are still there, their children included: each server leads a group of its own. */
    alive: () => [...pidFiles].flatMap(pidsIn).filter(isGroupAlive),
    async open(servers: readonly ServerEntry[], more: Partial<SessionOptions> = {}): Promise<OpenSession> {
      const session = await createSession({
        ...{ model, endpoints: {}, cwd: work, home, servers, project: projectOfTests },
        ...{ userFolder: join(folder, "user"), mode: "bypassPermissions" },
        ...more,
        world: {
          ...{ stores, clock, model: simulatedModel(simulation, clock.now) },
          ...{ env: { PATH: process.env.PATH, HOME: folder } },
          ...more.world,
        },
      });
      opened.push(session);
      return session;
    },
    /** What the newest request shows, piece by piece, as the model reads it. */
    shown: (): readonly SimSegment[] => cut(wire, simulation.requests().at(-1)?.body ?? ""),
    async end() {
      for (const session of opened) await session.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type ServerPlace = ReturnType<typeof serverPlace>;

/** The newest result that it shows. */
export function lastResult({ shown }: Pick<ServerPlace, "shown">): string {
  return shown().findLast(({ kind }) => kind === "result")?.text ?? "no result";
}

/** A call of a server's tool as a model of that wire makes it. */
export function using(way: (typeof modelsOfServers)[number][2], tool: string, input: object) {
  return way === "by name" ? call(tool, input) : call("CallTool", { tool, input });
}

/** What of the requests moved something that was sent before, was refused, or missed the cache for no rule of the provider's. */
export function movedIn(requests: readonly SimRecord[]): readonly string[] {
  return requests.flatMap((request, at) => {
    const { n, violation, overflow, segments, missCause } = request;
    const before = requests[at - 1];
    const moved = before?.segments.find(({ hash }, place) => segments[place]?.hash !== hash);
    const isExcused = missCause === null || missCause === excuseOf(request, before);
    return [
      ...(violation === null ? [] : [`request ${n} breaks ${violation.rule}: ${violation.message}`]),
      ...(overflow ? [`request ${n} does not fit`] : []),
      ...(moved === undefined ? [] : [`request ${n} moves ${moved.path}`]),
      ...(isExcused ? [] : [`request ${n} missed the cache: ${missCause}`]),
    ];
  });
}

/** The one cause of a miss that is nobody's fault there. */
function excuseOf(request: SimRecord, before: SimRecord | undefined): SimRecord["missCause"] {
  if (before === undefined) return "cold-start";
  if (request.at - before.at >= dayMs) return "expired";
  // Anthropic reads no message again once an image is among them (PROTOCOLS A.2).
  const isFirstImage = hasImage(request) && !hasImage(before);
  return request.wire === "anthropic" && isFirstImage ? "key-changed" : null;
}

const hasImage = ({ segments }: SimRecord) => segments.some(({ kind }) => kind === "image");

/** An empty file: what waits for it goes on. */
export function openGate(file: string): void {
  writeFileSync(file, "");
}

function pidsIn(file: string): readonly number[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean).map(Number) : [];
}

function isGroupAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}
