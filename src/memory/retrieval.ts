import { termsOf } from "./retrieval-terms.ts";

/** A piece of a document; `place`: which of its document's pieces it is; `title`: its path, and the heading it stands under. */
export type Chunk = {
  readonly id: string;
  readonly doc: string;
  readonly place: number;
  readonly title: string;
  readonly text: string;
};

/** What is known of everything that could have been found, where `chunks` are only the candidates an index named. */
export type Corpus = {
  readonly chunks: number;
  /** How many chunks hold the term, as `termsOf` writes it. */
  readonly chunksWith: (term: string) => number;
};

/** Best first; those that have nothing of the query are left out. `score`: 1 is a chunk that holds all of it. */
export type Ranked = { readonly id: string; readonly score: number };

/** Chunks as they are compared, so that several queries share the work. */
export type Prepared = { readonly chunks: readonly PreparedChunk[]; readonly corpus: Corpus };

type PreparedChunk = { readonly chunk: Chunk; readonly counts: ReadonlyMap<string, number>; readonly length: number };

/** Candidates of one document should come together: what stands beside a chunk says what the chunk is about. */
export function prepared(chunks: readonly Chunk[], corpus?: Corpus): Prepared {
  const all = chunks.map(preparedChunk);
  const held = new Map<string, number>();
  for (const { counts } of all) for (const term of counts.keys()) held.set(term, (held.get(term) ?? 0) + 1);
  return { chunks: all, corpus: corpus ?? { chunks: all.length, chunksWith: (term) => held.get(term) ?? 0 } };
}

function preparedChunk(chunk: Chunk): PreparedChunk {
  const terms = termsOf(`${chunk.title}\n${chunk.text}`);
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return { chunk, counts, length: terms.length };
}

export function rank(query: string, { chunks, corpus }: Prepared): readonly Ranked[] {
  const mean = chunks.reduce((sum, { length }) => sum + length, 0) / Math.max(1, chunks.length);
  const terms = [...new Set(termsOf(query))].map((term) => ({ term, rarity: rarityOf(term, corpus) }));
  const most = terms.reduce((sum, { rarity }) => sum + rarity * (saturation + 1), 0);
  const ranked = chunks.map(({ chunk, counts, length }) => {
    const longer = saturation * (1 - lengthShare + (lengthShare * length) / Math.max(1, mean));
    const weights = terms.map(({ term, rarity }) => {
      const count = counts.get(term) ?? 0;
      return (rarity * (saturation + 1) * count) / (count + longer);
    });
    return { id: chunk.id, score: weights.reduce((sum, weight) => sum + weight, 0) / Math.max(1e-9, most) };
  });
  return ranked.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
}

function rarityOf(term: string, corpus: Corpus): number {
  const held = corpus.chunksWith(term);
  return Math.log(1 + (corpus.chunks - held + 0.5) / (held + 0.5));
}

const saturation = 1.2;
const lengthShare = 0.75;
