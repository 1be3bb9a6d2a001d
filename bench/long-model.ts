import { performance } from "node:perf_hooks";
import type { Model, WireEvent } from "../src/ports/model.ts";
import { cut } from "../src/testing/simulate/cut.ts";
import type { Simulation } from "../src/testing/simulate/simulation.ts";
import { simulatedModel } from "../test/support/simulated-model.ts";
import type { PassingClock } from "./long-clock.ts";

/** What one step took of ours, all but the simulator; both in milliseconds. */
export type StepTime = { readonly wall: number; readonly cpu: number };

export type SeenModel = {
  readonly model: Model;
  /** One per request, in order; null where a restart or a pause of the run lies before it. */
  readonly times: readonly (StepTime | null)[];
  /** Requests that did not show a fact in force, the first ones by their texts. */
  readonly hidden: { requests: number; missing: number; readonly examples: string[] };
  /** The time since the last answer says nothing about the next step. */
  pause(): void;
};

/** A request in so many is looked at as the provider cuts it, the others as bytes. */
const cutEvery = 20;
const examplesMax = 5;
const answerMs = 4_000;

/** The simulator, with a look at the bytes it receives and at the time between its answers. */
export function seenModel(simulation: Simulation, clock: PassingClock, factsDue: () => readonly string[]): SeenModel {
  const inner = simulatedModel(simulation, () => clock.now());
  const times: (StepTime | null)[] = [];
  const hidden: SeenModel["hidden"] = { requests: 0, missing: 0, examples: [] };
  let since: { readonly wall: number; readonly cpu: NodeJS.CpuUsage } | null = null;
  const model: Model = {
    async *stream(request, signal) {
      times.push(since === null ? null : timeSince(since));
      hidden.requests += 1;
      const missing = factsDue().find((fact) => !isShown(fact, hidden.requests, request));
      if (missing !== undefined) {
        hidden.missing += 1;
        if (hidden.examples.length < examplesMax) hidden.examples.push(missing);
      }
      const events: WireEvent[] = [];
      for await (const event of inner.stream(request, signal)) events.push(event);
      clock.pass(answerMs);
      since = { wall: performance.now(), cpu: process.cpuUsage() };
      yield* events;
    },
  };
  return {
    model,
    times,
    hidden,
    pause() {
      since = null;
    },
  };
}

function timeSince({ wall, cpu }: { readonly wall: number; readonly cpu: NodeJS.CpuUsage }): StepTime {
  const used = process.cpuUsage(cpu);
  return { wall: performance.now() - wall, cpu: (used.user + used.system) / 1_000 };
}

/** Word for word, on the user's side. */
function isShown(fact: string, n: number, { wire, body }: Parameters<Model["stream"]>[0]): boolean {
  if (n % cutEvery !== 0) return body.includes(JSON.stringify(fact).slice(1, -1));
  return cut(wire, body).some(({ role, kind, text }) => role === "user" && kind === "text" && text.includes(fact));
}
