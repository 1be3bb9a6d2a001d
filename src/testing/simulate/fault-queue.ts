import type { Wire } from "../../kernel/usage.ts";
import type { BrainRequest } from "./brain.ts";
import type { Fault } from "./faults.ts";
import { type Condition, failsAt } from "./script-condition.ts";

export type FaultQueue = {
  add(faults: readonly Fault[]): void;
  /** The fault that strikes this request, if one is due; what it asks for is read only where a fault has a condition. */
  take(wire: Wire, request: () => BrainRequest): Fault | null;
  clear(): void;
};

const queuedMax = 1_000;

/** The first fault that matches decides: it strikes, or, if it lets requests through first, counts down. */
export function createFaultQueue(): FaultQueue {
  let faults: readonly Fault[] = [];
  return {
    add(more) {
      faults = [...faults, ...more].slice(0, queuedMax);
    },
    take(wire, request) {
      let asked: BrainRequest | undefined;
      const meets = (when: Condition) => {
        asked ??= request();
        return failsAt(when, asked) === null;
      };
      const at = faults.findIndex(
        ({ wire: only, when }) => (only === null || only === wire) && (when === undefined || meets(when)),
      );
      const fault = faults[at];
      if (fault === undefined) return null;
      const isDue = fault.skip <= 0;
      const next = isDue ? { ...fault, times: fault.times - 1 } : { ...fault, skip: fault.skip - 1 };
      faults = faults.flatMap((one, index) => (index !== at ? [one] : next.times > 0 ? [next] : []));
      return isDue ? fault : null;
    },
    clear() {
      faults = [];
    },
  };
}
