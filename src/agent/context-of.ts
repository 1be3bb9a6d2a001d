import { type PriceOptions, priceOf } from "../budget/prices.ts";
import { limitsOf, type WindowSettings } from "../budget/window.ts";
import { own } from "../kernel/own.ts";
import { itemsOf } from "../kernel/vector.ts";
import { type ContextView, contextView } from "../ledger/context.ts";
import { emptyLedger, readEntry } from "../ledger/ledger.ts";
import type { LedgerRow } from "../ledger/row.ts";
import type { Attached } from "../log/attached.ts";
import type { Entry, EntryOf } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";
import { asSent } from "./as-sent.ts";
import { leftBy, weighedLeft } from "./left-behind.ts";
import { attachedIn, isContext, passedOn } from "./named-pieces.ts";
import { type Replayed, type ReplayTools, replay } from "./replay.ts";

/** What fills a lane's window now, and what each of its requests was, from the log alone. */
export type LaneReport = {
  readonly view: ContextView | null;
  readonly rows: readonly LedgerRow[];
  readonly state: State;
};

export async function laneReport(
  entries: AsyncIterable<Entry>,
  tools: ReplayTools,
  options: {
    readonly prices: PriceOptions;
    readonly windowFor: (model: string) => WindowSettings | null;
    readonly now: number;
  },
): Promise<LaneReport> {
  const rows: LedgerRow[] = [];
  const left: Attached[] = [];
  let ledger = emptyLedger;
  const { state, now } = await replay(entries, tools, (entry, request, before) => {
    if (entry.type === "epoch-opened") left.push(...leftBy(before, entry));
    const segmentsOf = (sent: EntryOf<"request-sent">) => asSent(request?.segments ?? [], sent);
    const step = readEntry(ledger, entry, { segmentsOf, lifetime: "5m", prices: options.prices });
    ledger = step.memo;
    if (step.row !== null) rows.push(step.row);
  });
  if (now === null) return { rows, state, view: null };
  const leftBehind = await weighedLeft(left, tools.getBlob);
  return { rows, state, view: { ...viewOf(state, now, ledger.lane, options), leftBehind } };
}

function viewOf(
  state: State,
  { doc, segments }: Replayed,
  lane: Parameters<typeof contextView>[0]["lane"],
  options: Parameters<typeof laneReport>[2],
): ContextView {
  const { model, outputTokensMax } = doc.model;
  const learned = own(state.limits, model) ?? null;
  const listed = own(state.described, model) ?? null;
  const limits = limitsOf({ model, learned, listed, settings: options.windowFor(model), outputTokensMax });
  const tokens = segments.reduce((sum, segment) => sum + tokensOf(segment), 0);
  const price = priceOf(model, options.now, tokens, options.prices);
  // The user context is the first piece of every epoch, and a text: the first segment on the user's side.
  const context = isContext(doc.pieces[0]) ? segments.find(({ role }) => role === "user") : undefined;
  const handles = new Map<string | null, string>(
    [...itemsOf(state.originals)].map(({ callId, handle }) => [callId, handle]),
  );
  const attached = attachedIn(doc.pieces, state);
  const passed = passedOn(doc.pieces);
  const named = segments.map((segment) => {
    const put = segment.role === "user" && segment.kind === "text" ? attached.get(segment.text ?? "") : undefined;
    const isResult = segment.kind === "tool-result";
    const handle = isResult ? handles.get(segment.callId ?? null) : undefined;
    const tool = isResult ? passed.get(segment.callId ?? "") : undefined;
    return {
      ...segment,
      tokens: tokensOf(segment),
      ...(handle === undefined ? {} : { handle }),
      ...(tool === undefined ? {} : { tool }),
      ...(put === undefined ? {} : { attached: put }),
      isUserContext: segment === context,
    };
  });
  return contextView({ segments: named, lane, limits, price });
}
