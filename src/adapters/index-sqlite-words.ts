import { bounds } from "../kernel/bounds.ts";
import { isOwnWord, isShort, tokensOf } from "../tools/recall-words.ts";
import type { Archived } from "./index-archive.ts";
import type { IndexFile } from "./index-sqlite-file.ts";

type Candidates = {
  readonly candidates: readonly Archived[];
  readonly held: readonly number[] | null;
  readonly leftOut: number;
};

/**
 * The originals that may hold the words: those the index names, the best of them where they are many, and those it does not
 * have. Too many is fine, since each is looked at; too few is not.
 */
export function candidatesIn(file: IndexFile, all: readonly Archived[], words: readonly string[]): Candidates {
  const ids = file.handles();
  const found = words.map((word) => rowsWith(file, word));
  if (found.some((rows) => rows === null)) return { candidates: all, held: null, leftOut: 0 };
  const held = found.map((rows) => rows?.length ?? 0);
  const weights = new Map<number, number>();
  for (const [at, rows] of found.entries()) {
    const weight = Math.log(1 + ids.size / ((held[at] ?? 0) + 1));
    for (const row of rows ?? []) weights.set(row, (weights.get(row) ?? 0) + weight);
  }
  const indexed = all.flatMap((one, order) => {
    const weight = weights.get(ids.get(one.handle) ?? -1);
    return weight === undefined ? [] : [{ order, weight }];
  });
  indexed.sort((a, b) => b.weight - a.weight || b.order - a.order);
  const chosen = new Set(indexed.slice(0, bounds.indexCandidatesMax).map(({ order }) => order));
  const candidates = all.filter(({ handle }, order) => chosen.has(order) || !ids.has(handle));
  return { candidates, held, leftOut: indexed.length - chosen.size };
}

/** null: the index cannot be asked for such a word (signs without letters), so everything is read. */
function rowsWith(file: IndexFile, word: string): readonly number[] | null {
  const { words, parts } = termsOf(word);
  const lists = [
    ...(words.length === 0 ? [] : [file.rows("words", words)]),
    ...(parts.length === 0 ? [] : [file.rows("parts", parts)]),
  ];
  const [first, second] = lists;
  if (first === undefined) return null;
  if (second === undefined) return first;
  const both = new Set(second);
  return first.filter((row) => both.has(row));
}

/**
 * What every text that holds the word has: the tokens in its middle are whole ones there too; those at its ends may be parts
 * of longer ones, so that only their letters by three are sure.
 */
export function termsOf(word: string): { readonly words: readonly string[]; readonly parts: readonly string[] } {
  if (isShort(word)) return { words: [word], parts: [] };
  const tokens = tokensOf(word);
  const words: string[] = [];
  const parts: string[] = [];
  for (const [at, token] of tokens.entries()) {
    const isStart = at === 0 && word.startsWith(token);
    const isEnd = at === tokens.length - 1 && word.endsWith(token);
    if (isOwnWord(token) || (!isStart && !isEnd)) words.push(token);
    else parts.push(...trigrams(token));
  }
  return { words: [...new Set(words)].slice(0, termsMax), parts: [...new Set(parts)].slice(0, termsMax) };
}

const termsMax = 40;

function trigrams(token: string): readonly string[] {
  const chars = [...token];
  return chars.slice(2).map((_, at) => chars.slice(at, at + 3).join(""));
}
