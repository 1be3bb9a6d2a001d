import type { SessionEvent } from "../agent/config.ts";
import type { PriceRow } from "../budget/price-row.ts";
import { costOf, type Money, priceOf } from "../budget/prices.ts";
import { promptTokensOf } from "../kernel/usage.ts";
import type { Entry } from "../log/entry.ts";
import type { OpenSession } from "../session/options.ts";
import { progressLine } from "./progress.ts";
import { quoted, say } from "./terminal.ts";

/** What a compaction did on its way. */
export type CompactionSeen = {
  /** Of the model that was asked; null: none was. */
  readonly model: string | null;
  /** Of each summary that was asked for, in order. */
  readonly outcomes: readonly string[];
  /** Of these requests together; null: there was none. */
  readonly cost: Money | null;
  /** Under which all of what went can be recalled. */
  readonly handles: readonly string[];
};

/** Shows what happens on stderr, and remembers what the result reports. */
export function watchCompaction(session: OpenSession, overrides: readonly PriceRow[]): () => CompactionSeen {
  const model = session.state().epoch?.model.model ?? "";
  let seen: CompactionSeen = { model: null, outcomes: [], cost: null, handles: [] };
  session.listen((event: SessionEvent) => {
    const line = progressLine(event);
    if (line !== null && line !== "") say(line);
    if (event.type === "entry") seen = after(seen, event.entry, model, overrides);
  });
  return () => seen;
}

function after(seen: CompactionSeen, entry: Entry, model: string, overrides: readonly PriceRow[]): CompactionSeen {
  if (entry.type === "summary-asked") {
    say(`  asking ${model} for a summary`);
    return { ...seen, model };
  }
  if (entry.type === "summary-ended") {
    const { usage, at, outcome, detail } = entry;
    if (outcome !== "accepted") say(`  no summary, ${outcome}${detail === "" ? "" : `: ${quoted(detail)}`}`);
    const cost: Money =
      usage === null
        ? { type: "unknown", why: "no usage was reported" }
        : costOf(usage, priceOf(model, at, promptTokensOf(usage), { overrides }));
    return { ...seen, outcomes: [...seen.outcomes, outcome], cost: seen.cost === null ? cost : sum(seen.cost, cost) };
  }
  if (entry.type !== "epoch-opened") return seen;
  const handles = entry.edits.flatMap((edit) =>
    edit.type === "inserted" && edit.original ? [edit.original.handle] : [],
  );
  return { ...seen, handles: [...seen.handles, ...handles] };
}

/** Unknown when either is. */
function sum(a: Money, b: Money): Money {
  if (a.type === "usd" && b.type === "usd") return { type: "usd", usd: a.usd + b.usd };
  return a.type === "unknown" ? a : b;
}
