import type { Binding } from "./binding.ts";
import type { Brain } from "./brain.ts";
import { type Core, requestIdOf, type SimRequest } from "./core.ts";
import { createFaultQueue } from "./fault-queue.ts";
import type { Fault } from "./faults.ts";
import { createCachedContents } from "./gemini-cached.ts";
import { generate } from "./generate.ts";
import { inform } from "./inform.ts";
import { createLanes } from "./lanes.ts";
import { createMemory } from "./memory.ts";
import { type ModelOverrides, modelTable } from "./models.ts";
import type { Outcome } from "./outcome.ts";
import { createRecords, type Report, type SimRecord } from "./records.ts";
import { routeOf, withKey } from "./route.ts";
import { usualBrain } from "./summaries.ts";

export type SimulationOptions = ModelOverrides & {
  /** Default: drives any client through two tool calls. */
  readonly brain?: Brain;
  /** What the account does with reasoning whose prefix changed. Default: `error`. */
  readonly binding?: Binding;
  /** Records kept, the oldest given up first. Default: 10,000, and never more than 256 million characters of bodies. */
  readonly recordsMax?: number;
};

/** The provider without its socket: all but time and the bytes on a wire. */
export type Simulation = {
  /** Answers a request that started at `now` (milliseconds); what it wrote to the cache is readable at once. */
  handle(request: SimRequest, now: number): Promise<Outcome>;
  /** As `handle`, but readable only after `begin`: the moment of the first answer byte. */
  exchange(request: SimRequest, now: number): Promise<Outcome>;
  begin(n: number): void;
  addFaults(faults: readonly Fault[]): void;
  requests(): readonly SimRecord[];
  report(): Report;
  /** Forgets cache, records, faults and what it sent. */
  reset(): void;
};

const recordCharsMax = 256 * 1024 * 1024;

/**
 * A provider in memory: give it requests (`method`, `path`, header names in lower case, `body` as text) and the time in
 * milliseconds, and it gives status, headers and frames. A refused request is an answer, too; it throws only on options
 * that name no model.
 */
export function createSimulation(options: SimulationOptions = {}): Simulation {
  const { binding = "error", brain = usualBrain(), recordsMax = 10_000 } = options;
  const core: Core = {
    models: modelTable(options),
    binding,
    brain,
    lanes: createLanes(),
    records: createRecords({ countMax: recordsMax, charsMax: recordCharsMax }),
    memory: createMemory(),
    faults: createFaultQueue(),
    caches: createCachedContents(),
    received: 0,
    served: 0,
  };
  return {
    exchange: (request, now) => exchange(core, request, now),
    async handle(request, now) {
      const outcome = await exchange(core, request, now);
      core.lanes.begin(outcome.n);
      return outcome;
    },
    begin: core.lanes.begin,
    addFaults: core.faults.add,
    requests: core.records.all,
    report: core.records.report,
    reset() {
      for (const part of [core.lanes, core.records, core.memory, core.faults, core.caches]) part.clear();
    },
  };
}

async function exchange(core: Core, request: SimRequest, now: number): Promise<Outcome> {
  const route = routeOf(request.method, request.path, request.headers);
  const requestId = requestIdOf(core, request);
  if (route.type === "generate") return generate(core, withKey(request), { ...route, requestId, now });
  return inform(core, withKey(request), route, { requestId, now });
}
