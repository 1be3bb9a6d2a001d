import type { Entry, EntryOf } from "../src/log/entry.ts";

/** What a long session's log says as it grows: counts, and which facts the next request must show. */
export type Tally = {
  readonly breaks: Record<string, number>;
  /** Entries by type, and by outcome where they have one. */
  readonly entries: Record<string, number>;
  readonly failures: Record<string, number>;
  readonly calls: Record<string, { done: number; other: number }>;
  requests: number;
  sideRequests: number;
  /** Of step requests. */
  answers: number;
  failed: number;
  /** What the newest request must show, word for word: the facts in force, in a step request. */
  due: readonly string[];
  /** Predicted tokens of the newest step request. */
  newestPrompt: number;
  /** How many requests there were when something was first taken away to make room; null: nothing yet. */
  firstFull: number | null;
  take(entry: Entry): void;
};

export function tally(): Tally {
  const facts = new Map<string, string>();
  const side = new Set<string>();
  const all: Tally = {
    breaks: {},
    entries: {},
    failures: {},
    calls: {},
    requests: 0,
    sideRequests: 0,
    answers: 0,
    failed: 0,
    due: [],
    newestPrompt: 0,
    firstFull: null,
    take(entry) {
      count(all.entries, "outcome" in entry ? `${entry.type}: ${String(entry.outcome)}` : entry.type);
      // The row of `entry.type` takes exactly this entry.
      (takers[entry.type] as ((entry: Entry) => void) | undefined)?.(entry);
    },
  };
  const takers: { readonly [T in Entry["type"]]?: (entry: EntryOf<T>) => void } = {
    "fact-pinned": ({ fact, text }) => void facts.set(fact, text),
    "fact-retired": ({ fact }) => void facts.delete(fact),
    "epoch-opened"({ reason }) {
      if (reason === "start") return;
      count(all.breaks, reason);
      if (makesRoom.has(reason)) all.firstFull ??= all.requests;
    },
    "request-sent"({ request, purpose, predicted }) {
      all.requests += 1;
      all.due = purpose === "step" ? [...facts.values()] : [];
      if (purpose === "step") all.newestPrompt = predicted.promptTokens;
      else all.sideRequests += 1;
      if (purpose === "side") side.add(request);
    },
    "response-received"({ request }) {
      if (!side.has(request)) all.answers += 1;
    },
    "request-failed"({ failure }) {
      all.failed += 1;
      count(all.failures, failure.class);
    },
    "tool-returned"({ tool, ending }) {
      all.calls[tool] ??= { done: 0, other: 0 };
      all.calls[tool][ending === "done" ? "done" : "other"] += 1;
    },
  };
  return all;
}

const makesRoom: ReadonlySet<string> = new Set(["cleared", "collapsed", "compacted", "window-slid"]);

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
