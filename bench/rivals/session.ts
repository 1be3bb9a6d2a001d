import { isSame } from "../../src/replay/shown.ts";
import type { Decision, Moment, Shown } from "../../src/replay/strategy.ts";
import { type Turn, turnsOf } from "./turns.ts";

/** A package at work on one session: its own messages go in, and what it would send comes out. */
export type Work = {
  readonly came: (turns: readonly Turn[]) => void;
  /** Nothing that was said before counts any more. */
  readonly restarted: () => void;
  readonly sent: () => Promise<{ readonly shown: readonly Shown[]; readonly calls: Decision["calls"] }>;
};

export function rivalSession(work: Work, reason: string): (moment: Moment) => Promise<Decision> {
  let known = 0;
  let before: readonly Shown[] = [];
  return async ({ blocks, restarted }) => {
    if (restarted) work.restarted();
    work.came(turnsOf(blocks.slice(restarted ? 0 : known)));
    known = blocks.length;
    const { shown, calls } = await work.sent();
    const stands = before.every((one, at) => shown[at] !== undefined && isSame(one, shown[at]));
    before = shown;
    return { shown, break: restarted || stands ? null : reason, calls, reasoningTokensLost: 0 };
  };
}
