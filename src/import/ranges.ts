import { joinedRanges, type Range } from "./range.ts";

export type Ranges = ReturnType<typeof rangesOf>;

/** Which item numbers each record of a file became, for restarts that keep some of them. */
export function rangesOf() {
  const list: { readonly id: string; readonly range: Range }[] = [];
  return {
    /** A record that became nothing has no range. */
    add: (id: string, from: number, to: number): void => {
      if (to >= from) list.push({ id, range: [from, to] });
    },
    without: (isGone: (id: string) => boolean): readonly Range[] =>
      joinedRanges(list.filter((one) => !isGone(one.id)).map((one) => one.range)),
    of: (ids: readonly string[]): readonly Range[] => {
      const wanted = new Set(ids);
      return joinedRanges(list.filter((one) => wanted.has(one.id)).map((one) => one.range));
    },
  };
}
