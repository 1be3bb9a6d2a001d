import { isMadeAnew, type Piece, type PieceKind } from "../log/block.ts";
import type { EntryBody, ModelChoice } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import { capabilitiesOf } from "../provider/anthropic/capabilities.ts";
import { capabilitiesOf as responsesCapabilitiesOf } from "../provider/responses/capabilities.ts";

export type EpochBody = Extract<EntryBody, { readonly type: "epoch-opened" }>;

/**
 * Behind a changed segment no reasoning is valid where the model binds it, and none of another model's ever is: it is left
 * out whole (DESIGN 4). Elsewhere that of the open tool loop stays, for the provider may need it. Where nothing changed
 * in front of it (only the effort did), all of it stays.
 */
export function withoutReasoning(
  state: State,
  next: EpochBody,
  sent: "stands" | "changed" = "stands",
): readonly Piece[] {
  const { epoch, live, failure } = state;
  // The provider has just said that it does not take it: what looks unchanged to us is not so to it.
  if (failure?.failure.class === "binding") return live.filter(isReasoning);
  const same = epoch?.model.model === next.model.model && epoch.model.wire === next.model.wire;
  const unchanged = same && sent === "stands" ? unchangedIn(state, next) : 0;
  const loop = same && !bindsReasoning(next.model) ? loopStart(live) : live.length;
  return live.slice(unchanged, Math.max(loop, unchanged)).filter(isReasoning);
}

/** What was said while a tool ran stands behind its result: the loop began with what stood before the newest answer. */
function loopStart(live: readonly Piece[]): number {
  const answer = live.findLastIndex(({ role }) => role === "assistant");
  return live.findLastIndex((piece, at) => at < answer && piece.role === "user" && startsLoop.has(piece.kind));
}

/** Whether the provider ties reasoning to what stood before it (PROTOCOLS A.3, B.3). */
export function bindsReasoning({ wire, model }: ModelChoice): boolean {
  if (wire === "responses") return responsesCapabilitiesOf(model).bindsReasoning;
  return wire === "anthropic" && capabilitiesOf(model).bindsReasoning;
}

/** Whether an open tool loop is refused without its reasoning: budgeted thinking, and Gemini's turn (DESIGN 4). */
export function needsLoopReasoning({ wire, thinking }: ModelChoice): boolean {
  return wire === "gemini" || typeof thinking === "object";
}

/**
 * How many pieces stand as they were sent: none unless tools, system and all of the front do, byte for byte, and of what is
 * behind them all up to what the break takes away to say it anew.
 */
function unchangedIn({ epoch, live }: State, next: EpochBody): number {
  if (epoch === null) return 0;
  // A summary of the provider's stays where it is, in front of what is said anew.
  const start = live[0]?.block.type === "compaction" ? 1 : 0;
  const end = from(live, start, (piece) => !isMadeAnew(piece));
  const front = live.slice(start, end).flatMap(({ block }) => (block.type === "text" ? [block.text] : []));
  const said = [...(next.facts === undefined ? [] : [next.facts]), ...(next.attached ?? []).map(({ text }) => text)];
  const before = [epoch.head.tools, epoch.head.system, ...front];
  const isSame =
    JSON.stringify(before) === JSON.stringify([next.head.tools, next.head.system, next.userContext, ...said]);
  return isSame ? from(live, end, isMadeAnew) : 0;
}

/** The place of the first such piece from there on; the end where there is none. */
function from(live: readonly Piece[], start: number, is: (piece: Piece) => boolean): number {
  const at = live.findIndex((piece, place) => place >= start && is(piece));
  return at === -1 ? live.length : at;
}

const startsLoop: ReadonlySet<PieceKind> = new Set(["message", "fold"]);

function isReasoning(piece: Piece): boolean {
  return piece.role === "assistant" && piece.block.type === "reasoning";
}
