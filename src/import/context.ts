import { joinedRanges, type Range } from "./range.ts";
import type { ItemBody } from "./transcript.ts";

/** Which items stand in the context, for formats whose lines follow each other and are taken back from the end. */
export type Context = {
  readonly add: (bodies: readonly ItemBody[]) => void;
  /** Number of the next item. */
  readonly next: () => number;
  /** What stands in it before the item of this number. */
  readonly before: (item: number) => readonly Range[];
  /** What stands in it from the item of this number on. */
  readonly from: (item: number) => readonly Range[];
  /** Number of the item that began the newest `count` turns. */
  readonly turnStart: (count: number) => number;
  /** What the person typed. */
  readonly typed: () => readonly Range[];
};

export function openContext(): Context {
  let emitted = 0;
  /** In the context are these and all items from `start` on. */
  let kept: readonly Range[] = [];
  let start = 0;
  let typed: number[] = [];
  const between = (from: number, to: number): readonly Range[] =>
    joinedRanges(
      [...kept, [start, emitted - 1] as const].map(([first, last]) => [Math.max(first, from), Math.min(last, to)]),
    );
  return {
    add: (bodies) => {
      for (const body of bodies) {
        if (body.type === "message" && body.from === "typed") typed.push(emitted);
        if (body.type === "restarted") {
          const { keeps } = body;
          kept = keeps;
          start = emitted + 1;
          typed = within(typed, keeps);
        }
        emitted += 1;
      }
    },
    next: () => emitted,
    before: (item) => between(0, item - 1),
    from: (item) => between(item, emitted - 1),
    turnStart: (count) => (count < 1 ? emitted : (typed.at(-count) ?? 0)),
    typed: () => joinedRanges(typed.map((item) => [item, item])),
  };
}

/** Of numbers in order, those in the ranges, which are in order too. */
function within(numbers: readonly number[], ranges: readonly Range[]): number[] {
  let at = 0;
  return numbers.filter((number) => {
    while ((ranges[at]?.[1] ?? number) < number) at += 1;
    const range = ranges[at];
    return range !== undefined && range[0] <= number;
  });
}
