/**
 * What each signal counts beside the words that a chunk itself holds, which count 1. Fitted with `bench retrieval --signals` on
 * the queries whose hash is even (docs/decisions/0038-retrieval.md); most of them may be off by half without any harm.
 */
export const rankWeights = {
  /** What the chunk's whole document holds: a class is named at its beginning and its methods are asked for. */
  doc: 0.6,
  /** The same for the first chunk alone, which says what the document is for. */
  first: 0.1,
  /** Words that stand side by side in the query and in the chunk. */
  phrase: 0.05,
  /** A name of the query that the chunk, or another chunk of its document, defines. */
  names: 0.1,
  docNames: 0.15,
  /** How many times more a word counts that is part of a name defined there, or of the title. */
  defined: 3,
  titled: 2,
  /** A word that programs use for the one that was asked. */
  related: 0.15,
} as const satisfies Readonly<Record<string, number>>;

export type RankWeights = { readonly [K in keyof typeof rankWeights]: number };
