import { definedNames } from "./retrieval-names.ts";
import { termsOf } from "./retrieval-terms.ts";

/** A piece of a document; `place`: which of its document's pieces it is; `title`: its path, and the heading it stands under. */
export type Chunk = {
  readonly id: string;
  readonly doc: string;
  readonly place: number;
  readonly title: string;
  readonly text: string;
};

/** What is known of everything that could have been found, where the chunks are only the candidates that an index named. */
export type Corpus = {
  readonly chunks: number;
  /** How many chunks hold the term, as `termsOf` writes it. */
  readonly chunksWith: (term: string) => number;
};

/** What a chunk, or a whole document, is compared by. `names`: those it defines, whole; `defined`, `titled`: their terms. */
export type Holding = {
  readonly counts: ReadonlyMap<string, number>;
  readonly defined: ReadonlySet<string>;
  readonly titled: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly length: number;
};

type PreparedChunk = Holding & {
  readonly id: string;
  readonly doc: string;
  readonly place: number;
  readonly terms: readonly string[];
};

export type Prepared = {
  readonly chunks: readonly PreparedChunk[];
  readonly docs: ReadonlyMap<string, Holding>;
  readonly meanChunk: number;
  readonly meanDoc: number;
  /** All that are defined anywhere. */
  readonly names: ReadonlySet<string>;
  readonly corpus: Corpus;
};

export function preparedFrom(chunks: readonly Chunk[], corpus?: Corpus): Prepared {
  const all = chunks.map(preparedChunk);
  const groups = Map.groupBy(all, ({ doc }) => doc);
  const docs = new Map([...groups].map(([id, parts]) => [id, together(parts)]));
  const held = heldBy(all);
  return {
    chunks: all,
    docs,
    meanChunk: mean(all),
    meanDoc: mean([...docs.values()]),
    names: new Set(all.flatMap(({ names }) => [...names])),
    corpus: corpus ?? { chunks: all.length, chunksWith: (term) => held.get(term) ?? 0 },
  };
}

function preparedChunk({ id, doc, place, title, text }: Chunk): PreparedChunk {
  const titled = termsOf(title);
  const terms = [...titled, ...termsOf(text)];
  const names = definedNames(text);
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return {
    id,
    doc,
    place,
    terms,
    counts,
    titled: new Set(titled),
    defined: new Set(names.flatMap(({ written }) => termsOf(written))),
    names: new Set(names.map(({ name }) => name)),
    length: terms.length,
  };
}

function together(parts: readonly Holding[]): Holding {
  const counts = new Map<string, number>();
  for (const part of parts) for (const [term, count] of part.counts) counts.set(term, (counts.get(term) ?? 0) + count);
  return {
    counts,
    // Large documents define and touch on much: only what stands over all of them is what they are about.
    defined: new Set(),
    titled: parts.map(({ titled }) => titled).reduce((all, one) => all.intersection(one)),
    names: new Set(parts.flatMap(({ names }) => [...names])),
    length: parts.reduce((sum, { length }) => sum + length, 0),
  };
}

function heldBy(chunks: readonly Holding[]): ReadonlyMap<string, number> {
  const held = new Map<string, number>();
  for (const { counts } of chunks) for (const term of counts.keys()) held.set(term, (held.get(term) ?? 0) + 1);
  return held;
}

function mean(all: readonly Holding[]): number {
  return all.reduce((sum, { length }) => sum + length, 0) / Math.max(1, all.length);
}
