import type { Wire } from "../src/kernel/usage.ts";
import { type FaultKind, overflowError } from "../src/testing/simulate/faults.ts";
import type { Simulation } from "../src/testing/simulate/simulation.ts";
import type { SummaryBehaviour } from "../src/testing/simulate/summaries.ts";
import type { Dice } from "./long-dice.ts";

/** One turn in a few meets one: refusals to wait out, streams that break, windows that turn out to be too small. */
export function addFaults(
  simulation: Simulation,
  dice: Dice,
  {
    wire,
    windowTokens,
    promptTokens,
  }: { readonly wire: Wire; readonly windowTokens: number; readonly promptTokens: number },
): void {
  if (dice.below(6) > 0) return;
  const drawn = dice.of(kinds);
  // Nobody calls a prompt too long that is a small part of the window.
  const isOverflow = overflows.has(drawn) && promptTokens > windowTokens / 2;
  const kind = overflows.has(drawn) && !isOverflow ? "overloaded" : drawn;
  // The overflow is the provider's word against our estimate; the window it names is the one it has.
  const refused = Math.ceil(windowTokens * 1.02);
  simulation.addFaults([
    {
      kind,
      skip: isOverflow ? 0 : dice.below(3),
      times: isOverflow ? 1 : 1 + dice.below(2),
      wire: null,
      value: kind === "too-long" ? Math.ceil(((windowTokens + 1) * 1_000) / 999) : (values[kind] ?? null),
      message: kind === "stream-overflow" ? overflowError(wire, refused, windowTokens).message : null,
    },
  ]);
}

const overflows: ReadonlySet<FaultKind> = new Set(["too-long", "stream-overflow"]);

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

/** Of three summaries one is good for nothing; each way of that comes up again and again. */
export const longSummaries: readonly SummaryBehaviour[] = Array.from({ length: 4_000 }, (_, at) =>
  at % 3 === 0 ? (poor[(at / 3) % poor.length] ?? "empty") : "good",
);
