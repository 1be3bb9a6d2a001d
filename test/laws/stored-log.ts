import type { Hash } from "../../src/kernel/ids.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { Entry } from "../../src/log/entry.ts";
import type { RandomLog } from "../support/play-log.ts";
import { requestsOf } from "../support/replay-log.ts";

/** A log as one text, so that another process can render it. */
export function storedLog(wire: Wire, { entries, texts }: RandomLog): string {
  return JSON.stringify({ wire, entries, texts: [...texts] });
}

export function bodiesOf(stored: string): readonly string[] {
  const {
    wire,
    entries,
    texts,
  }: { wire: Wire; entries: readonly Entry[]; texts: readonly (readonly [Hash, string])[] } = JSON.parse(stored);
  return requestsOf(wire, { entries, texts: new Map(texts) }).map(({ request }) => request.body);
}
