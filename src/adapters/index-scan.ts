import { bounds } from "../kernel/bounds.ts";
import { charsOfText } from "../log/block.ts";
import type { Index, Searched } from "../ports/index-port.ts";
import type { Archive, Archived } from "./index-archive.ts";
import { findIn, named } from "./index-find.ts";
import { ranked, type Tally, tallyOf } from "./index-rank.ts";

/** Reads every original at each search: needs nothing, and is the measure of what an index must find. */
export function scanIndex(archive: Archive): Index {
  return {
    find: (handle) => findIn(archive, handle),
    search: async (words, range, signal) => {
      const all = await searchable(archive);
      return await searchedAmong({ archive, words, range, signal, candidates: all, total: all.length, held: null });
    },
  };
}

/** Of a session that nothing was kept of. */
export const emptyIndex: Index = scanIndex({ all: async () => [], read: async () => null });

export async function searchable(archive: Archive): Promise<readonly Archived[]> {
  return (await archive.all()).filter(({ kind }) => kind !== "copy");
}

export type Search = {
  readonly archive: Archive;
  readonly words: readonly string[];
  readonly range: Parameters<Index["search"]>[1];
  readonly signal: AbortSignal;
  /** Those that may hold the words. */
  readonly candidates: readonly Archived[];
  readonly total: number;
  /** How many hold each word, where that is known of more than the candidates. */
  readonly held: readonly number[] | null;
  /** How many more may hold them, and are not among the candidates because those are likelier. */
  readonly leftOut?: number;
};

/** Compares the candidates themselves with the words, newest first, until it is too much. */
export async function searchedAmong(search: Search): Promise<Searched> {
  const { archive, words, range, signal, candidates, total } = search;
  const tallies: Tally[] = [];
  let chars = 0;
  let left = candidates.length;
  let lost = 0;
  for (const one of candidates.toReversed()) {
    chars += charsOfText(one.text);
    if (signal.aborted || (chars > bounds.indexScanCharsMax && left < candidates.length)) break;
    const text = await archive.read(one);
    if (text === null) lost += 1;
    const tally = tallyOf(one, left, text ?? "", words);
    if (tally !== null) tallies.push(tally);
    left -= 1;
  }
  const held = words.map((_, at) => tallies.filter(({ counts }) => (counts[at] ?? 0) > 0).length);
  const list = ranked(tallies, search.held?.map((count, at) => Math.max(count, held[at] ?? 0)) ?? held, total);
  return {
    hits: list.slice(range.from, range.from + range.limit).map(({ one }) => named(one)),
    found: list.length,
    foundAll: list.filter(({ holdsAll }) => holdsAll).length,
    searched: total - left,
    partial: whyPartial(left, lost, search.leftOut ?? 0, signal),
  };
}

function whyPartial(left: number, lost: number, leftOut: number, signal: AbortSignal): string | null {
  if (signal.aborted) return "interrupted";
  if (left > 0) return `the ${left} oldest originals were not read: they are more than one search may read`;
  if (leftOut > 0)
    return `${leftOut} more may hold some of the words; the likeliest were compared, so name rarer words`;
  return lost > 0 ? `${lost} originals are missing or damaged on the disk` : null;
}
