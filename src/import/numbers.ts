import type { Item } from "./transcript.ts";

/**
 * A reader numbers the items it makes; in the file's own numbers the unreadable lines count too, of which it knows
 * nothing. This puts them together, so that `keeps` names what was really emitted.
 */
export function fileNumbers() {
  /** For each item that is not the reader's: how many of the reader's stand before it. Grows, so it is sorted. */
  const before: number[] = [];
  let read = 0;
  const shifted = (number: number): number => number + countUpTo(before, number);
  return {
    ours: (item: Item): Item => {
      before.push(read);
      return item;
    },
    readers: (items: readonly Item[]): readonly Item[] => {
      read += items.length;
      return before.length === 0 ? items : renumbered(items, shifted);
    },
  };
}

/** The items with what restarts keep named by other numbers. */
export function renumbered(items: readonly Item[], numberOf: (number: number) => number): readonly Item[] {
  return items.map((item) =>
    item.type === "restarted"
      ? { ...item, keeps: item.keeps.map(([from, to]) => [numberOf(from), numberOf(to)] as const) }
      : item,
  );
}

/** How many of the sorted numbers are not above `limit`. */
function countUpTo(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
