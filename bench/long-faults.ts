import type { Wire } from "../src/kernel/usage.ts";
import { type Fault, type FaultKind, overflowError } from "../src/testing/simulate/faults.ts";
import type { Simulation } from "../src/testing/simulate/simulation.ts";
import type { SummaryBehaviour } from "../src/testing/simulate/summaries.ts";
import type { Dice } from "./long-dice.ts";

export type FaultPlan = {
  /** One turn in a few meets one: refusals to wait out, streams that break, windows that turn out to be too small. */
  beforeTurn(dice: Dice): void;
  /** An overflow waits for a prompt of which it could be true. */
  beforeRequest(promptTokens: number): void;
};

const turnsBetween = 6;

export function faultPlan(
  simulation: Simulation,
  { wire, windowTokens }: { readonly wire: Wire; readonly windowTokens: number },
): FaultPlan {
  let planned = 0;
  let overflow: Fault | null = null;
  const add = (fault: Fault) => {
    planned += fault.times;
    simulation.addFaults([fault]);
  };
  return {
    beforeTurn(dice) {
      if (dice.below(turnsBetween) > 0) return;
      const kind = dice.of(kinds);
      const fault = { kind, skip: dice.below(3), times: 1 + dice.below(2), wire: null, message: null };
      if (kind === "too-long" || kind === "stream-overflow") overflow = overflowFault(kind, wire, windowTokens);
      else add({ ...fault, value: values[kind] ?? null });
    },
    beforeRequest(promptTokens) {
      const isFree = simulation.report().faults >= planned;
      if (overflow === null || !isFree || promptTokens < windowTokens / 2) return;
      add(overflow);
      overflow = null;
    },
  };
}

/** The provider's word against our estimate; the window it names is the one it has. */
function overflowFault(kind: "too-long" | "stream-overflow", wire: Wire, windowTokens: number): Fault {
  const { message } = overflowError(wire, Math.ceil(windowTokens * 1.02), windowTokens);
  const value = kind === "too-long" ? Math.ceil(((windowTokens + 1) * 1_000) / 999) : null;
  return { kind, skip: 0, times: 1, wire: null, value, message: kind === "too-long" ? null : message };
}

const values: Partial<Record<FaultKind, number>> = { "rate-limit": 7, "stream-error": 3, "early-end": 3 };

const kinds: readonly [FaultKind, ...FaultKind[]] = [
  "rate-limit",
  "rate-limit",
  "overloaded",
  "overloaded",
  "server-error",
  "unavailable",
  "stream-error",
  "stream-failed",
  "early-end",
  "reset",
  "noise",
  "too-long",
  "stream-overflow",
];

const poor: readonly SummaryBehaviour[] = [
  "empty",
  "tool-call",
  "junk",
  "error-text",
  "truncated",
  "larger",
  "echo",
  "wrong-facts",
  "foreign-language",
];

/** Of three summaries one is good for nothing; each way of that comes up again and again. */
export const longSummaries: readonly SummaryBehaviour[] = Array.from({ length: 4_000 }, (_, at) =>
  at % 3 === 0 ? (poor[(at / 3) % poor.length] ?? "empty") : "good",
);
