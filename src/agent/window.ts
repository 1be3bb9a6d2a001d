import type { State } from "../log/state.ts";
import type { SlidingWindow } from "../reduction/fold-goal.ts";
import { headTokens } from "./fixed-tokens.ts";
import type { Lane } from "./lane.ts";
import { memoryNow } from "./memory-now.ts";
import type { Prompt } from "./prompt.ts";
import { windowSizeNow } from "./window-size.ts";

/** The sliding window of the next request; null: the lane goes by epochs. */
export function windowNow(prompt: Prompt, lane: Pick<Lane, "config" | "fx" | "state" | "texts">): SlidingWindow | null {
  if (memoryNow(lane, headTokens(prompt.segments)) === "epochs") return null;
  const state = lane.state();
  const { size, toolTokens, summaryTokens } = windowSizeNow(prompt, lane);
  const { rounds, lowRounds } = size;
  const summary = summaryIn(prompt, state, lane.texts);
  const stays = openTask(prompt, state);
  return { rounds, lowRounds, toolTokens, summaryTokens, summary, stays, itemsTokens: itemsShare * summaryTokens };
}

/** Of the summary's tokens: those of which the kept items have shares. */
const itemsShare = 2;

/** The newest finished summary, and what of the prompt it knows of; null: none is finished, or its text cannot be read. */
function summaryIn({ doc }: Prompt, { rolling }: State, texts: Lane["texts"]): SlidingWindow["summary"] {
  const { made } = rolling;
  if (made === null) return null;
  const text = typeof made.text === "string" ? made.text : texts.get(made.text.blob);
  if (text === undefined) return null;
  const knows = doc.pieces.flatMap((piece, at) => {
    const isBlock = piece.role === "user" && piece.kind === "fold";
    return Number.parseInt(piece.id, 10) <= (isBlock ? made.askedSeq : made.uptoSeq) ? [at] : [];
  });
  return { text, knows: new Set(knows) };
}

/** The message that the open turn began with: what is said in mid-turn adds to it. */
function openTask({ doc }: Prompt, { turn }: State): ReadonlySet<number> {
  if (turn === null) return new Set();
  const first = doc.pieces.findIndex(
    (piece) => piece.role === "user" && piece.kind === "message" && Number.parseInt(piece.id, 10) >= turn.fromSeq,
  );
  return new Set(first === -1 ? [] : [first]);
}
