import type { Wire } from "../../src/kernel/usage.ts";
import { reduce } from "../../src/log/reduce.ts";
import { emptyState } from "../../src/log/state.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import type { RandomLog } from "../support/play-log.ts";
import { type Render, requestsOf } from "../support/replay-log.ts";

/** The first fact in force that a request of this log does not show on the user's side; null where each shows all. */
export function factHidden(wire: Wire, log: RandomLog, render?: Render): string | null {
  const requests = new Map(requestsOf(wire, log, render).map(({ seq, request }) => [seq, request.body]));
  let state = emptyState;
  for (const entry of log.entries) {
    const body = entry.type === "request-sent" ? requests.get(entry.seq) : undefined;
    if (body !== undefined) {
      const shown = cut(wire, body).filter(({ role, kind }) => role === "user" && kind === "text");
      for (const { id, text } of state.facts.active)
        if (!shown.some((segment) => segment.text.includes(text))) return `entry ${entry.seq}: ${id} (${text})`;
    }
    state = reduce(state, entry);
  }
  return null;
}
