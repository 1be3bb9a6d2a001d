import { isRecord } from "../../kernel/canonical.ts";
import { hashOf } from "../../kernel/hash.ts";
import { parseJson } from "../../kernel/json.ts";
import type { Wire } from "../../kernel/usage.ts";
import type { Binding } from "./binding.ts";
import type { Brain } from "./brain.ts";
import { echoToolsBrain } from "./brains.ts";
import { checkRequest } from "./check.ts";
import { errorBody } from "./error-body.ts";
import { type Examined, examine } from "./examine.ts";
import { effectOf, type Fault, type FaultEffect, overflowError } from "./faults.ts";
import { createLanes } from "./lanes.ts";
import { createMemory } from "./memory.ts";
import { modelList } from "./model-list.ts";
import { modelTable, type SimModel } from "./models.ts";
import { type Outcome, plainDelivery } from "./outcome.ts";
import { laneNameOf } from "./positions.ts";
import { createRecords, newRecord, type Report, type SimRecord } from "./records.ts";
import { askBrain, delivered, makeAnswer, whole } from "./respond.ts";
import { type Route, routeOf } from "./route.ts";
import type { Rule } from "./rule.ts";

export type SimRequest = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type SimulationOptions = {
  /** Default: drives any client through two tool calls. */
  readonly brain?: Brain;
  /** Overrides every model's window, and its shortest cacheable prefix. */
  readonly windowTokens?: number;
  readonly minimumTokens?: number;
  /** What the account does with reasoning whose prefix changed. Default: `error`. */
  readonly binding?: Binding;
  /** Records kept, newest first to stay. Default: 10,000, and never more than 256 million characters of bodies. */
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

type Body = Readonly<Record<string, unknown>>;
type Accepted = {
  readonly record: SimRecord;
  readonly body: Body;
  readonly model: SimModel;
  readonly examined: Examined;
  readonly effect: FaultEffect | null;
  readonly requestId: string;
};

const recordCharsMax = 256 * 1024 * 1024;

export function createSimulation(options: SimulationOptions = {}): Simulation {
  const { binding = "error", brain = echoToolsBrain(), recordsMax = 10_000 } = options;
  const models = modelTable(options);
  const lanes = createLanes();
  const records = createRecords({ countMax: recordsMax, charsMax: recordCharsMax });
  let memory = createMemory();
  let faults: readonly Fault[] = [];
  let count = 0;
  let served = 0;

  async function exchange(request: SimRequest, now: number): Promise<Outcome> {
    const route = routeOf(request.method, request.path);
    const requestId = `req_${hashOf(`${count} ${request.body}`).slice(0, 24)}`;
    return route.type === "generate"
      ? generate(request, route.wire, requestId, now)
      : inform(request, route, requestId);
  }

  /** All that is no model request and leaves no record. */
  function inform(request: SimRequest, route: Exclude<Route, { type: "generate" }>, requestId: string): Outcome {
    const wire = route.type === "count" || "anthropic-version" in request.headers ? "anthropic" : "chat";
    const refuse = (error: { readonly status: number; readonly message: string }) =>
      whole(0, error.status, errorBody(wire, error, requestId), idHeader(wire, requestId));
    if (route.type === "alive") return whole(0, 200, "{}", {});
    if (route.type === "unknown")
      return refuse({ status: 404, message: `no route for ${request.method} ${request.path}` });
    const violation = checkRequest(wire, request.headers, request.body, models, {
      memory,
      binding,
      only: rowsFor[route.type],
    });
    if (violation !== null) return refuse(violation);
    if (route.type === "models") return whole(0, 200, modelList(wire, models), idHeader(wire, requestId));
    const body = bodyOf(request.body);
    const { promptTokens } = examine(request.body, body, modelOf(body, wire), binding);
    return whole(0, 200, JSON.stringify({ input_tokens: promptTokens }), idHeader(wire, requestId));
  }

  async function generate(request: SimRequest, wire: Wire, requestId: string, now: number): Promise<Outcome> {
    const fault = takeFault(wire);
    const effect = fault === null ? null : effectOf(fault, wire);
    const body = bodyOf(request.body);
    count += 1;
    const record = newRecord({
      n: count,
      at: now,
      wire,
      path: request.path,
      purpose: request.headers["x-sim-purpose"] ?? null,
      model: typeof body.model === "string" ? body.model : "",
      body: request.body,
      fault: fault?.kind ?? null,
    });
    records.put(record);
    if (effect?.type === "refuse") return refuse(record, effect.status, effect.body, effect.headers);
    if (effect?.type === "deliver" && effect.delivery.end === "reset") {
      records.finish(record);
      return { n: count, status: 0, headers: {}, frames: [], delivery: { ...plainDelivery, ...effect.delivery } };
    }
    const violation = checkRequest(wire, request.headers, request.body, models, { memory, binding });
    if (violation !== null)
      return refuse(
        { ...record, violation },
        violation.status,
        errorBody(wire, violation, requestId),
        idHeader(wire, requestId),
      );
    const model = modelOf(body, wire);
    const examined = examine(request.body, body, model, binding);
    const sized = { ...record, ...sizeOf(examined, model), lane: laneNameOf(body) };
    if (examined.promptTokens <= model.windowTokens)
      return answer({ record: sized, body, model, examined, effect, requestId });
    const error = overflowError(wire, examined.promptTokens, model.windowTokens);
    return refuse(sized, error.status, errorBody(wire, error, requestId), idHeader(wire, requestId));
  }

  async function answer({ record, body, model, examined, effect, requestId }: Accepted): Promise<Outcome> {
    const { wire, n } = record;
    const { sight, miss } = lanes.observe(n, examined, model, record.lane, record.at);
    const { left: _left, ...use } = sight.use;
    const seen = {
      ...record,
      ...use,
      missCause: miss?.cause ?? null,
      missTokens: miss?.tokens ?? 0,
      dropped: examined.dropped,
    };
    const reply = await askBrain(brain, wire, examined.body, served);
    served += 1;
    if (typeof reply === "string") {
      lanes.abandon(n);
      return refuse(seen, 500, errorBody(wire, { status: 500, message: reply }, requestId), idHeader(wire, requestId));
    }
    const { promptTokens, prefix, dropped } = examined;
    const diagnostics = isRecord(body.diagnostics)
      ? lanes.diagnose(body.diagnostics.previous_message_id, sight)
      : undefined;
    const seed = hashOf(`${n} ${record.at} ${record.body}`);
    const made = makeAnswer(
      reply,
      { n, seed, body, model, promptTokens, use: sight.use, prefix, dropped, diagnostics },
      effect,
    );
    memory.keepReasoning(made.callIds, made.reasoning);
    memory.keepBlocks(made.blocks);
    lanes.named(made.id, sight);
    records.finish({ ...seen, outputTokens: made.outputTokens, messageId: made.id, status: 200 });
    return delivered(n, made, { wire, isStream: body.stream === true, effect, requestId });
  }

  function refuse(record: SimRecord, status: number, body: string, headers: Readonly<Record<string, string>>): Outcome {
    records.finish({ ...record, status });
    return whole(record.n, status, body, headers);
  }

  /** The first fault that matches; those that are to be let through first count down. */
  function takeFault(wire: Wire): Fault | null {
    const at = faults.findIndex((fault) => fault.wire === null || fault.wire === wire);
    const fault = faults[at];
    if (fault === undefined) return null;
    const isDue = fault.skip <= 0;
    const next = isDue ? { ...fault, times: fault.times - 1 } : { ...fault, skip: fault.skip - 1 };
    faults = faults.flatMap((one, index) => (index !== at ? [one] : next.times > 0 ? [next] : []));
    return isDue ? fault : null;
  }

  function modelOf(body: Body, wire: Wire): SimModel {
    const model = models.find((row) => row.wire === wire && row.id === body.model);
    if (model === undefined) throw new Error(`the rules let the unknown model ${String(body.model)} pass`);
    return model;
  }

  return {
    exchange,
    async handle(request, now) {
      const outcome = await exchange(request, now);
      lanes.begin(outcome.n);
      return outcome;
    },
    begin: lanes.begin,
    addFaults(more) {
      faults = [...faults, ...more].slice(0, 1_000);
    },
    requests: records.all,
    report: records.report,
    reset() {
      lanes.clear();
      records.clear();
      memory = createMemory();
      faults = [];
    },
  };
}

/** Counting needs no output limit; listing models needs no body at all. */
const rowsFor: Readonly<Record<"count" | "models", (rule: Rule) => boolean>> = {
  count: (rule) => rule.id !== "max-tokens",
  models: (rule) => rule.id === "key" || rule.id === "version",
};

function bodyOf(text: string): Body {
  const parsed = parseJson(text);
  return parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
}

function idHeader(wire: Wire, requestId: string): Readonly<Record<string, string>> {
  return wire === "chat" ? { "x-request-id": requestId } : { "request-id": requestId };
}

function sizeOf(
  examined: Examined,
  model: SimModel,
): Pick<SimRecord, "segments" | "promptTokens" | "windowTokens" | "overflow"> {
  const segments = examined.segments.map(({ text: _text, ...rest }) => rest);
  return {
    segments,
    promptTokens: examined.promptTokens,
    windowTokens: model.windowTokens,
    overflow: examined.overflow,
  };
}
