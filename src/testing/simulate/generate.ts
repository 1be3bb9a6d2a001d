import type { Wire } from "../../kernel/usage.ts";
import { answer } from "./answer.ts";
import { checkRequest } from "./check.ts";
import { requestAsAsked } from "./compaction-ask.ts";
import { bodyOf, type Core, modelOf, type SimRequest } from "./core.ts";
import { type Examined, examine } from "./examine.ts";
import { effectOf, overflowError } from "./faults.ts";
import { shownBy } from "./gemini-cached.ts";
import type { SimModel } from "./models.ts";
import { type Outcome, plainDelivery, type StreamForm } from "./outcome.ts";
import { laneNameOf } from "./positions.ts";
import { newRecord, type SimRecord } from "./records.ts";
import { errorFor, refuse } from "./refuse.ts";
import type { Rule } from "./rule.ts";
import { textOf } from "./value.ts";

type Place = {
  readonly wire: Wire;
  readonly requestId: string;
  readonly now: number;
  /** Where the path says them and not the body. */
  readonly model?: string;
  readonly stream?: StreamForm;
  readonly isWindow?: boolean;
};

/** One model request: fault, rules, size, then the answer. Every one of them leaves a record. */
export async function generate(core: Core, request: SimRequest, place: Place): Promise<Outcome> {
  const { wire, requestId, now, isWindow = false } = place;
  const body = bodyOf(request.body);
  const asked = place.model ?? body.model;
  const fault = core.faults.take(wire, () =>
    requestAsAsked({ wire, id: textOf(asked) }, body, { isWindow, served: core.served }),
  );
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
  const account = { memory, binding, asked: place.model, stored, isWindow, only: isWindow ? isOfWindows : undefined };
  const violation = checkRequest(wire, request.headers, request.body, core.models, account);
  if (violation !== null) return refuse(core, { ...record, violation }, errorFor(wire, violation, requestId));
  const model = modelOf(core, asked, wire);
  const shown = shownBy(request.body, body, stored);
  const examined = examine(shown.text, shown.body, model, isWindow ? "off" : binding, shown.heldTokens);
  const sized = { ...record, ...sizeOf(examined, model), lane: laneNameOf(body) };
  if (examined.promptTokens > model.windowTokens) {
    const overflow = overflowError(wire, examined.promptTokens, model.windowTokens);
    return refuse(core, sized, errorFor(wire, overflow, requestId));
  }
  const stream = place.stream ?? (body.stream === true ? "sse" : "none");
  return answer(core, { record: sized, body, model, stream, examined, effect, requestId, isWindow });
}

/** A window is made without the tools, so that what reasoning was bound to and items belong to cannot be looked at. */
function isOfWindows({ id }: Rule): boolean {
  return id !== "reasoning-bound" && id !== "reasoning-loop" && id !== "search-declared" && id !== "tool-deferred";
}

function sizeOf(
  examined: Examined,
  model: SimModel,
): Pick<SimRecord, "segments" | "promptTokens" | "windowTokens" | "overflow"> {
  const segments = examined.segments.map(({ text: _text, resumes: _resumes, ...rest }) => rest);
  const { promptTokens, overflow } = examined;
  return { segments, promptTokens, windowTokens: model.windowTokens, overflow };
}
