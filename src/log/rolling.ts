import type { RequestId } from "../kernel/ids.ts";
import type { Text } from "./block.ts";
import type { SummaryEntry } from "./summary.ts";

/** Where the rolling summary of a sliding window stands (M-63). It is made beside the turns, and nothing waits for it. */
export type RollingState = {
  /** Messages of the user since what the newest summary knows of. */
  readonly rounds: number;
  /** How many of them there were when one was asked for in vain; 0: none was. */
  readonly triedAt: number;
  readonly asked: RollingAsked | null;
  /** The newest that is finished. Shown from the next break on. */
  readonly made: RollingSummary | null;
};

export type RollingSummary = {
  /** Of the newest entry it knows of; of what breaks put in the place of entries, it knows what was there when it was asked for. */
  readonly uptoSeq: number;
  readonly askedSeq: number;
  readonly text: Text;
};

type RollingAsked = {
  readonly request: RequestId;
  readonly seq: number;
  readonly text: Text;
  /** Rounds it is made of. */
  readonly rounds: number;
};

type EntryOf<T extends SummaryEntry["type"]> = Extract<SummaryEntry, { readonly type: T }> & { readonly seq: number };

export const noRolling: RollingState = { rounds: 0, triedAt: 0, asked: null, made: null };

export function roundBegun(state: RollingState): RollingState {
  return { ...state, rounds: state.rounds + 1 };
}

/** The newest message is being answered: it is no part of it. */
export function rollingAsked(state: RollingState, { seq, request, text }: EntryOf<"summary-asked">): RollingState {
  return { ...state, asked: { seq, request, text, rounds: Math.max(0, state.rounds - 1) } };
}

/** One whose beginning was lost, or from before a break that began anew, changes nothing. */
export function rollingMade(state: RollingState, { request, upto, text }: EntryOf<"summary-made">): RollingState {
  const { asked } = state;
  if (asked === null || asked.request !== request) return state;
  const rounds = Math.max(0, state.rounds - asked.rounds);
  return { rounds, triedAt: 0, asked: null, made: { uptoSeq: Number.parseInt(upto, 10), askedSeq: asked.seq, text } };
}

/** It came to nothing: the next one is due as many rounds later as any, but at once where it was only broken off. */
export function rollingFailed(state: RollingState, request: RequestId, isBrokenOff = false): RollingState {
  const { asked } = state;
  if (asked === null || asked.request !== request) return state;
  return { ...state, asked: null, triedAt: isBrokenOff ? state.triedAt : asked.rounds };
}
