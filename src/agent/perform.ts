import { bounds } from "../kernel/bounds.ts";
import type { EntryBody } from "../log/entry.ts";
import { closeCall, lostCall, runTool, started } from "./calls.ts";
import { compact } from "./compact.ts";
import { openEpoch } from "./epochs.ts";
import { showFacts } from "./facts.ts";
import type { Lane } from "./lane.ts";
import { permit } from "./permit.ts";
import { planOf } from "./planned.ts";
import { settled } from "./pointers.ts";
import { reduced } from "./shrink.ts";
import type { Effect } from "./situation.ts";
import { prepareStep, sendStep } from "./step.ts";
import { prepareSummary, sendSummary } from "./summarize.ts";
import { tellHooks } from "./tell-hooks.ts";

/** An effect made ready: the intent that is appended before it starts, and the start. */
export type Ready = {
  readonly intent: readonly EntryBody[];
  readonly start: (signal: AbortSignal) => Promise<readonly EntryBody[]>;
  /** The end of the intent where the effect itself breaks down, so that no intent stays without one. */
  readonly lost: readonly EntryBody[];
  /**
   * A fact happened and is stored whatever came meanwhile. A plan is worth something only on the state it was made for:
   * when an entry came first, it is dropped, and deciding begins again.
   */
  readonly yields: "fact" | "plan";
};

type Prepare<T extends Effect["type"]> = (effect: Extract<Effect, { readonly type: T }>, lane: Lane) => Ready;

/** What each effect does, total by type. */
export function prepare(effect: Effect, lane: Lane): Ready {
  // Correlated union: the record's entry for `effect.type` takes exactly this effect.
  const make = preparations[effect.type] as (effect: Effect, lane: Lane) => Ready;
  return settling(make(effect, lane), lane);
}

/** Whatever a break takes away, and why it came: pointers still lead to lines that are shown. */
function settling(ready: Ready, lane: Lane): Ready {
  if (ready.yields !== "plan") return ready;
  return { ...ready, start: async (signal) => await settled(await ready.start(signal), lane) };
}

/** One effect of a key runs at a time, so one of each call: deciding again while it runs starts nothing twice. */
export function keyOf(effect: Effect): string {
  return "callId" in effect ? `call ${effect.callId}` : effect.type;
}

const preparations: { readonly [T in Effect["type"]]: Prepare<T> } = {
  "open-epoch": (effect, lane) => quiet("plan", () => openEpoch(effect, lane.state(), lane.config, lane.texts)),
  reduce: ({ pressure, why }, lane) =>
    quiet("plan", () => reduced(planOf(lane.prompt(), lane, pressure), lane.prompt(), why, lane)),
  compact: (effect, lane) => quiet("plan", () => compact(effect, lane)),
  "refuse-compaction": ({ why }) => quiet("plan", async () => [{ type: "compaction-refused", detail: why }]),
  summarize: (effect, lane) => {
    const request = prepareSummary(effect, lane);
    return {
      intent: [request.asked, request.intent],
      start: (signal) => sendSummary(request, lane, signal),
      lost: [{ type: "outcome-unknown", what: "request", request: request.id }],
      yields: "fact",
    };
  },
  "show-facts": (_effect, lane) => quiet("plan", () => showFacts(lane)),
  "send-request": ({ attempt }, lane) => {
    const step = prepareStep(lane.prompt(), attempt, lane);
    return {
      intent: [step.intent],
      start: (signal) => sendStep(step, lane, signal),
      lost: [{ type: "outcome-unknown", what: "request", request: step.id }],
      yields: "fact",
    };
  },
  wait: ({ untilMs, forMs, why }, lane) =>
    quiet("fact", async (signal) => {
      lane.emit({ type: "waiting", untilMs, why });
      const left = untilMs - lane.fx.clock.now();
      await lane.fx.clock.sleep(Math.min(Math.max(0, left), forMs, bounds.retryAfterMsMax), signal);
      return [];
    }),
  permit: ({ callId }, lane) => quiet("fact", (signal) => permit(callId, lane, signal)),
  "run-tool": ({ callId }, lane) => ({
    intent: started(callId, lane),
    start: (signal) => runTool(callId, lane, signal),
    lost: [lostCall(callId)],
    yields: "fact",
  }),
  "close-call": ({ callId, ending, why }, lane) => quiet("fact", () => closeCall(callId, ending, why, lane)),
  "tell-hooks": (effect, lane) => ({ ...tellHooks(effect, lane), yields: "fact" }),
  "end-turn": ({ reason, detail }) => quiet("plan", async () => [{ type: "turn-ended", reason, detail }]),
};

/** No intent of its own: it changes nothing outside the log, so a death in it leaves nothing to find out. */
function quiet(yields: Ready["yields"], start: Ready["start"]): Ready {
  return { intent: [], start, lost: [], yields };
}
