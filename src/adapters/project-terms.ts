import { plainText } from "../kernel/plain-text.ts";
import { relatedTo } from "../memory/retrieval-related.ts";
import { stemOf } from "../memory/retrieval-stem.ts";
import { termsOf, wordsOf } from "../memory/retrieval-terms.ts";
import { isOwnWord, tokensOf } from "../tools/recall-words.ts";

/** A longer term is a key, a hash, a picture in letters: nobody asks for it by a word. */
const termCharsMax = 64;

/** What the index keeps of a text as words: its terms, and each character that is a word by itself. */
export function termText(text: string, stem: (word: string) => string): string {
  const terms = termsOf(text.toWellFormed(), stem).filter((term) => term.length <= termCharsMax);
  return [...terms, ...new Set(tokensOf(plainText(text)).filter(isOwnWord))].join(" ");
}

/** What it keeps for parts of words: runs of letters, whose letters by three are looked for. */
export function partText(text: string): string {
  const runs = (plainText(text).match(letterRuns) ?? []).filter(({ length }) => length >= 3 && length <= termCharsMax);
  return [...new Set(runs)].join(" ");
}

const letterRuns = /[\p{L}\p{N}\p{M}]+/gu;

/** `parts`: letters by three that a piece has all of, for each word that is looked for inside other words. */
export type TermsAsked = { readonly terms: readonly string[]; readonly parts: readonly (readonly string[])[] };

/** As the index is asked: by the rarer terms, where there are some; and by the letters of words that it does not know as such. */
export function termsAsked(
  words: string,
  index: { readonly pieces: () => number; readonly piecesWith: (term: string) => number },
): TermsAsked {
  const said = termsOf(words);
  const all = [...new Set([...said, ...said.flatMap(relatedTo)])].slice(0, termsMax);
  const known = all.map((term) => ({ term, held: index.piecesWith(term) })).filter(({ held }) => held > 0);
  const common = Math.max(commonMin, index.pieces() / 3);
  const rare = known.filter(({ held }) => held <= common);
  const unknown = wordsOf(words).filter(({ parts }) =>
    parts.some((part) => !known.some(({ term }) => term === stemOf(part))),
  );
  const single = unknown.flatMap(({ written }) => tokensOf(plainText(written)).filter(isOwnWord));
  const terms = [...(rare.length > 0 ? rare : known).map(({ term }) => term), ...single];
  const parts = unknown.map(({ written }) => trigramsOf(plainText(written))).filter(({ length }) => length > 0);
  return { terms: [...new Set(terms)], parts: parts.slice(0, partsMax) };
}

const termsMax = 40;
const partsMax = 6;
/** So many pieces are compared in no time, however little a term says. */
const commonMin = 300;

function trigramsOf(plain: string): readonly string[] {
  return (plain.match(letterRuns) ?? []).flatMap((run) => {
    const chars = [...run].slice(0, termCharsMax);
    return chars.slice(2).map((_, at) => chars.slice(at, at + 3).join(""));
  });
}
