import { hashOf } from "../../kernel/hash.ts";
import type { Wire } from "../../kernel/usage.ts";
import { brainRequestOf } from "./brain-request.ts";
import { checkRequest } from "./check.ts";
import { bodyOf, type Core, idHeader, modelOf, type SimRequest } from "./core.ts";
import { diagnosisFor } from "./diagnose.ts";
import { errorBody } from "./error-body.ts";
import { type Examined, examine } from "./examine.ts";
import { effectOf, type FaultEffect, overflowError } from "./faults.ts";
import { shownBy } from "./gemini-cached.ts";
import type { SimModel } from "./models.ts";
import { type Outcome, plainDelivery, type StreamForm } from "./outcome.ts";
import { laneNameOf } from "./positions.ts";
import { newRecord, type SimRecord } from "./records.ts";
import { askBrain, delivered, makeAnswer, whole } from "./respond.ts";
import { textOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;
type Place = {
  readonly wire: Wire;
  readonly requestId: string;
  readonly now: number;
  /** Where the path says them and not the body. */
  readonly model?: string;
  readonly stream?: StreamForm;
};
type Accepted = {
  readonly record: SimRecord;
  readonly body: Body;
  readonly model: SimModel;
  readonly stream: StreamForm;
  readonly examined: Examined;
  readonly effect: FaultEffect | null;
  readonly requestId: string;
};

/** One model request: fault, rules, size, then the answer. Every one of them leaves a record. */
export async function generate(core: Core, request: SimRequest, place: Place): Promise<Outcome> {
  const { wire, requestId, now } = place;
  const body = bodyOf(request.body);
  const asked = place.model ?? body.model;
  const fault = core.faults.take(wire, () => brainRequestOf({ wire, id: textOf(asked) }, body, core.served));
  const effect = fault === null ? null : effectOf(fault, wire);
  core.received += 1;
  const record = newRecord({
    n: core.received,
    at: now,
    wire,
    path: request.path,
    purpose: request.headers["x-sim-purpose"] ?? null,
    model: textOf(asked),
    body: request.body,
    fault: fault?.kind ?? null,
  });
  core.records.put(record);
  if (effect?.type === "refuse") return refuse(core, record, effect);
  if (effect?.type === "cold") core.lanes.expire();
  if (effect?.type === "deliver" && effect.delivery.end === "reset") {
    core.records.finish(record);
    return { n: record.n, status: 0, headers: {}, frames: [], delivery: { ...plainDelivery, ...effect.delivery } };
  }
  const stored = core.caches.find(body.cachedContent, now);
  const { memory, binding } = core;
  const account = { memory, binding, asked: place.model, stored };
  const violation = checkRequest(wire, request.headers, request.body, core.models, account);
  if (violation !== null) return refuse(core, { ...record, violation }, errorFor(wire, violation, requestId));
  const model = modelOf(core, asked, wire);
  const shown = shownBy(request.body, body, stored);
  const examined = examine(shown.text, shown.body, model, binding, shown.heldTokens);
  const sized = { ...record, ...sizeOf(examined, model), lane: laneNameOf(body) };
  if (examined.promptTokens > model.windowTokens) {
    return refuse(
      core,
      sized,
      errorFor(wire, overflowError(wire, examined.promptTokens, model.windowTokens), requestId),
    );
  }
  const stream = place.stream ?? (body.stream === true ? "sse" : "none");
  return answer(core, { record: sized, body, model, stream, examined, effect, requestId });
}

async function answer(
  core: Core,
  { record, body, model, stream, examined, effect, requestId }: Accepted,
): Promise<Outcome> {
  const { wire, n } = record;
  const { lanes, memory } = core;
  const { sight, miss } = lanes.observe(n, examined, model, record.lane, record.at);
  const { left: _left, ...use } = sight.use;
  const { promptTokens, prefix, dropped } = examined;
  const seen = { ...record, ...use, missCause: miss?.cause ?? null, missTokens: miss?.tokens ?? 0, dropped };
  const reply = await askBrain(core.brain, model, examined.body, core.served);
  core.served += 1;
  if (typeof reply === "string") {
    lanes.abandon(n);
    return refuse(core, seen, errorFor(wire, { status: 500, message: reply }, requestId));
  }
  const diagnostics = diagnosisFor(wire, body, sight, lanes.sightOf);
  const seed = hashOf(`${n} ${record.at} ${record.body}`);
  const frame = { n, seed, body, model, stream, promptTokens, use: sight.use, prefix, dropped, diagnostics };
  const made = makeAnswer(reply, frame, effect);
  memory.keepReasoning(made.callIds, made.reasoning);
  memory.keepBlocks(made.blocks);
  if (made.turn !== undefined) memory.keepTurn(made.turn.id, made.turn.form);
  lanes.named(made.id, sight);
  core.records.finish({ ...seen, outputTokens: made.outputTokens, messageId: made.id, status: 200 });
  return delivered(n, made, { wire, stream, effect, requestId, lateMs: reply.lateMs ?? 0 });
}

type Refusal = { readonly status: number; readonly body: string; readonly headers: Readonly<Record<string, string>> };

function refuse(core: Core, record: SimRecord, { status, body, headers }: Refusal): Outcome {
  core.records.finish({ ...record, status });
  return whole(record.n, status, body, headers);
}

function errorFor(wire: Wire, error: Parameters<typeof errorBody>[1], requestId: string): Refusal {
  return { status: error.status, body: errorBody(wire, error, requestId), headers: idHeader(wire, requestId) };
}

function sizeOf(
  examined: Examined,
  model: SimModel,
): Pick<SimRecord, "segments" | "promptTokens" | "windowTokens" | "overflow"> {
  const segments = examined.segments.map(({ text: _text, ...rest }) => rest);
  const { promptTokens, overflow } = examined;
  return { segments, promptTokens, windowTokens: model.windowTokens, overflow };
}
