import { isRecord } from "../../kernel/canonical.ts";
import { hashOf } from "../../kernel/hash.ts";
import { parseJson } from "../../kernel/json.ts";
import type { Wire } from "../../kernel/usage.ts";
import type { Binding } from "./binding.ts";
import type { Brain } from "./brain.ts";
import type { FaultQueue } from "./fault-queue.ts";
import type { CachedContents } from "./gemini-cached.ts";
import type { Lanes } from "./lanes.ts";
import type { GrowingMemory } from "./memory.ts";
import type { SimModel } from "./models.ts";
import type { Records } from "./records.ts";

/** What a running simulation holds. */
export type Core = {
  readonly models: readonly SimModel[];
  readonly binding: Binding;
  readonly brain: Brain;
  readonly lanes: Lanes;
  readonly records: Records;
  readonly memory: GrowingMemory;
  readonly faults: FaultQueue;
  readonly caches: CachedContents;
  /** Model requests received, and those the brain answered. */
  received: number;
  served: number;
};

export type SimRequest = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The body as parsed; empty where it is none, which the rules refuse. */
export function bodyOf(text: string): Readonly<Record<string, unknown>> {
  const parsed = parseJson(text);
  return parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
}

/** The row of the model asked for, once the rules have passed. */
export function modelOf(core: Core, asked: unknown, wire: Wire): SimModel {
  const model = core.models.find((row) => row.wire === wire && row.id === asked);
  if (model === undefined) throw new Error(`the rules let the unknown model ${String(asked)} pass`);
  return model;
}

export function requestIdOf(core: Core, request: SimRequest): string {
  return `req_${hashOf(`${core.received} ${request.body}`).slice(0, 24)}`;
}

export function idHeader(wire: Wire, requestId: string): Readonly<Record<string, string>> {
  return wire === "anthropic" ? { "request-id": requestId } : { "x-request-id": requestId };
}
