import { hashOf } from "../../kernel/hash.ts";
import type { Binding } from "./binding.ts";
import type { Brain } from "./brain.ts";
import { echoToolsBrain } from "./brains.ts";
import { checkRequest } from "./check.ts";
import { bodyOf, type Core, idHeader, modelOf, type SimRequest } from "./core.ts";
import { errorBody } from "./error-body.ts";
import { examine } from "./examine.ts";
import { createFaultQueue } from "./fault-queue.ts";
import type { Fault } from "./faults.ts";
import { generate } from "./generate.ts";
import { createLanes } from "./lanes.ts";
import { createMemory } from "./memory.ts";
import { modelList } from "./model-list.ts";
import { modelTable } from "./models.ts";
import type { Outcome } from "./outcome.ts";
import { createRecords, type Report, type SimRecord } from "./records.ts";
import { whole } from "./respond.ts";
import { type Route, routeOf } from "./route.ts";
import type { Rule } from "./rule.ts";

export type SimulationOptions = {
  /** Default: drives any client through two tool calls. */
  readonly brain?: Brain;
  /** Overrides every model's window, and its shortest cacheable prefix. */
  readonly windowTokens?: number;
  readonly minimumTokens?: number;
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

export function createSimulation(options: SimulationOptions = {}): Simulation {
  const { binding = "error", brain = echoToolsBrain(), recordsMax = 10_000 } = options;
  const core: Core = {
    models: modelTable(options),
    binding,
    brain,
    lanes: createLanes(),
    records: createRecords({ countMax: recordsMax, charsMax: recordCharsMax }),
    memory: createMemory(),
    faults: createFaultQueue(),
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
      for (const part of [core.lanes, core.records, core.memory, core.faults]) part.clear();
    },
  };
}

async function exchange(core: Core, request: SimRequest, now: number): Promise<Outcome> {
  const route = routeOf(request.method, request.path);
  const requestId = `req_${hashOf(`${core.received} ${request.body}`).slice(0, 24)}`;
  if (route.type === "generate") return generate(core, request, { wire: route.wire, requestId, now });
  return inform(core, request, route, requestId);
}

/** All that is no model request and leaves no record. */
function inform(
  core: Core,
  request: SimRequest,
  route: Exclude<Route, { type: "generate" }>,
  requestId: string,
): Outcome {
  const wire = route.type === "count" || "anthropic-version" in request.headers ? "anthropic" : "chat";
  const headers = idHeader(wire, requestId);
  const refuse = (error: { readonly status: number; readonly message: string }) =>
    whole(0, error.status, errorBody(wire, error, requestId), headers);
  if (route.type === "alive") return whole(0, 200, "{}", {});
  if (route.type === "unknown")
    return refuse({ status: 404, message: `no route for ${request.method} ${request.path}` });
  const account = { memory: core.memory, binding: core.binding, only: rowsFor[route.type] };
  const violation = checkRequest(wire, request.headers, request.body, core.models, account);
  if (violation !== null) return refuse(violation);
  if (route.type === "models") return whole(0, 200, modelList(wire, core.models), headers);
  const body = bodyOf(request.body);
  const { promptTokens } = examine(request.body, body, modelOf(core, body, wire), core.binding);
  return whole(0, 200, JSON.stringify({ input_tokens: promptTokens }), headers);
}

/** Counting needs no output limit; listing models needs no body at all. */
const rowsFor: Readonly<Record<"count" | "models", (rule: Rule) => boolean>> = {
  count: (rule) => rule.id !== "max-tokens",
  models: (rule) => rule.id === "key" || rule.id === "version",
};
