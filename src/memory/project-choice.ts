import { plainText } from "../kernel/plain-text.ts";
import { weightOf } from "./memory-words.ts";
import { type Chunk, type Corpus, prepared, rank } from "./retrieval.ts";
import { fused, type Vectors } from "./retrieval-fused.ts";
import { relatedTo } from "./retrieval-related.ts";
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
  { limit, vectors }: { readonly limit: number; readonly vectors: Vectors | null },
): { readonly chosen: readonly Chosen[]; readonly near: readonly Chosen[] } {
  const asked = weighed(query, corpus);
  const byWords = rank(query, prepared(candidates, corpus));
  const scores = new Map((vectors === null ? byWords : fused(byWords, vectors)).map(({ id, score }) => [id, score]));
  const scored = candidates.map((candidate) => {
    const compared = compare(candidate, asked);
    return {
      ...compared,
      doc: candidate.doc,
      score: ((scores.get(candidate.id) ?? 0) + compared.inside) * candidate.weight,
    };
  });
  scored.sort((a, b) => b.score - a.score);
  // Where meaning counts too, fewer of the words have to stand there.
  const least = vectors === null ? heldMin : heldMin / 2;
  // A method stands below the line that names its class: beside a piece that holds enough, fewer words do.
  const answering = new Set(scored.filter(({ held }) => held >= least).map(({ doc }) => doc));
  const enough = scored.filter(({ held, doc }) => held >= least || (answering.has(doc) && held >= least * besideShare));
  const few = fewOfEach(enough).slice(0, limit);
  const near = few.length > 0 ? [] : scored.filter(({ held }) => held > 0).toSorted((a, b) => b.held - a.held);
  return { chosen: few.map(outcome), near: fewOfEach(near).slice(0, nearMax).map(outcome) };
}

/** Less than this share of a query is chance: a word or two that stand everywhere. */
const heldMin = 0.35;
const besideShare = 0.5;
const nearMax = 3;
const ofOneDocumentMax = 5;

/** A word of the query, and how much it says: the rarer it is in the corpus, the more. */
type Asked = {
  readonly written: string;
  /** Written together where it has several parts, else its only one. */
  readonly whole: string;
  readonly parts: readonly { readonly term: string; readonly rarity: number }[];
  readonly weight: number;
  /** It is no word of the corpus: then it is looked for inside others. */
  readonly isInside: boolean;
};

function weighed(query: string, corpus: Corpus): readonly Asked[] {
  const words = wordsOf(query).map(({ written, parts: lower, whole: together }) => {
    const parts = [...new Set(lower.map(stemOf))].map((term) => ({ term, rarity: rarityOf(term, corpus) }));
    const whole = together ?? parts[0]?.term ?? "";
    const isKnown = corpus.chunksWith(whole) > 0;
    const rarity = isKnown ? rarityOf(whole, corpus) : Math.max(...parts.map((part) => part.rarity));
    const saying = Math.max(...parts.map(({ term }) => weightOf(term)));
    return {
      written,
      whole,
      parts,
      isKnown,
      rarity,
      weight: rarity * saying,
      isInside: !isKnown || isOneChar(written),
    };
  });
  // A query of nothing but small words means them.
  const isSaying = words.some(({ weight }) => weight > 0);
  const saying = isSaying
    ? words.filter(({ weight }) => weight > 0)
    : words.map((one) => ({ ...one, weight: one.rarity }));
  // A word that the project writes otherwise is no reason to find nothing, as long as its others are found.
  const most = unknownTimesMax * Math.max(0, ...saying.map(({ weight, isKnown }) => (isKnown ? weight : 0)));
  const capped = saying.map((one) =>
    one.isKnown || most === 0 ? one : { ...one, weight: Math.min(one.weight, most) },
  );
  return [...new Map(capped.map((word) => [word.whole, word])).values()];
}

const unknownTimesMax = 2;

function rarityOf(term: string, { chunks, chunksWith }: Corpus): number {
  const held = chunksWith(term);
  const all = Math.max(chunksMin, chunks, held);
  return Math.log(1 + (all - held + 0.5) / (held + 0.5));
}

/** In a small project a word that it lacks would outweigh all that it has. */
const chunksMin = 1_000;

function isOneChar(written: string): boolean {
  return written.length <= 2 && [...written].length === 1;
}

function compare({ id, title, text }: Candidate, asked: readonly Asked[]): Chosen & { readonly inside: number } {
  const whole = `${title}\n${text}`;
  const terms = new Set(termsOf(whole));
  const plain = asked.some(({ isInside }) => isInside) ? plainText(whole) : "";
  let [held, inside, all] = [0, 0, 0];
  const lacks: string[] = [];
  for (const word of asked) {
    const isWithin = word.isInside && plain.includes(plainText(word.written));
    const share = shareOf(word, terms, isWithin);
    all += word.weight;
    held += word.weight * share;
    if (isWithin) inside += word.weight / 2;
    if (share < 0.5) lacks.push(word.written);
  }
  return { id, held: all === 0 ? 0 : held / all, lacks, inside: all === 0 ? 0 : inside / all };
}

/** How much of a word stands there: as a whole, inside another (which may be chance), or its parts, the rare ones weighing more. */
function shareOf({ written, whole, parts }: Asked, terms: ReadonlySet<string>, isWithin: boolean): number {
  if (terms.has(whole) || (isWithin && isOneChar(written))) return 1;
  const weights = parts.map(({ term, rarity }) => (terms.has(term) ? rarity : 0));
  const all = parts.reduce((sum, { rarity }) => sum + rarity, 0);
  const there = weights.reduce((sum, weight) => sum + weight, 0) / Math.max(all, 1e-9);
  const most = weights.every((weight) => weight > 0) ? allPartsShare : somePartsShare;
  const isRelated = parts.length === 1 && relatedTo(whole).some((term) => terms.has(term));
  return Math.max(isWithin ? withinShare : 0, isRelated ? relatedShare : 0, parts.length > 1 ? most * there : 0);
}

const withinShare = 0.5;
/** Another word of the trade for the same. */
const relatedShare = 0.6;
const allPartsShare = 0.8;
const somePartsShare = 0.5;

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
