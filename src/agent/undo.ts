import type { Piece } from "../log/block.ts";
import type { PieceEdit } from "../log/entry.ts";
import type { State, Undoable } from "../log/state.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";
import type { Driver } from "./driver.ts";
import { foreseen } from "./foreseen.ts";
import { pieceSegments } from "./piece-segments.ts";
import { settled } from "./pointers.ts";
import { bindsReasoning, type EpochBody } from "./reasoning.ts";
import { type Refused, refused } from "./refused.ts";

export type Undone = { readonly type: "undone"; readonly tokens: number };

/** All as it was before the break, then what came after it (DESIGN 6); refused, with the size, where that does not fit. */
export async function undo(driver: Driver): Promise<Undone | Refused> {
  const { lane } = driver;
  const state = lane.state();
  if (driver.active() || state.turn !== null) return refused("a turn is open: wait for its end, or end it first");
  if (state.undoable === null) return refused(nothingToUndo(state));
  const plain = undoEntry(state, state.undoable);
  if (plain === null) return refused("there is no compaction that can be undone");
  const entries = await settled([plain], lane);
  const forecast = await foreseen(entries, lane);
  if (forecast === null) return refused("what stood in front of it is lost: the stored head cannot be read");
  const { promptTokens, marginTokens, usableTokens } = forecast;
  const tokens = promptTokens + marginTokens;
  if (tokens > usableTokens)
    return refused(`the prompt would be ${tokens} tokens again, and ${usableTokens} are usable`);
  await driver.post(entries);
  return { type: "undone", tokens: promptTokens };
}

/** What left a sliding window would only leave it again. */
function nothingToUndo({ epoch }: State): string {
  return epoch?.reason === "window-slid"
    ? "the newest break slid the window: what left it is not brought back, but recalled by its handle or by words"
    : "there is no compaction that can be undone";
}

/** Head and front as they were sent before the break; reasoning that came after it stood behind another text. */
function undoEntry({ epoch, live }: State, { head, reason, seq, live: before }: Undoable): EpochBody | null {
  const front = before.find((piece) => piece.role === "user" && piece.kind === "context")?.block;
  if (epoch === null || front?.type !== "text") return null;
  const known = new Set(before.map(({ id }) => id));
  const lost = bindsReasoning(epoch.model) ? live.filter((piece) => !known.has(piece.id) && isReasoning(piece)) : [];
  return {
    type: "epoch-opened",
    reason: "undone",
    detail: `${reason} in entry ${seq}`,
    head,
    model: epoch.model,
    userContext: front.text,
    edits: lost.map(({ id }): PieceEdit => ({ type: "dropped", from: id, to: id })),
    cost: { tokensRewritten: sum(before), reasoningTokensLost: sum(lost), usd: null },
    ...(epoch.providerClearing === undefined ? {} : { providerClearing: epoch.providerClearing }),
  };
}

function sum(pieces: readonly Piece[]): number {
  return pieceSegments(pieces).reduce((tokens, segment) => tokens + tokensOf(segment), 0);
}

function isReasoning({ role, block }: Piece): boolean {
  return role === "assistant" && block.type === "reasoning";
}
