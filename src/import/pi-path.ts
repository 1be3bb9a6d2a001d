import { countAt, stringAt } from "../provider/lenient.ts";
import { joinedRanges, type Range } from "./range.ts";
import { type Raw, wordOf } from "./record.ts";
import type { ItemBody } from "./transcript.ts";

type Node = {
  readonly parent: number;
  readonly items: Range;
  /** Of a compaction: the node from which on the line before it stays. */
  readonly keptFrom: number | null;
  /** It says something to the model. */
  readonly isPart: boolean;
};

/** Entries as the tree they are: each names the one it follows. Older files name none, and follow line by line. */
export function openPath() {
  const nodes: Node[] = [];
  const index = new Map<string, number>();
  let tip = -1;

  const follows = (parent: unknown): number => {
    if (parent === null) return nodes.length === 0 ? tip : -1;
    return index.get(wordOf(parent)) ?? tip;
  };
  /** Nodes whose items the model sees at this one, oldest first. */
  const seenAt = (end: number): readonly number[] => {
    const path: number[] = [];
    let from: number | null = null;
    for (let at = end; at >= 0; at = nodes[at]?.parent ?? -1) {
      if (from !== null && at < from) break;
      path.push(at);
      // Behind a compaction, back to what it kept; one that kept nothing we know ends the path.
      from ??= nodes[at]?.keptFrom ?? null;
    }
    return path.reverse();
  };
  const rangesOf = (numbers: readonly number[]): readonly Range[] =>
    joinedRanges(numbers.flatMap((number) => (nodes[number] === undefined ? [] : [nodes[number].items])));

  return {
    /** What an entry that follows this one makes of the context; nothing where it follows the newest. */
    branch: (parent: unknown): readonly ItemBody[] => {
      const at = parent === undefined ? tip : follows(parent);
      if (at === tip) return [];
      const way = new Set(seenAt(at));
      const isLeft = seenAt(tip).some((number) => !way.has(number) && nodes[number]?.isPart === true);
      tip = at;
      return isLeft ? [{ type: "restarted", why: "rewound", by: "manual", keeps: rangesOf([...way]) }] : [];
    },
    compacted: (record: Raw): ItemBody => {
      const from = keptFrom(record, index);
      const keeps =
        from === null
          ? []
          : rangesOf(seenAt(tip).filter((number) => number >= from && nodes[number]?.keptFrom === null));
      return { type: "restarted", why: "compacted", by: null, keeps };
    },
    add: (record: Raw, from: number, to: number, isPart: boolean): void => {
      const isCompaction = record.type === "compaction";
      const kept = isCompaction ? (keptFrom(record, index) ?? nodes.length) : null;
      nodes.push({ parent: tip, items: [from, to], keptFrom: kept, isPart });
      tip = nodes.length - 1;
      if (typeof record.id === "string") index.set(record.id, tip);
    },
  };
}

/** The oldest versions count entries, the header as the first. */
function keptFrom(record: Raw, index: ReadonlyMap<string, number>): number | null {
  const counted = countAt(record, "firstKeptEntryIndex");
  return index.get(stringAt(record, "firstKeptEntryId")) ?? (counted === null ? null : Math.max(0, counted - 1));
}
