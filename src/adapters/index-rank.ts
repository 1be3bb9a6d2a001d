import { plainText } from "../kernel/plain-text.ts";
import { isShort, placeOf } from "../tools/recall-words.ts";
import type { Archived } from "./index-archive.ts";

/** How often an original holds each word, in its text and in its title. */
export type Tally = {
  readonly one: Archived;
  readonly order: number;
  readonly counts: readonly number[];
  readonly chars: number;
};

export type Ranked = { readonly one: Archived; readonly holdsAll: boolean };

/** null: it holds none of the words. */
export function tallyOf(one: Archived, order: number, text: string, words: readonly string[]): Tally | null {
  const [plain, title] = [plainText(text), plainText(`${one.tool} ${one.title}`)];
  const counts = words.map((word) => countIn(plain, word, countMax) + titleWeight * countIn(title, word, 1));
  return counts.some((count) => count > 0) ? { one, order, counts, chars: plain.length } : null;
}

const countMax = 20;
const titleWeight = 3;

function countIn(plain: string, word: string, max: number): number {
  let count = 0;
  for (let at = placeOf(plain, word); at >= 0 && count < max; at = placeOf(plain, word, at + word.length)) {
    // Inside another word it says less.
    count += isWhole(plain, at, word) ? 1 : partWeight;
  }
  return count;
}

const partWeight = 0.5;

function isWhole(plain: string, at: number, word: string): boolean {
  if (isShort(word)) return true;
  const beside = (plain[at - 1] ?? " ") + (plain[at + word.length] ?? " ");
  return !/[\p{L}\p{N}]/u.test(beside);
}

/**
 * Those that hold all the words first; then by what a rare word weighs against a common one and by how much of the text it
 * is (BM25), the newest of equals first. `held[i]`: how many originals in all hold word i.
 */
export function ranked(tallies: readonly Tally[], held: readonly number[], total: number): readonly Ranked[] {
  const rarity = held.map((count) => Math.log(1 + (total - count + 0.5) / (Math.min(count, total) + 0.5)));
  const mean = tallies.reduce((sum, { chars }) => sum + chars, 0) / Math.max(1, tallies.length);
  const scored = tallies.map((tally) => {
    const longer = saturation * (1 - lengthShare + (lengthShare * tally.chars) / Math.max(1, mean));
    const score = tally.counts.reduce(
      (sum, count, at) => sum + (rarity[at] ?? 0) * (((saturation + 1) * count) / (count + longer)),
      0,
    );
    const holdsAll = tally.counts.every((count) => count > 0);
    return { tally, holdsAll, score: tally.one.kind === "said" ? score * saidWeight : score };
  });
  scored.sort((a, b) => Number(b.holdsAll) - Number(a.holdsAll) || b.score - a.score || b.tally.order - a.tally.order);
  return scored.map(({ tally, holdsAll }) => ({ one: tally.one, holdsAll }));
}

const saturation = 1.2;
const lengthShare = 0.6;
/** What the assistant said of a thing is mostly not what is looked for, but the thing. */
const saidWeight = 0.5;
