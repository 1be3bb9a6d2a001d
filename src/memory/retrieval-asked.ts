import { weightOf } from "./memory-words.ts";
import { nameOf, namesAsked } from "./retrieval-names.ts";
import type { Corpus, Prepared } from "./retrieval-prepared.ts";
import { relatedTo } from "./retrieval-related.ts";
import { stemOf } from "./retrieval-stem.ts";
import { wordsOf } from "./retrieval-terms.ts";
import type { RankWeights } from "./retrieval-weights.ts";

/** `weight`: what it says of the question, the rare more. */
type AskedTerm = { readonly term: string; readonly weight: number };

export type Asked = {
  readonly terms: readonly AskedTerm[];
  /** Two terms that stand side by side. */
  readonly phrases: readonly (readonly [string, string])[];
  /** What all that was asked weighs, without what is only related to it. */
  readonly most: number;
};

/** A query as the chunks are compared with it. */
export function askedOf(query: string, { corpus }: Prepared, weights: RankWeights): Asked {
  const said = saidOf(query);
  const related = [...said].flatMap(([term, weight]) =>
    relatedTo(term).map((one) => ({ term: one, weight: weight * weights.related })),
  );
  const own = [...said].map(([term, weight]) => ({ term, weight: weight * rarityOf(term, corpus) }));
  const others = new Map(
    related.filter(({ term, weight }) => weight > 0 && !said.has(term)).map((one) => [one.term, one.weight]),
  );
  const added = [...others].map(([term, weight]) => ({ term, weight: weight * rarityOf(term, corpus) }));
  return {
    terms: [...own, ...added],
    phrases: phrasesOf(query),
    most: own.reduce((sum, { weight }) => sum + weight, 0),
  };
}

/** The terms of a query, and what each says: a name all, a word of any question next to nothing. */
function saidOf(query: string): ReadonlyMap<string, number> {
  const names = new Set(namesAsked(query));
  const said = new Map<string, number>();
  for (const { written, parts, whole } of wordsOf(query)) {
    const isName = names.has(nameOf(written));
    const weighed = parts.map((part) => ({
      term: stemOf(part),
      weight: (isName ? 1 : Math.max(emptyWeight, weightOf(part))) * (whole === null ? 1 : partWeight),
    }));
    for (const { term, weight } of whole === null ? weighed : [...weighed, { term: whole, weight: 1 }])
      said.set(term, Math.max(weight, said.get(term) ?? 0));
  }
  return said;
}

/** A query may consist of nothing else. */
const emptyWeight = 0.05;
/** A part of an identifier, beside the identifier itself. */
const partWeight = 0.8;

function phrasesOf(query: string): readonly (readonly [string, string])[] {
  const saying = wordsOf(query).flatMap(({ parts }) => parts.filter((part) => weightOf(part) > 0).map(stemOf));
  return saying.slice(1).map((second, at) => [saying[at] ?? "", second]);
}

function rarityOf(term: string, corpus: Corpus): number {
  const held = Math.min(corpus.chunksWith(term), corpus.chunks);
  return Math.log(1 + (corpus.chunks - held + 0.5) / (held + 0.5));
}
