import type { MemoryPolicy } from "../budget/window.ts";
import { bounds } from "../kernel/bounds.ts";

/** What the size of a sliding window is derived from (M-61), in tokens. */
export type WindowBudget = {
  readonly windowTokens: number;
  /** System and tools. */
  readonly fixedTokens: number;
  /** Set aside for what tools return. */
  readonly toolTokens: number;
  /** What stands in front of the rounds: user context, instructions, facts, the summary. */
  readonly sessionTokens: number;
  /** Kept free for the answer. */
  readonly reserveTokens: number;
  /** Of a round, without what its tools returned. */
  readonly roundTokens: number;
  /** The project's own limit (`context-budget.md`); left out: none. */
  readonly roundsMax?: number;
};

export type WindowSize = {
  /** More rounds than these in the prompt, and the window slides. */
  readonly rounds: number;
  /** What is left of them then. */
  readonly lowRounds: number;
  /** For the rounds, slack taken off. */
  readonly roomTokens: number;
  readonly by: "budget" | "project" | "floor" | "ceiling";
};

/** What no estimate foresees. */
const slackShare = 0.2;
const lowShare = 0.5;

/** How many rounds a window holds: what is left of it for them, divided by what one takes. */
export function windowSize(budget: WindowBudget): WindowSize {
  const { windowTokens, fixedTokens, toolTokens, sessionTokens, reserveTokens, roundTokens } = budget;
  const left = windowTokens - fixedTokens - toolTokens - sessionTokens - reserveTokens;
  const roomTokens = Math.max(0, Math.floor(left * (1 - slackShare)));
  const fitting = Math.floor(roomTokens / Math.max(1, roundTokens));
  const { rounds, by } = limited(fitting, budget.roundsMax ?? bounds.windowRoundsMax);
  return { rounds, lowRounds: Math.max(1, Math.floor(rounds * lowShare)), roomTokens, by };
}

function limited(fitting: number, project: number): Pick<WindowSize, "rounds" | "by"> {
  const { windowRoundsMin, windowRoundsMax } = bounds;
  const most = Math.min(project, windowRoundsMax);
  if (fitting < windowRoundsMin && windowRoundsMin <= most) return { rounds: windowRoundsMin, by: "floor" };
  if (fitting <= most) return { rounds: fitting, by: "budget" };
  return { rounds: most, by: project < windowRoundsMax ? "project" : "ceiling" };
}

/** For people: a window that forgets too soon for work on many files; null: it is large enough. */
export function windowWarning({ rounds, by }: WindowSize): string | null {
  const { windowRoundsWarned } = bounds;
  if (rounds >= windowRoundsWarned) return null;
  const way =
    by === "project" ? "context-budget.md allows no more" : "a larger window, fewer tools or shorter results give more";
  return `the sliding window holds ${rounds} rounds, and work on several files wants ${windowRoundsWarned}: ${way}`;
}

/**
 * The user's word for the model, else epochs, but where they bring nothing: nothing that was sent before is read again for
 * less, or between a compaction's low-water mark and the next one there is no room for work.
 */
export function memoryPolicy(grounds: {
  readonly setting: MemoryPolicy | null;
  readonly prefixReuse: "yes" | "no";
  /** From the low-water mark to the line at which something has to go. */
  readonly epochTokens: number;
}): MemoryPolicy {
  const { setting, prefixReuse, epochTokens } = grounds;
  if (setting !== null) return setting;
  return prefixReuse === "no" || epochTokens < bounds.epochTokensMin ? "window" : "epochs";
}

/**
 * Rounds between two rolling summaries. What leaves the window before the next one is a line each in its block, and the next one
 * is made of these and of what is shown: in a small window it is due sooner, so that a few lines hold all there is between.
 */
export function roundsPerSummary({ lowRounds }: WindowSize): number {
  return Math.min(bounds.rollingRounds, lowRounds + bounds.rollingLines);
}
