import { addCounts, type Counts, noCounts } from "../budget/count.ts";
import { isPlausible } from "../budget/learn.ts";
import { promptTokensOf } from "../kernel/usage.ts";
import { type Basis, basisOf } from "../ledger/forecast.ts";
import type { LedgerMemo } from "../ledger/ledger.ts";
import { headTokensOf, type State } from "../log/state.ts";
import type { Segment } from "../prompt/segment.ts";
import { countsOf, notedOf } from "../reduction/segment-tokens.ts";

type Measuring = { state(): State; ledger(): LedgerMemo };

/** What of a prompt is known from reports, and the counts of what is not (ledger/forecast.ts). */
export type Increment = { readonly carried: number | null; readonly counts: Counts };

export function incrementOf(lane: Measuring, model: string, segments: readonly Segment[]): Increment {
  const { carried, marks, measured, added } = plausible(basisIn(lane, model, segments), segments);
  const counts = added.flatMap((at) => segments[at] ?? []).map(countsOf);
  return { carried, counts: counts.reduce(addCounts, { ...noCounts, marks, fixed: measured }) };
}

/**
 * A server that adds up all its requests, or counts in other units, reports more than a prompt of this size can have.
 * Taken at its word, it would end a session that has all its window left.
 */
function plausible(basis: Basis, segments: readonly Segment[]): Basis {
  const counted = notedOf(segments).reduce((sum, { tokens }) => sum + tokens, 0);
  if (isPlausible((basis.carried ?? 0) + basis.measured, counted)) return basis;
  return { carried: null, marks: 0, measured: 0, added: segments.map((_, at) => at) };
}

/** Right after a session was opened the ledger knows nothing yet; what the log says of the newest report stands in for it. */
function basisIn(lane: Measuring, model: string, segments: readonly Segment[]): Basis {
  const { newest } = lane.state();
  if (lane.ledger().lane.previous === null && newest?.usage != null && newest.segments > 0) {
    const added = segments.slice(newest.segments).map((_, at) => newest.segments + at);
    return { carried: promptTokensOf(newest.usage), marks: 0, measured: 0, added };
  }
  return basisOf(lane.ledger().lane, model, notedOf(segments), headTokensOf(lane.state()));
}
