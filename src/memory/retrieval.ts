import { bounds } from "../kernel/bounds.ts";
import { type Asked, askedOf } from "./retrieval-asked.ts";
import { namesAsked } from "./retrieval-names.ts";
import { type Chunk, type Corpus, type Holding, type Prepared, preparedFrom } from "./retrieval-prepared.ts";
import { type RankWeights, rankWeights } from "./retrieval-weights.ts";

export type { Chunk, Corpus, Prepared };

/** `score`: 1 is a chunk that holds all that was asked, in a document that holds all of it. */
export type Ranked = { readonly id: string; readonly score: number };

/**
 * Chunks as they are compared, so that several queries share the work. Candidates of one document should come together: what
 * stands beside a chunk says what the chunk is about. Without a corpus the chunks themselves are all there is.
 */
export function prepared(chunks: readonly Chunk[], corpus?: Corpus): Prepared {
  return preparedFrom(chunks, corpus);
}

/** Best first; those that have nothing of the query are left out. What each weight brings: docs/decisions/0038-retrieval.md. */
export function rank(query: string, all: Prepared, weights: RankWeights = rankWeights): readonly Ranked[] {
  const question = query.slice(0, bounds.questionCharsMax);
  const asked = askedOf(question, all, weights);
  const names = namesAsked(question).filter((name) => all.names.has(name));
  const docs = new Map(
    [...all.docs].map(([id, doc]) => [
      id,
      { held: shareHeld(asked, doc, all.meanDoc, weights), named: shareOf(names, doc.names) },
    ]),
  );
  const most = 1 + weights.doc + weights.first + weights.phrase + weights.names + weights.docNames;
  const ranked = all.chunks.map((chunk) => {
    const { held = 0, named = 0 } = docs.get(chunk.doc) ?? {};
    const score =
      shareHeld(asked, chunk, all.meanChunk, weights) +
      weights.doc * held +
      weights.first * (chunk.place === 0 ? held : 0) +
      weights.phrase * phrasesHeld(asked.phrases, chunk) +
      weights.names * shareOf(names, chunk.names) +
      weights.docNames * named;
    return { id: chunk.id, score: score / most };
  });
  return ranked.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
}

/** How much of what was asked it holds, the rare counting more, each further time less, long texts less (BM25 over fields). */
function shareHeld(asked: Asked, holding: Holding, mean: number, weights: RankWeights): number {
  if (asked.most === 0) return 0;
  const longer = saturation * (1 - lengthShare + (lengthShare * holding.length) / Math.max(1, mean));
  const sum = asked.terms.reduce((total, { term, weight }) => {
    const count = countOf(term, holding, weights);
    return total + (weight * (saturation + 1) * count) / (count + longer);
  }, 0);
  return sum / ((saturation + 1) * asked.most);
}

const saturation = 1.6;
const lengthShare = 0.75;

/** A name that is defined there, or stands over it, is what the text is about. */
function countOf(term: string, holding: Holding, weights: RankWeights): number {
  return (
    (holding.counts.get(term) ?? 0) +
    (holding.defined.has(term) ? weights.defined : 0) +
    (holding.titled.has(term) ? weights.titled : 0)
  );
}

/** Which share of the words that stand side by side in the query stand so in the chunk. */
function phrasesHeld(phrases: Asked["phrases"], { counts, terms }: Prepared["chunks"][number]): number {
  if (phrases.length === 0) return 0;
  const held = phrases.filter(
    ([first, second]) =>
      counts.has(first) && counts.has(second) && terms.some((term, at) => term === first && terms[at + 1] === second),
  );
  return held.length / phrases.length;
}

function shareOf(names: readonly string[], defined: ReadonlySet<string>): number {
  return names.length === 0 ? 0 : names.filter((name) => defined.has(name)).length / names.length;
}
