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
  if (same && sent === "stands" && isSameFront(state, next)) return [];
  const loop = same && !bindsReasoning(next.model) ? loopStart(live) : live.length;
  return live.slice(0, Math.max(loop, 0)).filter(isReasoning);
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

/** Tools, system, user context and facts, byte for byte, and nothing behind them that the break takes away to say it anew. */
function isSameFront({ epoch, live: all }: State, next: EpochBody): boolean {
  if (epoch === null) return false;
  // A summary of the provider's stays where it is, in front of what is said anew.
  const live = all.slice(all[0]?.block.type === "compaction" ? 1 : 0);
  const end = live.findIndex((piece) => !isMadeAnew(piece));
  const [head, rest] = end === -1 ? [live, []] : [live.slice(0, end), live.slice(end)];
  if (rest.some(isMadeAnew)) return false;
  const front = head.flatMap(({ block }) => (block.type === "text" ? [block.text] : []));
  const before = [epoch.head.tools, epoch.head.system, ...front];
  const facts = next.facts === undefined ? [] : [next.facts];
  return JSON.stringify(before) === JSON.stringify([next.head.tools, next.head.system, next.userContext, ...facts]);
}

const startsLoop: ReadonlySet<PieceKind> = new Set(["message", "fold"]);

function isReasoning(piece: Piece): boolean {
  return piece.role === "assistant" && piece.block.type === "reasoning";
}
