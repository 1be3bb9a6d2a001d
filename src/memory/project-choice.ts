import { plainText } from "../kernel/plain-text.ts";
import { weightOf } from "./memory-words.ts";
import { type Chunk, type Corpus, prepared, rank } from "./retrieval.ts";
import { stemOf } from "./retrieval-stem.ts";
import { termsOf, wordsOf } from "./retrieval-terms.ts";

/** A piece that was compared with the query: the share of it that it holds, and the words it lacks, as they were asked. */
export type Chosen = { readonly id: string; readonly held: number; readonly lacks: readonly string[] };

/** `weight`: what a piece of such a document is worth beside others that hold as much. */
export type Candidate = Chunk & { readonly weight: number };

/**
 * The best pieces for a query, best first, and no more than a few of one document; only such as hold enough of it: that nothing
 * does is a good answer, and then the nearest are named.
 */
export function chosenOf(
  query: string,
  candidates: readonly Candidate[],
  corpus: Corpus,
  limit: number,
): { readonly chosen: readonly Chosen[]; readonly near: readonly Chosen[] } {
  const asked = weighed(query, corpus);
  const all = prepared(candidates, corpus);
  const scores = new Map(rank(query, all).map(({ id, score }) => [id, score]));
  const scored = candidates.map((candidate) => {
    const compared = compare(candidate, asked);
    return {
      ...compared,
      doc: candidate.doc,
      score: ((scores.get(candidate.id) ?? 0) + compared.inside) * candidate.weight,
    };
  });
  scored.sort((a, b) => b.score - a.score);
  const enough = scored.filter(({ held }) => held >= heldMin);
  const few = fewOfEach(enough).slice(0, limit);
  const near = few.length > 0 ? [] : scored.filter(({ held }) => held > 0).toSorted((a, b) => b.held - a.held);
  return { chosen: few.map(outcome), near: fewOfEach(near).slice(0, nearMax).map(outcome) };
}

/** Less than this share of a query is chance: a word or two that stand everywhere. */
const heldMin = 0.35;
const nearMax = 3;
const ofOneDocumentMax = 3;

/** A word of the query, and how much it says: the rarer it is in the corpus, the more. */
type Asked = {
  readonly written: string;
  readonly terms: readonly string[];
  readonly weight: number;
  /** It is no word of the corpus: then it is looked for inside others. */
  readonly isInside: boolean;
};

function weighed(query: string, corpus: Corpus): readonly Asked[] {
  const words = wordsOf(query).map(({ written, parts, whole }) => {
    const terms = [...new Set([...(whole === null ? [] : [whole]), ...parts.map(stemOf)])];
    const held = Math.max(...terms.map(corpus.chunksWith), 0);
    const rarity = Math.log(1 + (corpus.chunks - Math.min(held, corpus.chunks) + 0.5) / (held + 0.5));
    const saying = Math.max(...terms.map(weightOf));
    return { written, terms, rarity, weight: rarity * saying, isInside: held === 0 || [...written].length === 1 };
  });
  // A query of nothing but small words means them.
  const isSaying = words.some(({ weight }) => weight > 0);
  const weighed = isSaying
    ? words.filter(({ weight }) => weight > 0)
    : words.map((one) => ({ ...one, weight: one.rarity }));
  const unique = new Map(weighed.map((word) => [word.terms.join(" "), word]));
  return [...unique.values()];
}

function compare({ id, title, text }: Candidate, asked: readonly Asked[]): Chosen & { readonly inside: number } {
  const whole = `${title}\n${text}`;
  const terms = new Set(termsOf(whole));
  const plain = asked.some(({ isInside }) => isInside) ? plainText(whole) : "";
  let [held, inside, all] = [0, 0, 0];
  const lacks: string[] = [];
  for (const { written, terms: wanted, weight, isInside } of asked) {
    const isWithin = isInside && plain.includes(plainText(written));
    // The word as a whole, or those of its parts that stand there. Inside another word it may be chance: bread in blobReader.
    const isThere = terms.has(wanted[0] ?? "") || (isWithin && [...written].length === 1);
    const share = isThere ? 1 : Math.max(isWithin ? withinShare : 0, partly * shareOf(wanted.slice(1), terms));
    all += weight;
    held += weight * share;
    if (isWithin) inside += weight / 2;
    if (share < 0.5) lacks.push(written);
  }
  return { id, held: all === 0 ? 0 : held / all, lacks, inside: all === 0 ? 0 : inside / all };
}

/** All parts of an identifier, not written together. */
const partly = 0.8;
const withinShare = 0.5;

function shareOf(wanted: readonly string[], terms: ReadonlySet<string>): number {
  return wanted.length === 0 ? 0 : wanted.filter((term) => terms.has(term)).length / wanted.length;
}

function fewOfEach<T extends { readonly doc: string }>(list: readonly T[]): readonly T[] {
  const counts = new Map<string, number>();
  return list.filter(({ doc }) => {
    const count = (counts.get(doc) ?? 0) + 1;
    counts.set(doc, count);
    return count <= ofOneDocumentMax;
  });
}

function outcome({ id, held, lacks }: Chosen): Chosen {
  return { id, held, lacks };
}
