import type { ItemBody } from "./transcript.ts";

type Range = readonly [from: number, to: number];

/** Where the person's turns begin among the items, so that some can be taken back. */
export type CodexTurns = {
  readonly add: (bodies: readonly ItemBody[]) => void;
  /** What stands in the context before the newest `count` turns. */
  readonly before: (count: number) => readonly Range[];
  /** What the person typed. */
  readonly typed: () => readonly Range[];
};

export function codexTurns(): CodexTurns {
  let emitted = 0;
  /** What is in the context: this, and all items from `from` on. */
  let kept: readonly Range[] = [];
  let from = 0;
  let starts: readonly number[] = [];
  return {
    add: (bodies) => {
      for (const body of bodies) {
        if (body.type === "restarted") {
          const { keeps } = body;
          kept = keeps;
          from = emitted + 1;
          starts = starts.filter((start) => keeps.some(([first, last]) => first <= start && start <= last));
        }
        if (body.type === "message" && body.from === "typed") starts = [...starts, emitted];
        emitted += 1;
      }
    },
    before: (count) => {
      const cut = count < 1 ? emitted : (starts.at(-count) ?? 0);
      const live: readonly Range[] = [...kept, [from, emitted - 1]];
      return live.flatMap(([first, last]): readonly Range[] => (first < cut ? [[first, Math.min(last, cut - 1)]] : []));
    },
    typed: () => starts.map((start) => [start, start] as const),
  };
}
