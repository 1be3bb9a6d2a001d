import { type Rooms, roomsFor, type StoredItems } from "./summary-items.ts";

export type KeptReasoning = "bound" | "bound-loop" | "free";

export type FoldGoal = {
  /** Size to come down to, of all the segments that were given. */
  readonly targetTokens: number;
  readonly textTokensMax: number;
  /**
   * The provider needs the reasoning of an open tool loop (budgeted thinking): no step is kept as it is, the loop is closed
   * by the fold's own user text (DESIGN 4).
   */
  readonly closeLoop: boolean;
  /**
   * `bound`: the provider ties reasoning to what stood before it, so none survives a fold. `bound-loop`: the same, and it
   * refuses an open loop that lost any that is still valid. `free`: kept steps keep theirs; some services refuse an open
   * loop without it (PROTOCOLS D).
   */
  readonly reasoning: KeptReasoning;
  /** The request is too long although its work is folded: an older block, too, goes for a shorter one. */
  readonly tight?: true;
  /** What the session has stored. Left out: nothing is. */
  readonly items?: StoredItems;
  /** An accepted summary of what goes. Left out: a list stands for it. */
  readonly summary?: string;
  /** It stands in a block of the provider's own, in front of all: `summary` is what can be read of it, or empty. */
  readonly beside?: true;
  /**
   * Ids, inclusive: only what stands there may go, and of that all but what always stays. Left out: everything may, and
   * the newest steps stay while they fit.
   */
  readonly scope?: { readonly from: number; readonly upto: number };
  /** What goes leaves a sliding window. Left out: it is summed up or folded for good. */
  readonly window?: FoldWindow;
};

type FoldWindow = {
  /** The newest rolling summary, and the ids of what it knows of; null: none is finished, and a list stands for all of it. */
  readonly summary: { readonly text: string; readonly knows: ReadonlySet<number> } | null;
  /** Of which kept items have shares. */
  readonly itemsTokens: number;
  /** Ids of what stays besides the newest request: the task that is open. */
  readonly stays: ReadonlySet<number>;
};

/** A sliding window, as far as taking things away has to know of it (M-61). */
export type SlidingWindow = FoldWindow & {
  /** More than `rounds`, and it slides to `lowRounds`. */
  readonly rounds: number;
  readonly lowRounds: number;
  /** What results may have in what stays. */
  readonly toolTokens: number;
  /** What a summary, or the list in its place, may have. */
  readonly summaryTokens: number;
};

/** Room for what code keeps of the work, in a window so much that the rounds have most of it. */
export function itemRooms({ targetTokens, window }: Pick<FoldGoal, "targetTokens" | "window">): Rooms {
  return roomsFor(Math.min(targetTokens, window?.itemsTokens ?? targetTokens));
}
